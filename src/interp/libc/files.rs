//! Files in memory and descriptors: `open`, `read`, `write` and their relatives.

use std::collections::BTreeMap;

use super::stream::Stream;
use super::{Args, Entries, Machine, Ret, Stop, errno, int, word};

/// All files and what is open.
#[derive(Debug)]
pub(in super::super) struct Files {
    names: BTreeMap<String, usize>,
    /// Contents; the first three are the standard streams'. A removed file stays while it may be open.
    nodes: Vec<Vec<u8>>,
    descriptors: Vec<Option<Descriptor>>,
    pub(super) streams: BTreeMap<u64, Stream>,
    pub(super) temporaries: u32,
}

/// An open file.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "they are independent")]
struct Descriptor {
    node: usize,
    at: u64,
    readable: bool,
    writable: bool,
    append: bool,
    /// A pipe: the standard streams.
    pipe: bool,
}

/// How to open a file.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "they are independent")]
pub(super) struct Mode {
    pub readable: bool,
    pub writable: bool,
    pub append: bool,
    pub create: bool,
    pub exclusive: bool,
    pub truncate: bool,
}

/// No file is larger: the disk is full.
const LARGEST: u64 = 1 << 30;

/// A path as the map names it.
pub(super) fn key(path: &[u8]) -> String {
    let text = String::from_utf8_lossy(path);
    let mut text: &str = &text;
    while let Some(rest) = text.strip_prefix("./") {
        text = rest.trim_start_matches('/');
    }
    text.to_string()
}

impl Files {
    /// The file system at the start.
    pub fn new(files: &BTreeMap<String, Vec<u8>>, stdin: &[u8]) -> Files {
        let mut nodes = vec![stdin.to_vec(), Vec::new(), Vec::new()];
        let mut names = BTreeMap::new();
        for (name, content) in files {
            names.insert(key(name.as_bytes()), nodes.len());
            nodes.push(content.clone());
        }
        let standard = |node, readable| {
            Some(Descriptor { node, at: 0, readable, writable: !readable, append: !readable, pipe: true })
        };
        let descriptors = vec![standard(0, true), standard(1, false), standard(2, false)];
        Files { names, nodes, descriptors, streams: BTreeMap::new(), temporaries: 0 }
    }

    /// Standard output, standard error, and the files as they are now.
    pub fn finish(mut self) -> (Vec<u8>, Vec<u8>, BTreeMap<String, Vec<u8>>) {
        let stdout = std::mem::take(&mut self.nodes[1]);
        let stderr = std::mem::take(&mut self.nodes[2]);
        let files = self.names.into_iter().map(|(name, node)| (name, std::mem::take(&mut self.nodes[node])));
        (stdout, stderr, files.collect())
    }

    fn descriptor(&self, fd: i64) -> Option<&Descriptor> {
        self.descriptors.get(usize::try_from(fd).ok()?)?.as_ref()
    }
    fn descriptor_mut(&mut self, fd: i64) -> Option<&mut Descriptor> {
        self.descriptors.get_mut(usize::try_from(fd).ok()?)?.as_mut()
    }
    fn is_folder(&self, name: &str) -> bool {
        let prefix = format!("{}/", name.trim_end_matches('/'));
        matches!(name, "." | "/" | "")
            || self.names.range(prefix.clone()..).next().is_some_and(|(n, _)| n.starts_with(&prefix))
    }
    pub(super) fn exists(&self, name: &str) -> bool {
        self.names.contains_key(name) || self.is_folder(name)
    }

    fn add(&mut self, descriptor: Descriptor) -> i64 {
        let free = self.descriptors.iter().position(Option::is_none);
        let fd = free.unwrap_or_else(|| {
            self.descriptors.push(None);
            self.descriptors.len() - 1
        });
        self.descriptors[fd] = Some(descriptor);
        fd as i64
    }

    /// Opens a file; the error otherwise.
    pub(super) fn open(&mut self, path: &[u8], mode: Mode) -> Result<i64, i32> {
        let name = key(path);
        let node = match self.names.get(&name) {
            Some(_) if mode.exclusive => return Err(errno::EEXIST),
            Some(node) => *node,
            None if name == "/dev/null" => self.anonymous(),
            None if self.is_folder(&name) => {
                return Err(if name.is_empty() { errno::ENOENT } else { errno::EISDIR });
            }
            None if !mode.create => return Err(errno::ENOENT),
            None => {
                let node = self.anonymous();
                self.names.insert(name, node);
                node
            }
        };
        if mode.truncate {
            self.nodes[node].clear();
        }
        let Mode { readable, writable, append, .. } = mode;
        Ok(self.add(Descriptor { node, at: 0, readable, writable, append, pipe: false }))
    }

    fn anonymous(&mut self) -> usize {
        self.nodes.push(Vec::new());
        self.nodes.len() - 1
    }

    /// A file without a name, to read and write.
    pub(super) fn open_anonymous(&mut self) -> i64 {
        let node = self.anonymous();
        self.add(Descriptor { node, at: 0, readable: true, writable: true, append: false, pipe: false })
    }

    pub(super) fn close(&mut self, fd: i64) -> Result<(), i32> {
        let slot = usize::try_from(fd).ok().and_then(|fd| self.descriptors.get_mut(fd));
        slot.and_then(Option::take).map(|_| ()).ok_or(errno::EBADF)
    }

    /// Up to `count` bytes.
    pub(super) fn read(&mut self, fd: i64, count: u64) -> Result<Vec<u8>, i32> {
        let descriptor = self.descriptor(fd).filter(|d| d.readable).ok_or(errno::EBADF)?;
        let content = &self.nodes[descriptor.node];
        let start = (descriptor.at as usize).min(content.len());
        let end = start + count.min((content.len() - start) as u64) as usize;
        let bytes = content[start..end].to_vec();
        if let Some(d) = self.descriptor_mut(fd) {
            d.at += bytes.len() as u64;
        }
        Ok(bytes)
    }

    /// The next byte.
    pub(super) fn read_byte(&mut self, fd: i64) -> Result<Option<u8>, i32> {
        let d = self.descriptors.get_mut(fd as usize).and_then(Option::as_mut).filter(|d| d.readable);
        let d = d.ok_or(errno::EBADF)?;
        let byte = self.nodes[d.node].get(d.at as usize).copied();
        d.at += u64::from(byte.is_some());
        Ok(byte)
    }

    pub(super) fn write(&mut self, fd: i64, bytes: &[u8]) -> Result<(), i32> {
        let d = self.descriptors.get_mut(usize::try_from(fd).map_err(|_| errno::EBADF)?);
        let d = d.and_then(Option::as_mut).filter(|d| d.writable).ok_or(errno::EBADF)?;
        let content = &mut self.nodes[d.node];
        if d.append {
            d.at = content.len() as u64;
        }
        if d.at.saturating_add(bytes.len() as u64) > LARGEST {
            return Err(errno::ENOSPC);
        }
        let start = d.at as usize;
        if content.len() < start {
            content.resize(start, 0);
        }
        let overlap = (content.len() - start).min(bytes.len());
        content[start..start + overlap].copy_from_slice(&bytes[..overlap]);
        content.extend_from_slice(&bytes[overlap..]);
        d.at += bytes.len() as u64;
        Ok(())
    }

    pub(super) fn position(&self, fd: i64) -> Result<u64, i32> {
        match self.descriptor(fd) {
            Some(d) if d.pipe => Err(errno::ESPIPE),
            Some(d) => Ok(d.at),
            None => Err(errno::EBADF),
        }
    }

    /// `lseek`
    pub(super) fn seek(&mut self, fd: i64, offset: i64, whence: i32) -> Result<u64, i32> {
        let at = self.position(fd)?;
        let size = self.size(fd)?;
        let from = match whence {
            0 => 0,
            1 => at,
            2 => size,
            _ => return Err(errno::EINVAL),
        };
        // A file in memory must stay within what memory can hold.
        let to = from.checked_add_signed(offset).filter(|to| *to < LARGEST).ok_or(errno::EINVAL)?;
        if let Some(d) = self.descriptor_mut(fd) {
            d.at = to;
        }
        Ok(to)
    }

    fn size(&self, fd: i64) -> Result<u64, i32> {
        self.descriptor(fd).map(|d| self.nodes[d.node].len() as u64).ok_or(errno::EBADF)
    }

    fn duplicate(&mut self, fd: i64, to: Option<i64>) -> Result<i64, i32> {
        let copy = self.descriptor(fd).cloned().ok_or(errno::EBADF)?;
        let Some(to) = to else { return Ok(self.add(copy)) };
        let index = usize::try_from(to).ok().filter(|t| *t < 1 << 16).ok_or(errno::EBADF)?;
        if self.descriptors.len() <= index {
            self.descriptors.resize(index + 1, None);
        }
        self.descriptors[index] = Some(copy);
        Ok(to)
    }

    fn remove(&mut self, path: &[u8]) -> Result<(), i32> {
        self.names.remove(&key(path)).map(|_| ()).ok_or(errno::ENOENT)
    }

    fn rename(&mut self, from: &[u8], to: &[u8]) -> Result<(), i32> {
        let node = self.names.remove(&key(from)).ok_or(errno::ENOENT)?;
        self.names.insert(key(to), node);
        Ok(())
    }
}

impl Machine<'_> {
    /// The answer to a call that gives a number, or -1 with `errno`.
    pub(super) fn number_or_errno<T: Into<i128>>(&mut self, result: Result<T, i32>) -> Ret {
        match result {
            Ok(value) => int(value.into() as i64),
            Err(error) => self.fail(error),
        }
    }
    fn done_or_errno(&mut self, result: Result<(), i32>) -> Ret {
        self.number_or_errno(result.map(|()| 0))
    }

    /// `struct stat` as x86-64 Linux lays it out.
    fn put_stat(&mut self, addr: u64, size: u64, mode: u32) -> Result<(), Stop> {
        self.memory.slice_mut(addr, 144)?.fill(0);
        let blocks = size.div_ceil(512);
        for (offset, bytes, value) in [
            (8, 8, 1),
            (16, 8, 1),
            (24, 4, u64::from(mode)),
            (28, 4, 1000),
            (32, 4, 1000),
            (48, 8, size),
            (56, 8, 4096),
            (64, 8, blocks),
        ] {
            self.memory.store_uint(addr + offset, bytes, value)?;
        }
        for offset in [72, 88, 104] {
            self.memory.store_uint(addr + offset, 8, super::time::EPOCH)?;
        }
        Ok(())
    }

    fn stat_path(&mut self, path: u64, addr: u64) -> Ret {
        let name = key(&self.string(path)?);
        let files = &self.libc.files;
        let (size, mode) = match files.names.get(&name) {
            Some(node) => (files.nodes[*node].len() as u64, 0o100_644),
            None if name == "/dev/null" => (0, 0o20_666),
            None if !name.is_empty() && files.is_folder(&name) => (4096, 0o40_755),
            None => return self.fail(errno::ENOENT),
        };
        self.put_stat(addr, size, mode)?;
        int(0)
    }

    fn stat_descriptor(&mut self, fd: i64, addr: u64) -> Ret {
        let files = &self.libc.files;
        let Some(d) = files.descriptor(fd) else { return self.fail(errno::EBADF) };
        let (size, mode) = if d.pipe { (0, 0o10_600) } else { (files.nodes[d.node].len() as u64, 0o100_644) };
        self.put_stat(addr, size, mode)?;
        int(0)
    }

    /// Replaces the `XXXXXX` at the end of a template, or gives an empty name.
    pub(super) fn fresh_name(&mut self, template: &mut [u8]) -> bool {
        let Some(start) = template.len().checked_sub(6).filter(|s| template[*s..] == *b"XXXXXX") else { return false };
        loop {
            self.libc.files.temporaries += 1;
            let text = format!("{:06}", self.libc.files.temporaries);
            template[start..].copy_from_slice(&text.as_bytes()[..6]);
            if !self.libc.files.exists(&key(template)) {
                return true;
            }
        }
    }
}

fn open(m: &mut Machine<'_>, path: u64, flags: i32) -> Ret {
    let path = m.string(path)?;
    let access = flags & 3;
    let mode = Mode {
        readable: access != 1,
        writable: access != 0,
        append: flags & 0o2000 != 0,
        create: flags & 0o100 != 0,
        exclusive: flags & 0o300 == 0o300,
        truncate: flags & 0o1000 != 0,
    };
    let fd = m.libc.files.open(&path, mode);
    m.number_or_errno(fd)
}

fn mkstemp(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let mut name = m.string(a.word(0))?;
    if !m.fresh_name(&mut name) {
        return m.fail(errno::EINVAL);
    }
    m.put(a.word(0), &name)?;
    let mode = Mode { readable: true, writable: true, create: true, exclusive: true, ..Mode::default() };
    let fd = m.libc.files.open(&name, mode);
    m.number_or_errno(fd)
}

fn read(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    match m.libc.files.read(a.long(0), a.word(2)) {
        Ok(bytes) => {
            m.put(a.word(1), &bytes)?;
            word(bytes.len() as u64)
        }
        Err(error) => m.fail(error),
    }
}

fn write(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let bytes = m.memory.slice(a.word(1), a.word(2))?.to_vec();
    let done = m.libc.files.write(a.long(0), &bytes);
    m.number_or_errno(done.map(|()| bytes.len() as u64))
}

fn access(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let name = key(&m.string(a.word(0))?);
    if m.libc.files.exists(&name) { int(0) } else { m.fail(errno::ENOENT) }
}

fn remove(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let path = m.string(a.word(0))?;
    let done = m.libc.files.remove(&path);
    m.done_or_errno(done)
}

fn rename(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let (from, to) = (m.string(a.word(0))?, m.string(a.word(1))?);
    let done = m.libc.files.rename(&from, &to);
    m.done_or_errno(done)
}

fn isatty(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let error = if m.libc.files.descriptor(a.long(0)).is_some() { errno::ENOTTY } else { errno::EBADF };
    m.set_errno(error)?;
    int(0)
}

fn truncate(m: &mut Machine<'_>, node: Option<usize>, size: u64) -> Ret {
    match node {
        Some(node) if size < LARGEST => {
            m.libc.files.nodes[node].resize(size as usize, 0);
            int(0)
        }
        Some(_) => m.fail(errno::EINVAL),
        None => m.fail(errno::EBADF),
    }
}

fn umask(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    word(std::mem::replace(&mut m.libc.umask, a.word(0) & 0o777))
}

fn getcwd(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    if a.word(0) == 0 {
        return word(m.new_string(b"/")?);
    }
    if a.word(1) < 2 {
        return m.fail_null(errno::ERANGE);
    }
    m.memory.put_c_string(a.word(0), b"/")?;
    word(a.word(0))
}

/// Calls that change what is not modelled (owners, modes, times) and succeed.
fn nothing(_: &mut Machine<'_>, _: &Args<'_>) -> Ret {
    int(0)
}

fn not_there(m: &mut Machine<'_>, _: &Args<'_>) -> Ret {
    m.fail(errno::ENOENT)
}

fn not_supported(m: &mut Machine<'_>, _: &Args<'_>) -> Ret {
    m.fail(errno::ENOSYS)
}

fn not_there_null(m: &mut Machine<'_>, _: &Args<'_>) -> Ret {
    m.fail_null(errno::ENOENT)
}

pub(super) const TABLE: Entries = &[
    ("open", |m, a| open(m, a.word(0), a.int(1))),
    ("open64", |m, a| open(m, a.word(0), a.int(1))),
    ("openat", |m, a| open(m, a.word(1), a.int(2))),
    ("creat", |m, a| open(m, a.word(0), 0o1101)),
    ("close", |m, a| {
        let done = m.libc.files.close(a.long(0));
        m.done_or_errno(done)
    }),
    ("read", read),
    ("write", write),
    ("lseek", |m, a| {
        let at = m.libc.files.seek(a.long(0), a.long(1), a.int(2));
        m.number_or_errno(at)
    }),
    ("lseek64", |m, a| {
        let at = m.libc.files.seek(a.long(0), a.long(1), a.int(2));
        m.number_or_errno(at)
    }),
    ("dup", |m, a| {
        let fd = m.libc.files.duplicate(a.long(0), None);
        m.number_or_errno(fd)
    }),
    ("dup2", |m, a| {
        let fd = m.libc.files.duplicate(a.long(0), Some(a.long(1)));
        m.number_or_errno(fd)
    }),
    ("mkstemp", mkstemp),
    ("mkstemp64", mkstemp),
    ("unlink", remove),
    ("remove", remove),
    ("rename", rename),
    ("access", access),
    ("isatty", isatty),
    ("stat", |m, a| m.stat_path(a.word(0), a.word(1))),
    ("stat64", |m, a| m.stat_path(a.word(0), a.word(1))),
    ("lstat", |m, a| m.stat_path(a.word(0), a.word(1))),
    ("lstat64", |m, a| m.stat_path(a.word(0), a.word(1))),
    ("fstat", |m, a| m.stat_descriptor(a.long(0), a.word(1))),
    ("fstat64", |m, a| m.stat_descriptor(a.long(0), a.word(1))),
    ("__xstat", |m, a| m.stat_path(a.word(1), a.word(2))),
    ("__lxstat", |m, a| m.stat_path(a.word(1), a.word(2))),
    ("__fxstat", |m, a| m.stat_descriptor(a.long(1), a.word(2))),
    ("truncate", |m, a| {
        let name = key(&m.string(a.word(0))?);
        let node = m.libc.files.names.get(&name).copied();
        truncate(m, node, a.word(1))
    }),
    ("ftruncate", |m, a| {
        let node = m.libc.files.descriptor(a.long(0)).map(|d| d.node);
        truncate(m, node, a.word(1))
    }),
    ("umask", umask),
    ("getcwd", getcwd),
    ("chmod", nothing),
    ("fchmod", nothing),
    ("chown", nothing),
    ("fchown", nothing),
    ("lchown", nothing),
    ("utime", nothing),
    ("utimes", nothing),
    ("utimensat", nothing),
    ("futimens", nothing),
    ("fsync", nothing),
    ("fcntl", nothing),
    ("fcntl64", nothing),
    ("mkdir", nothing),
    ("rmdir", not_there),
    ("chdir", not_there),
    ("readlink", not_there),
    ("opendir", not_there_null),
    ("realpath", not_there_null),
    ("link", not_supported),
    ("symlink", not_supported),
    ("pipe", not_supported),
    ("ioctl", |m, _| m.fail(errno::ENOTTY)),
];
