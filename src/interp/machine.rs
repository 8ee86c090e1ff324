//! The state of a run: registers, frames, calls and returns, long jumps.
//!
//! C calls do not recurse on the host's stack: frames are a vector. Only library functions that call back (`qsort`, `atexit`, …) run
//! a loop of their own, and those are limited in depth.

use rustc_hash::FxHashMap;

use super::arith;
use super::code::{CallSite, Code, Op, Src, Target};
use super::libc::{Args, Libc};
use super::memory::{Fault, LINE, Memory, NoMemory};
use super::translate::{Entry, Image};
use super::value::{Class, Scalar};
use super::watch::Watcher;
use crate::ir::{FuncId, Program};
use crate::source::Place;

/// Why the run, or the loop it is in, ends.
#[derive(Debug)]
pub(super) enum Stop {
    Exit(i32),
    Signal(i32),
    Trap(String),
    Fault(Fault),
    Limit,
    /// `longjmp` to the record with this number.
    Jump {
        id: u64,
        value: u64,
    },
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

impl From<NoMemory> for Stop {
    fn from(reason: NoMemory) -> Stop {
        match reason {
            NoMemory::Limit => Stop::Limit,
            NoMemory::Exhausted => Stop::Trap("out of memory".into()),
        }
    }
}

/// How many slots all frames together may have.
const MAX_REGISTERS: usize = 1 << 26;
/// Slots past the innermost frame that exist, so that a value of no slots may be read as one of two.
const SLACK: usize = 64;
/// How many frames there may be: more than a compiled program has on the usual 8 MiB of stack.
const MAX_FRAMES: usize = 1 << 18;
/// How deep library functions may call back into each other.
const MAX_NESTING: u32 = 100;
/// Bytes of an argument in the memory that `va_list`s point into, unless it is an aggregate.
pub(super) const VA_STEP: u64 = 16;

/// An activation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub function: FuncId,
    /// The next operation.
    pub pc: u32,
    /// First slot, and the one past the last.
    pub base: usize,
    pub top: usize,
    /// The frame's memory, `alloca`s included.
    pub addr: u64,
    pub end: u64,
    /// Where the variable arguments are.
    pub varargs: u64,
    /// Tells activations apart.
    pub serial: u64,
}

/// Where a `setjmp` returns to.
#[derive(Clone, Copy, Debug)]
struct JumpRecord {
    depth: usize,
    serial: u64,
    pc: u32,
}

/// All state of a run.
pub(super) struct Machine<'a> {
    pub program: &'a Program,
    pub image: &'a Image,
    pub memory: Memory,
    pub(super) regs: Vec<u64>,
    pub(super) frames: Vec<Frame>,
    pub steps: u64,
    pub max_steps: u64,
    serial: u64,
    jumps: FxHashMap<u64, JumpRecord>,
    next_jump: u64,
    jump_limit: usize,
    nesting: u32,
    /// Where the first error was.
    pub place: Option<Place>,
    spare: Vec<(Class, [u64; 2])>,
    pub libc: Libc,
    pub watcher: Option<Box<Watcher>>,
    /// New frames lie past this, and all that frames used if memory of the stack is not to be used twice.
    stack_used: u64,
    keep_used: u64,
}

impl<'a> Machine<'a> {
    pub fn new(program: &'a Program, image: &'a Image, memory: Memory, libc: Libc, max_steps: u64) -> Machine<'a> {
        Machine {
            program,
            image,
            memory,
            regs: image.consts.clone(),
            frames: Vec::new(),
            steps: 0,
            max_steps: if max_steps == 0 { u64::MAX } else { max_steps },
            serial: 0,
            jumps: FxHashMap::default(),
            next_jump: 1,
            jump_limit: 1024,
            nesting: 0,
            place: None,
            spare: Vec::new(),
            libc,
            watcher: None,
            stack_used: 0,
            keep_used: 0,
        }
    }

    /// Watches the run.
    pub fn set_watcher(&mut self, watcher: Watcher) {
        self.keep_used = if watcher.strict { u64::MAX } else { 0 };
        self.memory.log_allocations();
        self.watcher = Some(Box::new(watcher));
    }

    /// The value of an operand of one slot.
    #[inline]
    pub fn get(&self, src: Src, base: usize, frame: u64) -> u64 {
        self.regs[src.slot(base)].wrapping_add(src.bias(frame))
    }

    /// The first two slots of an operand.
    pub fn get_two(&self, src: Src, frame: &Frame) -> [u64; 2] {
        let slot = src.slot(frame.base);
        [self.get(src, frame.base, frame.addr), self.regs.get(slot + 1).copied().unwrap_or(0)]
    }

    /// The payload of a scalar operand.
    pub fn payload(&self, src: Src, scalar: Scalar, frame: &Frame) -> u128 {
        let [low, high] = self.get_two(src, frame);
        scalar.payload(low, if scalar.slots() > 1 { high } else { 0 })
    }

    /// Writes a scalar.
    pub fn set_payload(&mut self, dst: u32, scalar: Scalar, payload: u128, frame: &Frame) {
        let (low, high) = scalar.slots_of(payload);
        let slot = frame.base + dst as usize;
        self.regs[slot] = low;
        if scalar.slots() > 1 {
            self.regs[slot + 1] = high;
        }
    }

    /// All slots of an operand.
    pub fn slots(&self, src: Src, class: Class, frame: &Frame) -> Vec<u64> {
        if let Class::Scalar(scalar) = class {
            let two = self.get_two(src, frame);
            return two[..scalar.slots() as usize].to_vec();
        }
        let slot = src.slot(frame.base);
        let end = (slot + class.slots() as usize).min(self.regs.len());
        self.regs[slot.min(end)..end].to_vec()
    }

    /// Writes all slots of a value.
    pub fn set_slots(&mut self, dst: u32, value: &[u64], frame: &Frame) {
        let slot = frame.base + dst as usize;
        self.regs[slot..slot + value.len()].copy_from_slice(value);
    }

    /// The innermost frame; there is one whenever code runs.
    pub fn frame(&self) -> Frame {
        *self.frames.last().expect("code runs in a frame")
    }

    /// The code of a frame.
    pub fn code_of(&self, frame: &Frame) -> &'a Code {
        match &self.image.functions[frame.function] {
            Entry::Code(code) => code,
            Entry::Builtin(_) | Entry::Missing(_) => unreachable!("only functions with code have frames"),
        }
    }

    /// A new innermost frame. The caller's `pc` is already past the call.
    #[inline]
    pub(super) fn push_frame(&mut self, function: FuncId, code: &Code) -> Result<usize, Stop> {
        let (base, end) = match self.frames.last() {
            Some(frame) => (frame.top, frame.end),
            None => (self.image.consts.len(), self.memory.stack_bounds().0),
        };
        let layout = &code.layout;
        let end = end.max(self.stack_used);
        let addr = if layout.align > LINE { end.div_ceil(layout.align) * layout.align } else { end };
        let new_end = addr + layout.bytes;
        let (stack, limit) = self.memory.stack_bounds();
        let top = base + layout.slots as usize;
        if new_end > limit || top > MAX_REGISTERS || self.frames.len() >= MAX_FRAMES {
            return Err(Stop::Trap("stack overflow".into()));
        }
        if self.memory.over_limit(new_end - stack) {
            return Err(Stop::Limit);
        }
        if top + SLACK > self.regs.len() {
            self.regs.resize((top * 2).max(1 << 12), 0);
        }
        self.memory.enter_frame(addr, &layout.masks);
        self.serial += 1;
        let frame = Frame { function, pc: 0, base, top, addr, end: new_end, varargs: new_end, serial: self.serial };
        self.frames.push(frame);
        Ok(base)
    }

    /// Removes the innermost frame.
    #[inline]
    pub(super) fn pop_frame(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.stack_used = self.stack_used.max(frame.end & self.keep_used);
            self.memory.leave_frame(frame.addr, frame.end);
        }
    }

    /// Bytes at the end of the innermost frame.
    pub fn stack_allocate(&mut self, size: u64, align: u64) -> Result<u64, Stop> {
        let (stack, limit) = self.memory.stack_bounds();
        let frame = self.frames.last_mut().expect("code runs in a frame");
        let addr = frame.end.div_ceil(align.max(1)) * align.max(1);
        // The gap after it keeps it apart from the next.
        let end = (size <= limit - stack).then(|| (addr + size + 8).div_ceil(LINE) * LINE);
        match end {
            Some(end) if end <= limit => {
                frame.end = end;
                if self.memory.over_limit(end - stack) {
                    return Err(Stop::Limit);
                }
                self.memory.add_stack_object(addr, size);
                Ok(addr)
            }
            _ => Err(Stop::Trap("stack overflow".into())),
        }
    }

    /// The function an operand points to.
    pub(super) fn resolve(&self, target: Target, frame: &Frame) -> Result<FuncId, Stop> {
        match target {
            Target::Direct(f) => Ok(f),
            Target::Pointer(src) => self.function_at(self.get(src, frame.base, frame.addr)),
        }
    }

    /// The function at an address.
    pub fn function_at(&self, addr: u64) -> Result<FuncId, Stop> {
        match self.image.statics.function_at(addr) {
            Some(f) => Ok(self.image.statics.resolved[f]),
            None if addr == 0 => Err(Stop::Trap("call through a null pointer".into())),
            None => Err(Stop::Trap(format!("call of {addr:#x}, which is no function"))),
        }
    }

    /// A call that is not plain: arguments are converted, variable ones go to memory.
    pub(super) fn call(&mut self, site: &CallSite, function: FuncId) -> Result<(), Stop> {
        let frame = self.frame();
        let image = self.image;
        match &image.functions[function] {
            Entry::Code(code) => {
                let base = self.push_frame(function, code)?;
                let params = &code.layout.params;
                for (i, (slot, class)) in params.iter().enumerate() {
                    let Some(slot) = *slot else { continue };
                    let value = match site.args.get(i) {
                        Some((src, from)) => self.converted(*src, *from, *class, &frame),
                        None => vec![0; class.slots() as usize],
                    };
                    let at = base + slot as usize;
                    self.regs[at..at + value.len()].copy_from_slice(&value);
                }
                if code.layout.variadic {
                    self.pass_variable(site.args.get(params.len()..).unwrap_or(&[]), &frame)?;
                }
                Ok(())
            }
            Entry::Builtin(builtin) => {
                let mut list = std::mem::take(&mut self.spare);
                list.clear();
                list.extend(site.args.iter().map(|(src, class)| (*class, self.get_two(*src, &frame))));
                let result = builtin(self, &Args::new(&list, site.result));
                self.spare = list;
                let (low, high) = result?;
                self.set_result(site, low, high);
                Ok(())
            }
            Entry::Missing(name) => Err(Stop::Trap(format!("{name} is not defined and not modelled"))),
        }
    }

    fn converted(&self, src: Src, from: Class, to: Class, frame: &Frame) -> Vec<u64> {
        let value = self.slots(src, from, frame);
        if from == to { value } else { arith::cast_value(from, to, &value, self.memory.big_endian) }
    }

    /// Writes variable arguments to the innermost frame's memory.
    fn pass_variable(&mut self, args: &[(Src, Class)], caller: &Frame) -> Result<(), Stop> {
        let size: u64 = args.iter().map(|(_, class)| va_size(*class)).sum();
        let mut at = self.stack_allocate(size, VA_STEP)?;
        if let Some(frame) = self.frames.last_mut() {
            frame.varargs = at;
        }
        for (src, class) in args {
            let slots = self.slots(*src, *class, caller);
            for (i, slot) in slots.iter().enumerate() {
                self.memory.store::<8>(at + 8 * i as u64, *slot)?;
            }
            at += va_size(*class);
        }
        Ok(())
    }

    /// Writes the result of a library function.
    fn set_result(&mut self, site: &CallSite, low: u64, high: u64) {
        let frame = self.frame();
        let slot = frame.base + site.dst as usize;
        match site.result {
            Class::Void => {}
            Class::Scalar(scalar) => {
                let payload = u128::from(low) | (u128::from(high) << 64);
                self.set_payload(site.dst, scalar, payload, &frame);
            }
            class @ (Class::Complex { .. } | Class::Vector { .. } | Class::Bytes(_)) => {
                for i in 0..class.slots() as usize {
                    self.regs[slot + i] = [low, high].get(i).copied().unwrap_or(0);
                }
            }
        }
    }

    /// Leaves the innermost frame with the value in `slots` slots from `from` on. In the caller, it goes where the call says.
    pub(super) fn return_to_caller(&mut self, from: usize, bias: u64, slots: u32, result: Option<Class>) {
        let Some(caller) = self.frames.last().copied() else { return };
        let code = self.code_of(&caller);
        let Some(Op::Call(index)) = code.ops.get(caller.pc as usize - 1) else { return };
        let site = &code.calls[*index as usize];
        let class = result.unwrap_or(Class::Void);
        let to = caller.base + site.dst as usize;
        if site.result == class {
            match slots {
                0 => {}
                1 => self.regs[to] = self.regs[from].wrapping_add(bias),
                _ => self.regs.copy_within(from..from + slots as usize, to),
            }
        } else if site.result != Class::Void {
            let mut value: Vec<u64> = self.regs[from..from + slots as usize].to_vec();
            if let Some(first) = value.first_mut() {
                *first = first.wrapping_add(bias);
            }
            let class = if slots == 0 { Class::Void } else { class };
            let value = arith::cast_value(class, site.result, &value, self.memory.big_endian);
            self.set_slots(site.dst, &value, &caller);
        }
    }

    /// Calls a function of the program, or a library one, from a library function. Arguments are scalars of one slot.
    pub fn call_back(&mut self, addr: u64, args: &[(Class, u64)]) -> Result<u64, Stop> {
        let function = self.function_at(addr)?;
        let image = self.image;
        // A loop of the library over a function of the library must end too.
        self.steps += 1;
        if self.steps > self.max_steps {
            return Err(Stop::Limit);
        }
        match &image.functions[function] {
            Entry::Code(code) => {
                if self.nesting >= MAX_NESTING {
                    return Err(Stop::Trap("stack overflow: too many nested calls from the library".into()));
                }
                let floor = self.frames.len();
                let base = self.push_frame(function, code)?;
                for (i, (slot, class)) in code.layout.params.iter().enumerate() {
                    let Some(slot) = *slot else { continue };
                    let value = match args.get(i) {
                        Some((from, value)) => arith::cast_value(*from, *class, &[*value], self.memory.big_endian),
                        None => vec![0; class.slots() as usize],
                    };
                    let at = base + slot as usize;
                    self.regs[at..at + value.len()].copy_from_slice(&value);
                }
                self.nesting += 1;
                let result = self.run(floor);
                self.nesting -= 1;
                result
            }
            Entry::Builtin(builtin) => {
                let list: Vec<(Class, [u64; 2])> = args.iter().map(|(class, v)| (*class, [*v, 0])).collect();
                Ok(builtin(self, &Args::new(&list, Class::Void))?.0)
            }
            Entry::Missing(name) => Err(Stop::Trap(format!("{name} is not defined and not modelled"))),
        }
    }

    /// Runs until the frame above `floor` returns; the answer is the first slot of what it returns.
    pub fn run(&mut self, floor: usize) -> Result<u64, Stop> {
        loop {
            match self.execute(floor) {
                Err(Stop::Jump { id, value }) => match self.jumps.get(&id) {
                    Some(record) if record.depth >= floor => self.land(*record, value),
                    _ => return Err(Stop::Jump { id, value }),
                },
                Ok(value) => return Ok(value),
                Err(stop) => {
                    if self.place.is_none()
                        && let Some(frame) = self.frames.last()
                    {
                        let places = &self.code_of(frame).places;
                        self.place = places.get((frame.pc as usize).saturating_sub(1)).copied();
                    }
                    return Err(stop);
                }
            }
        }
    }

    /// `setjmp`: the number of a record of where the current call returns to.
    pub fn record_jump(&mut self) -> u64 {
        let Some(frame) = self.frames.last() else { return 0 };
        let record = JumpRecord { depth: self.frames.len() - 1, serial: frame.serial, pc: frame.pc };
        if self.jumps.len() >= self.jump_limit {
            let frames = &self.frames;
            self.jumps.retain(|_, r| frames.get(r.depth).is_some_and(|f| f.serial == r.serial));
            self.jump_limit = (self.jumps.len() * 2).max(1024);
        }
        let id = self.next_jump;
        self.next_jump += 1;
        self.jumps.insert(id, record);
        id
    }

    /// `longjmp`: whether the record's frame is still there.
    pub fn can_jump(&self, id: u64) -> bool {
        let record = self.jumps.get(&id);
        record.is_some_and(|r| self.frames.get(r.depth).is_some_and(|f| f.serial == r.serial))
    }

    fn land(&mut self, record: JumpRecord, value: u64) {
        while self.frames.len() > record.depth + 1 {
            self.pop_frame();
        }
        let Some(frame) = self.frames.last_mut() else { return };
        frame.pc = record.pc;
        let frame = *frame;
        let code = self.code_of(&frame);
        if let Some(Op::Call(index)) = code.ops.get(record.pc as usize - 1) {
            self.set_result(&code.calls[*index as usize], value, 0);
        }
    }
}

/// Bytes of a variable argument.
pub(super) fn va_size(class: Class) -> u64 {
    (u64::from(class.slots()) * 8).div_ceil(VA_STEP).max(1) * VA_STEP
}
