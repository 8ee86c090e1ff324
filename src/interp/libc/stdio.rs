//! `<stdio.h>` without the formatted functions.

use super::files::key;
use super::stream::{Buffering, parse_mode};
use super::{Args, Entries, Machine, Ret, Stop, errno, int, word};

const EOF: i64 = -1;

fn fopen(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let (path, mode) = (m.string(a.word(0))?, m.string(a.word(1))?);
    let Some(mode) = parse_mode(&mode) else { return m.fail_null(errno::EINVAL) };
    match m.libc.files.open(&path, mode) {
        Ok(fd) => word(m.open_stream(fd, mode)?),
        Err(error) => m.fail_null(error),
    }
}

fn fdopen(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let mode = m.string(a.word(1))?;
    let Some(mode) = parse_mode(&mode) else { return m.fail_null(errno::EINVAL) };
    word(m.open_stream(a.long(0), mode)?)
}

fn freopen(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let (file, text) = (a.word(2), m.string(a.word(1))?);
    let Some(mode) = parse_mode(&text) else { return m.fail_null(errno::EINVAL) };
    m.flush(file)?;
    if a.word(0) == 0 {
        // Only the mode changes.
        return word(file);
    }
    let path = m.string(a.word(0))?;
    let old = m.stream(file)?.fd;
    // A closed descriptor has no more to say.
    let _ = m.libc.files.close(old);
    match m.libc.files.open(&path, mode) {
        Ok(fd) => {
            let stream = m.stream(file)?;
            stream.fd = fd;
            (stream.readable, stream.writable) = (mode.readable, mode.writable);
            (stream.eof, stream.error) = (false, false);
            stream.pushed.clear();
            word(file)
        }
        Err(error) => {
            m.libc.files.streams.remove(&file);
            m.fail_null(error)
        }
    }
}

fn fclose(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let file = a.word(0);
    let flushed = m.flush(file)?;
    let fd = m.stream(file)?.fd;
    m.libc.files.streams.remove(&file);
    let closed = m.libc.files.close(fd);
    // The standard streams' objects stay, for they are not from `fopen`.
    if fd > 2 {
        let _ = m.memory.release(file);
    }
    match closed {
        Ok(()) => int(if flushed { 0 } else { EOF }),
        Err(error) => m.fail(error),
    }
}

fn fflush(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    if a.word(0) == 0 {
        m.flush_all()?;
        return int(0);
    }
    let done = m.flush(a.word(0))?;
    int(if done { 0 } else { EOF })
}

fn put_byte(m: &mut Machine<'_>, c: i32, file: u64) -> Ret {
    let byte = c as u8;
    int(if m.emit(file, &[byte])? { i64::from(byte) } else { EOF })
}

fn putchar(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let out = m.standard("stdout")?;
    put_byte(m, a.int(0), out)
}

fn puts(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let mut text = m.string(a.word(0))?;
    text.push(b'\n');
    let out = m.standard("stdout")?;
    int(if m.emit(out, &text)? { text.len() as i64 } else { EOF })
}

fn fputs(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let text = m.string(a.word(0))?;
    int(if m.emit(a.word(1), &text)? { 1 } else { EOF })
}

fn fwrite(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let total = a.word(1).saturating_mul(a.word(2));
    let bytes = m.memory.slice(a.word(0), total)?.to_vec();
    word(if total > 0 && m.emit(a.word(3), &bytes)? { a.word(2) } else { 0 })
}

fn fread(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let total = a.word(1).saturating_mul(a.word(2));
    if total == 0 {
        return word(0);
    }
    let bytes = m.read_stream(a.word(3), total)?;
    m.put(a.word(0), &bytes)?;
    word(bytes.len() as u64 / a.word(1))
}

fn get_byte(m: &mut Machine<'_>, file: u64) -> Ret {
    int(m.next_byte(file)?.map_or(EOF, i64::from))
}

fn getchar(m: &mut Machine<'_>, _: &Args<'_>) -> Ret {
    let file = m.standard("stdin")?;
    get_byte(m, file)
}

fn fgets(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let (target, size) = (a.word(0), a.int(1));
    if size <= 0 {
        return word(0);
    }
    let line = m.read_line(a.word(2), size as u64 - 1, b'\n')?;
    if line.is_empty() && size > 1 {
        return word(0);
    }
    m.memory.put_c_string(target, &line)?;
    word(target)
}

fn gets(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let file = m.standard("stdin")?;
    let mut line = m.read_line(file, u64::MAX, b'\n')?;
    if line.is_empty() {
        return word(0);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    }
    m.memory.put_c_string(a.word(0), &line)?;
    word(a.word(0))
}

fn get_line(m: &mut Machine<'_>, text: u64, size: u64, end: u8, file: u64) -> Ret {
    let line = m.read_line(file, u64::MAX, end)?;
    if line.is_empty() {
        return int(-1);
    }
    let (buffer, width) = (m.memory.load_pointer(text)?, m.pointer_size());
    let room = if buffer == 0 { 0 } else { m.memory.load_uint(size, width)? };
    let needed = line.len() as u64 + 1;
    let mut target = buffer;
    if room < needed {
        let wanted = needed.max(120).max(room * 2);
        target = super::stdlib::reallocate(m, buffer, wanted)?;
        if target == 0 {
            return int(-1);
        }
        m.memory.store_pointer(text, target)?;
        m.memory.store_uint(size, width, wanted)?;
    }
    m.memory.put_c_string(target, &line)?;
    word(line.len() as u64)
}

fn ungetc(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    if a.int(0) == -1 {
        return int(EOF);
    }
    m.push_back(a.word(1), a.int(0) as u8)?;
    int(i64::from(a.int(0) as u8))
}

fn seek(m: &mut Machine<'_>, file: u64, offset: i64, whence: i32) -> Ret {
    m.flush(file)?;
    let back = m.stream(file)?.pushed.len() as i64;
    let offset = if whence == 1 { offset - back } else { offset };
    let fd = m.stream(file)?.fd;
    match m.libc.files.seek(fd, offset, whence) {
        Ok(_) => {
            let stream = m.stream(file)?;
            stream.eof = false;
            stream.pushed.clear();
            int(0)
        }
        Err(error) => m.fail(error),
    }
}

fn tell(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let at = m.tell(a.word(0))?;
    m.number_or_errno(at)
}

fn rewind(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    seek(m, a.word(0), 0, 0)?;
    m.stream(a.word(0))?.error = false;
    int(0)
}

fn fgetpos(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    match m.tell(a.word(0))? {
        Ok(at) => {
            m.memory.store_uint(a.word(1), 8, at)?;
            int(0)
        }
        Err(error) => m.fail(error),
    }
}

fn fsetpos(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let at = m.memory.load_uint(a.word(1), 8)?;
    seek(m, a.word(0), at as i64, 0)
}

fn set_buffering(m: &mut Machine<'_>, file: u64, mode: i32) -> Ret {
    let buffering = match mode {
        0 => Buffering::Full,
        1 => Buffering::Line,
        2 => Buffering::None,
        _ => return int(-1),
    };
    m.stream(file)?.buffering = buffering;
    int(0)
}

fn temporary_name(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let mut name = b"/tmp/fileXXXXXX".to_vec();
    m.fresh_name(&mut name);
    let target = if a.word(0) == 0 { m.buffer("tmpnam", 32)?.0 } else { a.word(0) };
    m.memory.put_c_string(target, &name)?;
    word(target)
}

fn tmpfile(m: &mut Machine<'_>, _: &Args<'_>) -> Ret {
    let fd = m.libc.files.open_anonymous();
    let mode = parse_mode(b"w+").unwrap_or_default();
    word(m.open_stream(fd, mode)?)
}

fn mktemp(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let mut name = m.string(a.word(0))?;
    if m.fresh_name(&mut name) {
        m.put(a.word(0), &name)?;
    }
    word(a.word(0))
}

/// The text that `perror` and `strerror` show.
fn perror(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let addr = m.errno_address()?;
    let error = m.get_int(addr)?;
    let mut text = if a.word(0) == 0 { Vec::new() } else { m.string(a.word(0))? };
    if !text.is_empty() {
        text.extend(b": ");
    }
    text.extend(super::string::error_text(error as i32).bytes());
    text.push(b'\n');
    let file = m.standard("stderr")?;
    m.emit(file, &text)?;
    int(0)
}

fn flag(m: &mut Machine<'_>, a: &Args<'_>, eof: bool) -> Ret {
    let stream = m.stream(a.word(0))?;
    int(i64::from(if eof { stream.eof } else { stream.error }))
}

fn fileno(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let fd = m.stream(a.word(0))?.fd;
    int(fd)
}

fn clearerr(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let stream = m.stream(a.word(0))?;
    (stream.eof, stream.error) = (false, false);
    int(0)
}

fn getw(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let bytes = m.read_stream(a.word(0), 4)?;
    int(<[u8; 4]>::try_from(bytes.as_slice()).map_or(EOF, |b| i64::from(i32::from_le_bytes(b))))
}

fn nothing(_: &mut Machine<'_>, _: &Args<'_>) -> Ret {
    int(0)
}

fn exists(m: &mut Machine<'_>, a: &Args<'_>) -> Result<bool, Stop> {
    let path = m.string(a.word(0))?;
    Ok(m.libc.files.exists(&key(&path)))
}

pub(super) const TABLE: Entries = &[
    ("fopen", fopen),
    ("fopen64", fopen),
    ("fdopen", fdopen),
    ("freopen", freopen),
    ("freopen64", freopen),
    ("fclose", fclose),
    ("fflush", fflush),
    ("fflush_unlocked", fflush),
    ("putchar", putchar),
    ("putchar_unlocked", putchar),
    ("fputc", |m, a| put_byte(m, a.int(0), a.word(1))),
    ("putc", |m, a| put_byte(m, a.int(0), a.word(1))),
    ("_IO_putc", |m, a| put_byte(m, a.int(0), a.word(1))),
    ("putc_unlocked", |m, a| put_byte(m, a.int(0), a.word(1))),
    ("fputc_unlocked", |m, a| put_byte(m, a.int(0), a.word(1))),
    ("puts", puts),
    ("fputs", fputs),
    ("fputs_unlocked", fputs),
    ("fwrite", fwrite),
    ("fwrite_unlocked", fwrite),
    ("fread", fread),
    ("fread_unlocked", fread),
    ("getchar", getchar),
    ("getchar_unlocked", getchar),
    ("getc", |m, a| get_byte(m, a.word(0))),
    ("_IO_getc", |m, a| get_byte(m, a.word(0))),
    ("fgetc", |m, a| get_byte(m, a.word(0))),
    ("getc_unlocked", |m, a| get_byte(m, a.word(0))),
    ("fgetc_unlocked", |m, a| get_byte(m, a.word(0))),
    ("__uflow", |m, a| get_byte(m, a.word(0))),
    ("__overflow", |m, a| put_byte(m, a.int(1), a.word(0))),
    ("fgets", fgets),
    ("fgets_unlocked", fgets),
    ("gets", gets),
    ("getline", |m, a| get_line(m, a.word(0), a.word(1), b'\n', a.word(2))),
    ("__getline", |m, a| get_line(m, a.word(0), a.word(1), b'\n', a.word(2))),
    ("getdelim", |m, a| get_line(m, a.word(0), a.word(1), a.int(2) as u8, a.word(3))),
    ("__getdelim", |m, a| get_line(m, a.word(0), a.word(1), a.int(2) as u8, a.word(3))),
    ("ungetc", ungetc),
    ("_IO_ungetc", ungetc),
    ("fseek", |m, a| seek(m, a.word(0), a.long(1), a.int(2))),
    ("fseeko", |m, a| seek(m, a.word(0), a.long(1), a.int(2))),
    ("fseeko64", |m, a| seek(m, a.word(0), a.long(1), a.int(2))),
    ("ftell", tell),
    ("ftello", tell),
    ("ftello64", tell),
    ("rewind", rewind),
    ("fgetpos", fgetpos),
    ("fsetpos", fsetpos),
    ("feof", |m, a| flag(m, a, true)),
    ("feof_unlocked", |m, a| flag(m, a, true)),
    ("ferror", |m, a| flag(m, a, false)),
    ("ferror_unlocked", |m, a| flag(m, a, false)),
    ("clearerr", clearerr),
    ("clearerr_unlocked", clearerr),
    ("fileno", fileno),
    ("fileno_unlocked", fileno),
    ("setvbuf", |m, a| set_buffering(m, a.word(0), a.int(2))),
    ("setbuf", |m, a| set_buffering(m, a.word(0), if a.word(1) == 0 { 2 } else { 0 })),
    ("setbuffer", |m, a| set_buffering(m, a.word(0), if a.word(1) == 0 { 2 } else { 0 })),
    ("setlinebuf", |m, a| set_buffering(m, a.word(0), 1)),
    ("tmpnam", temporary_name),
    ("tmpfile", tmpfile),
    ("tmpfile64", tmpfile),
    ("mktemp", mktemp),
    ("perror", perror),
    ("getw", getw),
    ("flockfile", nothing),
    ("funlockfile", nothing),
    ("ftrylockfile", nothing),
    ("popen", |m, _| m.fail_null(errno::ENOSYS)),
    ("pclose", |m, _| m.fail(errno::ECHILD)),
    ("eaccess", |m, a| if exists(m, a)? { int(0) } else { m.fail(errno::ENOENT) }),
];
