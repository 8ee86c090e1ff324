//! Streams: what a `FILE` is.
//!
//! Output is buffered as glibc does it for a pipe or a file, since what is still in a buffer when a program aborts is lost. Input
//! is read from the file as it is asked for.

use super::files::Mode;
use super::{Machine, Stop};

/// Bytes of an output buffer.
const BUFFER: usize = 4096;
/// Bytes of the opaque object that stands for a stream.
const FILE_SIZE: u64 = 216;

/// When output leaves the buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Buffering {
    Full,
    Line,
    None,
}

/// An open stream.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "they are independent")]
pub(super) struct Stream {
    pub fd: i64,
    pub readable: bool,
    pub writable: bool,
    pub eof: bool,
    pub error: bool,
    /// What `ungetc` put back, last first to be read.
    pub pushed: Vec<u8>,
    /// Output not yet written.
    pending: Vec<u8>,
    pub buffering: Buffering,
}

/// A mode of `fopen`.
pub(super) fn parse_mode(text: &[u8]) -> Option<Mode> {
    let plus = text.contains(&b'+');
    let exclusive = text.contains(&b'x');
    let mode = match text.first()? {
        b'r' => Mode { readable: true, writable: plus, ..Mode::default() },
        b'w' => Mode { readable: plus, writable: true, create: true, truncate: true, exclusive, ..Mode::default() },
        b'a' => Mode { readable: plus, writable: true, create: true, append: true, exclusive, ..Mode::default() },
        _ => return None,
    };
    Some(mode)
}

impl Machine<'_> {
    /// A stream on a descriptor: the address of its `FILE`.
    pub(super) fn open_stream(&mut self, fd: i64, mode: Mode) -> Result<u64, Stop> {
        let addr = self.memory.allocate(FILE_SIZE, 16)?;
        let stream = Stream {
            fd,
            readable: mode.readable,
            writable: mode.writable,
            eof: false,
            error: false,
            pushed: Vec::new(),
            pending: Vec::new(),
            buffering: if fd == 2 { Buffering::None } else { Buffering::Full },
        };
        self.libc.files.streams.insert(addr, stream);
        Ok(addr)
    }

    /// One of the standard streams.
    pub(super) fn open_standard(&mut self, fd: i64) -> Result<u64, Stop> {
        self.open_stream(fd, Mode { readable: fd == 0, writable: fd != 0, ..Mode::default() })
    }

    /// The stream of a `FILE`.
    pub(super) fn stream(&mut self, addr: u64) -> Result<&mut Stream, Stop> {
        match self.libc.files.streams.get_mut(&addr) {
            Some(stream) => Ok(stream),
            None => Err(Stop::Trap(format!("{addr:#x} is not an open stream"))),
        }
    }

    /// The `FILE` that an object such as `stdout` points to.
    pub(super) fn standard(&mut self, name: &'static str) -> Result<u64, Stop> {
        let addr = self.object(name)?;
        Ok(self.memory.load_pointer(addr)?)
    }

    /// Writes what is in the buffer; false on an error.
    pub(super) fn flush(&mut self, addr: u64) -> Result<bool, Stop> {
        let stream = self.stream(addr)?;
        let (fd, pending) = (stream.fd, std::mem::take(&mut stream.pending));
        if pending.is_empty() {
            return Ok(true);
        }
        let done = self.libc.files.write(fd, &pending);
        if let Err(error) = done {
            self.stream(addr)?.error = true;
            self.set_errno(error)?;
        }
        Ok(done.is_ok())
    }

    /// Flushes all streams.
    pub fn flush_all(&mut self) -> Result<(), Stop> {
        let all: Vec<u64> = self.libc.files.streams.keys().copied().collect();
        for addr in all {
            self.flush(addr)?;
        }
        Ok(())
    }

    /// Writes bytes to a stream; false on an error.
    pub(super) fn emit(&mut self, addr: u64, bytes: &[u8]) -> Result<bool, Stop> {
        let stream = self.stream(addr)?;
        if !stream.writable {
            stream.error = true;
            self.set_errno(super::errno::EBADF)?;
            return Ok(false);
        }
        stream.eof = false;
        stream.pushed.clear();
        match stream.buffering {
            Buffering::None => {
                stream.pending.extend_from_slice(bytes);
                self.flush(addr)
            }
            Buffering::Line => {
                // Up to the last newline it goes out, the rest waits.
                stream.pending.extend_from_slice(bytes);
                if let Some(last) = bytes.iter().rposition(|b| *b == b'\n') {
                    let rest = stream.pending.split_off(stream.pending.len() - (bytes.len() - 1 - last));
                    let done = self.flush(addr)?;
                    self.stream(addr)?.pending = rest;
                    return Ok(done);
                }
                Ok(true)
            }
            Buffering::Full => {
                let room = BUFFER - stream.pending.len().min(BUFFER);
                let (now, rest) = bytes.split_at(room.min(bytes.len()));
                stream.pending.extend_from_slice(now);
                if rest.is_empty() {
                    return Ok(true);
                }
                let done = self.flush(addr)?;
                let (blocks, rest) = rest.split_at(rest.len() - rest.len() % BUFFER);
                self.stream(addr)?.pending.extend_from_slice(blocks);
                let done = (blocks.is_empty() || self.flush(addr)?) && done;
                self.stream(addr)?.pending.extend_from_slice(rest);
                Ok(done)
            }
        }
    }

    /// The next byte of a stream.
    pub(super) fn next_byte(&mut self, addr: u64) -> Result<Option<u8>, Stop> {
        let stream = self.stream(addr)?;
        if let Some(byte) = stream.pushed.pop() {
            return Ok(Some(byte));
        }
        let (fd, readable, waiting) = (stream.fd, stream.readable, !stream.pending.is_empty());
        if waiting {
            self.flush(addr)?;
        }
        let result = if readable { self.libc.files.read_byte(fd) } else { Err(super::errno::EBADF) };
        match result {
            Ok(Some(byte)) => Ok(Some(byte)),
            Ok(None) => {
                self.stream(addr)?.eof = true;
                Ok(None)
            }
            Err(error) => {
                self.stream(addr)?.error = true;
                self.set_errno(error)?;
                Ok(None)
            }
        }
    }

    /// Puts a byte back.
    pub(super) fn push_back(&mut self, addr: u64, byte: u8) -> Result<(), Stop> {
        let stream = self.stream(addr)?;
        stream.eof = false;
        stream.pushed.push(byte);
        Ok(())
    }

    /// Up to `count` bytes.
    pub(super) fn read_stream(&mut self, addr: u64, count: u64) -> Result<Vec<u8>, Stop> {
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < count && !self.stream(addr)?.pushed.is_empty() {
            bytes.extend(self.next_byte(addr)?);
        }
        let missing = count - bytes.len() as u64;
        if missing > 0 {
            // The first byte settles errors and pending output.
            let Some(first) = self.next_byte(addr)? else { return Ok(bytes) };
            bytes.push(first);
            let fd = self.stream(addr)?.fd;
            let rest = self.libc.files.read(fd, missing - 1).unwrap_or_default();
            if (rest.len() as u64) < missing - 1 {
                self.stream(addr)?.eof = true;
            }
            bytes.extend(rest);
        }
        Ok(bytes)
    }

    /// A line with its newline, at most `limit` bytes.
    pub(super) fn read_line(&mut self, addr: u64, limit: u64, end: u8) -> Result<Vec<u8>, Stop> {
        let mut line = Vec::new();
        while (line.len() as u64) < limit {
            let Some(byte) = self.next_byte(addr)? else { break };
            line.push(byte);
            if byte == end {
                break;
            }
        }
        Ok(line)
    }

    /// Where the stream stands in its file.
    pub(super) fn tell(&mut self, addr: u64) -> Result<Result<u64, i32>, Stop> {
        let stream = self.stream(addr)?;
        let (fd, back, ahead) = (stream.fd, stream.pushed.len() as u64, stream.pending.len() as u64);
        Ok(self.libc.files.position(fd).map(|at| (at + ahead).saturating_sub(back)))
    }
}
