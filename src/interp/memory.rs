//! The memory of the running program.
//!
//! One flat range of addresses: functions and labels, static objects, the stack, the heap. A pointer is its address, so every
//! pun that works on the machine works here: integers, unions, bytes copied one by one, tag bits, XOR lists. Beside each byte stands a
//! bit that says whether it belongs to a live object; objects are kept apart by gaps whose bits are clear, and freed memory is
//! reused late, so that accesses outside objects and after their end are found (those that leap over a gap into another object
//! are not).
//!
//! An access costs a subtraction, a test of the bits and the copy. Memory never written reads as zero, memory reused as what was there
//! before: the same in every run.

use std::collections::{BTreeMap, VecDeque};

use rustc_hash::FxHashMap;

use crate::source::DataModel;

/// An access outside all live objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fault {
    pub addr: u64,
    pub size: u64,
    pub write: bool,
}

/// Why no memory could be had.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoMemory {
    /// The address space ends here: `malloc` returns a null pointer.
    Exhausted,
    /// The run's own limit.
    Limit,
}

/// Why a block could not be freed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NotABlock;

#[derive(Clone, Copy, Debug)]
struct Block {
    /// As asked for.
    size: u64,
    /// With its gap.
    chunk: u64,
}

/// A block that was made, and whether the program asked for it; else it is the library's own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Made {
    pub addr: u64,
    pub size: u64,
    pub given: bool,
}

/// So much freed memory waits before it is used again.
const QUARANTINE: u64 = 1 << 20;
/// No single block is larger: what a request above it gets is a null pointer, as on a real machine.
const LARGEST: u64 = 1 << 33;
/// Frames and static objects start at multiples of this; it is what one word of `live` covers.
pub(super) const LINE: u64 = 64;

/// All memory.
#[derive(Debug)]
pub(super) struct Memory {
    base: u64,
    bytes: Vec<u8>,
    live: Vec<u64>,
    /// Offsets of the stack's ends.
    stack: (u64, u64),
    /// Offset where the heap goes on.
    heap_end: u64,
    /// Offset past the last address.
    space: u64,
    blocks: FxHashMap<u64, Block>,
    free: BTreeMap<u64, Vec<u64>>,
    waiting: VecDeque<(u64, u64)>,
    waiting_bytes: u64,
    gap: u64,
    /// Live bytes of heap and static objects.
    held: u64,
    limit: u64,
    /// The blocks made since they were last asked for, if somebody asks.
    log: Option<Vec<Made>>,
    pub big_endian: bool,
    pub pointer_size: u64,
}

fn round_up(value: u64, align: u64) -> u64 {
    value.div_ceil(align.max(1)) * align.max(1)
}

impl Memory {
    /// The address of offset 0: high where there is room, so that a pointer cut to 32 bits by mistake does not work by chance.
    pub fn base_of(model: &DataModel) -> u64 {
        match model.pointer_size {
            0..=2 => 0x400,
            3 | 4 => 0x1000_0000,
            _ => 0x5555_5540_0000,
        }
    }

    /// How many bytes static objects may take.
    pub fn statics_limit(model: &DataModel) -> u64 {
        match model.pointer_size {
            0..=2 => 0xa000,
            3 | 4 => 1 << 30,
            _ => 1 << 32,
        }
    }

    /// Memory whose first `statics` bytes are for functions and static objects; `limit` 0 is none.
    pub fn new(model: &DataModel, statics: u64, limit: u64) -> Memory {
        let base = Memory::base_of(model);
        let (stack, space) = match model.pointer_size {
            0..=2 => (1 << 14, (1 << 16) - base),
            3 | 4 => (1 << 24, (1 << 32) - base),
            // Address space only: variable-length arrays in a loop stay until their function returns.
            _ => (1 << 28, 1 << 40),
        };
        let start = round_up(statics + LINE, 4096.min(stack));
        let end = start + stack;
        Memory {
            base,
            bytes: vec![0; end as usize],
            live: vec![0; (end / LINE) as usize],
            stack: (start, end),
            heap_end: end,
            space,
            blocks: FxHashMap::default(),
            free: BTreeMap::new(),
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            gap: if model.pointer_size <= 2 { 2 } else { 16 },
            held: 0,
            limit: if limit == 0 { u64::MAX } else { limit },
            log: None,
            big_endian: model.big_endian,
            pointer_size: model.pointer_size,
        }
    }

    /// Marks a static object as live.
    pub fn add_static(&mut self, addr: u64, size: u64) {
        self.mark(addr - self.base, size, true);
        self.held += size;
    }

    /// Whether more than the limit is held, with `stack` bytes of stack.
    pub fn over_limit(&self, stack: u64) -> bool {
        self.held.saturating_add(stack) > self.limit
    }

    /// First address of the stack and the one past its last.
    pub fn stack_bounds(&self) -> (u64, u64) {
        (self.base + self.stack.0, self.base + self.stack.1)
    }

    fn mark(&mut self, from: u64, size: u64, alive: bool) {
        let (mut at, end) = (from, from + size);
        while at < end {
            let (word, bit) = ((at / LINE) as usize, at % LINE);
            let count = (LINE - bit).min(end - at);
            let mask = (u64::MAX >> (LINE - count)) << bit;
            if alive {
                self.live[word] |= mask;
            } else {
                self.live[word] &= !mask;
            }
            at += count;
        }
    }

    /// Makes the objects of a frame live: `masks` are the bits from `addr` on, which is a multiple of [`LINE`] in the stack.
    #[inline]
    pub fn enter_frame(&mut self, addr: u64, masks: &[u64]) {
        let first = ((addr - self.base) / LINE) as usize;
        self.live[first..first + masks.len()].copy_from_slice(masks);
    }

    /// Ends all objects of the stack from `from` up to `to`, both multiples of [`LINE`].
    #[inline]
    pub fn leave_frame(&mut self, from: u64, to: u64) {
        let (first, last) = (((from - self.base) / LINE) as usize, ((to - self.base) / LINE) as usize);
        self.live[first..last].fill(0);
    }

    /// Makes a stack object live.
    pub fn add_stack_object(&mut self, addr: u64, size: u64) {
        self.mark(addr - self.base, size, true);
    }

    /// The offset of an access of 1 to 8 bytes.
    #[inline]
    fn check_small(&self, addr: u64, size: u64, write: bool) -> Result<usize, Fault> {
        let offset = addr.wrapping_sub(self.base);
        let (word, bit) = (offset / LINE, offset % LINE);
        if bit + size <= LINE {
            let mask = (1 << size) - 1;
            if let Some(&bits) = self.live.get(word as usize)
                && (bits >> bit) & mask == mask
            {
                return Ok(offset as usize);
            }
            return Err(Fault { addr, size, write });
        }
        self.check(addr, size, write)
    }

    /// The offset of an access.
    pub fn check(&self, addr: u64, size: u64, write: bool) -> Result<usize, Fault> {
        let fault = Fault { addr, size, write };
        let offset = addr.wrapping_sub(self.base);
        if size == 0 {
            return Ok(offset.min(self.bytes.len() as u64) as usize);
        }
        let end = offset.checked_add(size).filter(|e| *e <= self.bytes.len() as u64).ok_or(fault)?;
        let mut at = offset;
        while at < end {
            let (word, bit) = ((at / LINE) as usize, at % LINE);
            let count = (LINE - bit).min(end - at);
            let mask = (u64::MAX >> (LINE - count)) << bit;
            if self.live[word] & mask != mask {
                return Err(fault);
            }
            at += count;
        }
        Ok(offset as usize)
    }

    /// Reads `N` bytes, 1 to 8, in little-endian order.
    #[inline]
    pub fn load<const N: usize>(&self, addr: u64) -> Result<u64, Fault> {
        let at = self.check_small(addr, N as u64, false)?;
        let mut word = [0; 8];
        word[..N].copy_from_slice(&self.bytes[at..at + N]);
        Ok(u64::from_le_bytes(word))
    }

    /// Writes the `N` low bytes of `value`, 1 to 8, in little-endian order.
    #[inline]
    pub fn store<const N: usize>(&mut self, addr: u64, value: u64) -> Result<(), Fault> {
        let at = self.check_small(addr, N as u64, true)?;
        self.bytes[at..at + N].copy_from_slice(&value.to_le_bytes()[..N]);
        Ok(())
    }

    /// Bytes to read.
    pub fn slice(&self, addr: u64, size: u64) -> Result<&[u8], Fault> {
        let at = self.check(addr, size, false)?;
        Ok(&self.bytes[at..at + size as usize])
    }

    /// Bytes to write.
    pub fn slice_mut(&mut self, addr: u64, size: u64) -> Result<&mut [u8], Fault> {
        let at = self.check(addr, size, true)?;
        Ok(&mut self.bytes[at..at + size as usize])
    }

    /// `memmove`
    pub fn copy(&mut self, to: u64, from: u64, size: u64) -> Result<(), Fault> {
        let source = self.check(from, size, false)?;
        let target = self.check(to, size, true)?;
        self.bytes.copy_within(source..source + size as usize, target);
        Ok(())
    }

    /// Up to 16 bytes, the first lowest.
    pub fn load_raw(&self, addr: u64, size: u64) -> Result<u128, Fault> {
        let mut raw = [0; 16];
        raw[..size as usize].copy_from_slice(self.slice(addr, size)?);
        Ok(u128::from_le_bytes(raw))
    }

    /// Writes up to 16 bytes, the first lowest.
    pub fn store_raw(&mut self, addr: u64, size: u64, raw: u128) -> Result<(), Fault> {
        self.slice_mut(addr, size)?.copy_from_slice(&raw.to_le_bytes()[..size as usize]);
        Ok(())
    }

    /// An unsigned integer of `size` bytes, at most 8, in the target's byte order.
    pub fn load_uint(&self, addr: u64, size: u64) -> Result<u64, Fault> {
        let raw = self.load_raw(addr, size)? as u64;
        Ok(if self.big_endian && size > 0 { raw.swap_bytes() >> (64 - size * 8) } else { raw })
    }

    /// Writes an integer of `size` bytes, at most 8, in the target's byte order.
    pub fn store_uint(&mut self, addr: u64, size: u64, value: u64) -> Result<(), Fault> {
        let raw = if self.big_endian && size > 0 { value.swap_bytes() >> (64 - size * 8) } else { value };
        self.store_raw(addr, size, u128::from(raw))
    }

    /// A pointer.
    pub fn load_pointer(&self, addr: u64) -> Result<u64, Fault> {
        self.load_uint(addr, self.pointer_size)
    }

    /// Writes a pointer.
    pub fn store_pointer(&mut self, addr: u64, value: u64) -> Result<(), Fault> {
        self.store_uint(addr, self.pointer_size, value)
    }

    /// How many bytes come before the first 0, at most `max`.
    pub fn string_length(&self, addr: u64, max: u64) -> Result<u64, Fault> {
        let mut length = 0;
        while length < max {
            let at = addr.wrapping_add(length);
            // The bytes up to the end of a line of live bits can be looked at together if all are live.
            let offset = at.wrapping_sub(self.base);
            let run = (LINE - offset % LINE).min(max - length);
            if let Ok(bytes) = self.slice(at, run) {
                if let Some(i) = bytes.iter().position(|b| *b == 0) {
                    return Ok(length + i as u64);
                }
                length += run;
            } else {
                if self.load::<1>(at)? == 0 {
                    return Ok(length);
                }
                length += 1;
            }
        }
        Ok(length)
    }

    /// The bytes of a C string without its 0.
    pub fn c_string(&self, addr: u64) -> Result<Vec<u8>, Fault> {
        let length = self.string_length(addr, u64::MAX)?;
        Ok(self.slice(addr, length)?.to_vec())
    }

    /// Writes a C string with its 0.
    pub fn put_c_string(&mut self, addr: u64, text: &[u8]) -> Result<(), Fault> {
        let target = self.slice_mut(addr, text.len() as u64 + 1)?;
        target[..text.len()].copy_from_slice(text);
        target[text.len()] = 0;
        Ok(())
    }

    /// A block of the heap.
    pub fn allocate(&mut self, size: u64, align: u64) -> Result<u64, NoMemory> {
        if size > LARGEST || align > 1 << 24 {
            return Err(NoMemory::Exhausted);
        }
        if self.held.saturating_add(size) > self.limit {
            return Err(NoMemory::Limit);
        }
        let align = align.max(16.min(self.gap));
        let chunk = round_up(size.max(1) + self.gap, self.gap);
        let (offset, chunk) = if let Some(reused) = self.reuse(chunk, align) {
            reused
        } else {
            let offset = round_up(self.base + self.heap_end, align) - self.base;
            let end = offset + chunk;
            if end > self.space {
                return Err(NoMemory::Exhausted);
            }
            self.grow(end)?;
            self.heap_end = end;
            (offset, chunk)
        };
        self.blocks.insert(self.base + offset, Block { size, chunk });
        self.held += size;
        self.mark(offset, size, true);
        if let Some(log) = &mut self.log {
            log.push(Made { addr: self.base + offset, size, given: false });
        }
        Ok(self.base + offset)
    }

    /// A freed chunk that fits without much waste.
    fn reuse(&mut self, chunk: u64, align: u64) -> Option<(u64, u64)> {
        let (&size, list) = self.free.range_mut(chunk..=chunk + chunk / 4).next()?;
        let offset = *list.last()?;
        if !(self.base + offset).is_multiple_of(align) {
            return None;
        }
        list.pop();
        if list.is_empty() {
            self.free.remove(&size);
        }
        Some((offset, size))
    }

    fn grow(&mut self, end: u64) -> Result<(), NoMemory> {
        let length = self.bytes.len() as u64;
        if end <= length {
            return Ok(());
        }
        let heap = length - self.stack.1;
        let wanted = round_up(end.max(self.stack.1 + (heap * 2).max(1 << 16)), LINE);
        let wanted = wanted.min(round_up(self.space, LINE)).max(round_up(end, LINE));
        self.bytes.try_reserve_exact((wanted - length) as usize).map_err(|_| NoMemory::Exhausted)?;
        self.bytes.resize(wanted as usize, 0);
        self.live.resize((wanted / LINE) as usize, 0);
        Ok(())
    }

    /// Ends a block of the heap.
    pub fn release(&mut self, addr: u64) -> Result<(), NotABlock> {
        let block = self.blocks.remove(&addr).ok_or(NotABlock)?;
        let offset = addr - self.base;
        self.mark(offset, block.size, false);
        self.held -= block.size;
        self.waiting.push_back((offset, block.chunk));
        self.waiting_bytes += block.chunk;
        while self.waiting_bytes > QUARANTINE {
            let Some((offset, chunk)) = self.waiting.pop_front() else { break };
            self.waiting_bytes -= chunk;
            self.free.entry(chunk).or_default().push(offset);
        }
        Ok(())
    }

    /// The size of a block of the heap, as asked for.
    pub fn block_size(&self, addr: u64) -> Option<u64> {
        self.blocks.get(&addr).map(|b| b.size)
    }

    /// Gives a block another size in place, if it has room.
    pub fn resize(&mut self, addr: u64, size: u64) -> bool {
        let Some(block) = self.blocks.get_mut(&addr) else { return false };
        if size > block.chunk.saturating_sub(self.gap) || self.held - block.size + size > self.limit {
            return false;
        }
        let old = std::mem::replace(&mut block.size, size);
        self.held = self.held - old + size;
        let offset = addr - self.base;
        self.mark(offset, old, false);
        self.mark(offset, size, true);
        // By C's rules it is another object.
        if let Some(log) = &mut self.log {
            log.push(Made { addr, size, given: true });
        }
        true
    }

    /// Remembers the blocks made from now on.
    pub fn log_allocations(&mut self) {
        self.log = Some(Vec::new());
    }

    /// The program asked for the block made last.
    pub fn give(&mut self) {
        if let Some(made) = self.log.as_mut().and_then(|log| log.last_mut()) {
            made.given = true;
        }
    }

    /// The blocks made since the last time.
    pub fn take_allocations(&mut self) -> Vec<Made> {
        self.log.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// A fault in words.
    pub fn describe(&self, fault: Fault) -> String {
        let verb = if fault.write { "write" } else { "read" };
        let offset = fault.addr.wrapping_sub(self.base);
        let (plural, size, addr) = (if fault.size == 1 { "" } else { "s" }, fault.size, fault.addr);
        let place = if addr < 0x400 {
            "through a null pointer"
        } else if offset < self.stack.0 {
            "outside any static object"
        } else if offset < self.stack.1 {
            "outside any live object of the stack"
        } else if offset < self.heap_end {
            "outside any live object of the heap"
        } else {
            "where no object is"
        };
        format!("{verb} of {size} byte{plural} at {addr:#x}, {place}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Memory {
        Memory::new(&DataModel::lp64(), 1024, 0)
    }

    #[test]
    fn accesses_outside_blocks_fault() {
        let mut m = memory();
        let a = m.allocate(10, 16).unwrap();
        let b = m.allocate(100, 64).unwrap();
        assert_eq!((a % 16, b % 64), (0, 0));
        m.store::<8>(a + 2, 0x1122_3344_5566_7788).unwrap();
        assert_eq!(m.load::<4>(a + 4), Ok(0x3344_5566));
        assert!(m.load::<8>(a + 3).is_err() && m.load::<1>(a.wrapping_sub(1)).is_err() && m.load::<1>(0).is_err());
        assert!(m.slice(b, 100).is_ok() && m.slice(b, 101).is_err() && m.slice(b, u64::MAX).is_err());
        m.release(a).unwrap();
        assert!(m.load::<1>(a).is_err());
        assert_eq!(m.release(a), Err(NotABlock));
    }

    #[test]
    fn strings_end_at_their_zero_and_at_their_object() {
        let mut m = memory();
        let a = m.allocate(200, 16).unwrap();
        m.slice_mut(a, 200).unwrap().fill(b'x');
        assert!(m.string_length(a, u64::MAX).is_err());
        assert_eq!(m.string_length(a, 77), Ok(77));
        m.store::<1>(a + 150, 0).unwrap();
        assert_eq!(m.string_length(a + 3, u64::MAX), Ok(147));
        assert_eq!(m.c_string(a + 148), Ok(b"xx".to_vec()));
    }

    #[test]
    fn freed_memory_is_reused_after_a_while() {
        let mut m = memory();
        let first = m.allocate(1000, 16).unwrap();
        m.release(first).unwrap();
        assert!((0..5000).any(|_| {
            let a = m.allocate(1000, 16).unwrap();
            m.release(a).unwrap();
            a == first
        }));
        assert!(m.bytes.len() < (1 << 28) + (1 << 23));
    }

    #[test]
    fn limits_hold() {
        let mut m = Memory::new(&DataModel::lp64(), 0, 1000);
        let a = m.allocate(900, 16).unwrap();
        assert_eq!(m.allocate(101, 16), Err(NoMemory::Limit));
        assert_eq!(m.allocate(u64::MAX, 16), Err(NoMemory::Exhausted));
        m.release(a).unwrap();
        assert!(m.allocate(1000, 16).is_ok());
        let small = DataModel { pointer_size: 2, ..DataModel::lp64() };
        let mut m = Memory::new(&small, 100, 0);
        let blocks = (0..10_000).take_while(|_| m.allocate(30, 2).is_ok()).count();
        assert!((1000..2000).contains(&blocks));
    }
}
