//! The loop.

use super::arith::{self, compare_partial};
use super::code::{Op, Table, key};
use super::machine::{Machine, Stop};
use super::translate::Entry;
use super::value::Shape;
use crate::ir::{BinOp, CmpOp};

/// Integer arithmetic of at most 64 bits on canonical values; `None` for a bad division.
#[inline]
fn int_binary(op: BinOp, shape: Shape, a: u64, b: u64) -> Option<u64> {
    // x86 masks shift counts; a type narrower than `int` is shifted only where `int` is as narrow.
    let count = (b & if shape.bits > 32 { 63 } else { 31 }) as u32;
    let value = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::And => return Some(a & b),
        BinOp::Or => return Some(a | b),
        BinOp::Xor => return Some(a ^ b),
        BinOp::Shl => a << count,
        BinOp::Shr if shape.signed => return Some(((a as i64) >> count) as u64),
        BinOp::Shr => return Some(a >> count),
        BinOp::Div | BinOp::Rem => {
            if !shape.signed {
                return if op == BinOp::Div { a.checked_div(b) } else { a.checked_rem(b) };
            }
            let quotient = (a as i64).checked_div(b as i64)? as u64;
            if shape.wrap(quotient) != quotient {
                return None;
            }
            return Some(if op == BinOp::Div { quotient } else { ((a as i64) % (b as i64)) as u64 });
        }
    };
    Some(shape.wrap(value))
}

#[inline]
fn int_compare(op: CmpOp, signed: bool, a: u64, b: u64) -> u64 {
    u64::from(if signed { compare_partial(op, &(a as i64), &(b as i64)) } else { compare_partial(op, &a, &b) })
}

impl Machine<'_> {
    /// Runs the innermost frame until the frame above `floor` returns.
    pub(super) fn execute(&mut self, floor: usize) -> Result<u64, Stop> {
        let mut at = self.frame();
        let mut code = self.code_of(&at);
        let mut pc = at.pc as usize;
        let (mut base, mut frame) = (at.base, at.addr);
        macro_rules! get {
            ($src:expr) => {
                self.get($src, base, frame)
            };
        }
        macro_rules! set {
            ($dst:expr, $value:expr) => {{
                let value = $value;
                self.regs[base + $dst as usize] = value;
            }};
        }
        // An error must leave the frame's `pc` where it happened.
        macro_rules! stop {
            ($stop:expr) => {{
                let stop = $stop;
                if let Some(top) = self.frames.last_mut()
                    && top.serial == at.serial
                {
                    top.pc = pc as u32;
                }
                return Err(stop);
            }};
        }
        macro_rules! check {
            ($result:expr) => {
                match $result {
                    Ok(value) => value,
                    Err(fault) => stop!(Stop::Fault(fault)),
                }
            };
        }
        macro_rules! spend {
            ($cost:expr) => {{
                self.steps += u64::from($cost);
                if self.steps > self.max_steps {
                    stop!(Stop::Limit);
                }
            }};
        }
        // After a call or a return, another frame is the innermost.
        macro_rules! reload {
            () => {{
                at = self.frame();
                code = self.code_of(&at);
                pc = at.pc as usize;
                (base, frame) = (at.base, at.addr);
            }};
        }
        loop {
            let op = code.ops[pc];
            pc += 1;
            match op {
                Op::Move { dst, src } => set!(dst, get!(src)),
                Op::MoveMany { dst, src, slots } => {
                    let from = src.slot(base);
                    self.regs.copy_within(from..from + slots as usize, base + dst as usize);
                }
                Op::Int { op, shape, dst, a, b } => {
                    let Some(value) = int_binary(op, shape, get!(a), get!(b)) else { stop!(bad_division(get!(b))) };
                    set!(dst, value);
                }
                Op::Negate { shape, dst, a } => set!(dst, shape.wrap(get!(a).wrapping_neg())),
                Op::Complement { shape, dst, a } => set!(dst, shape.wrap(!get!(a))),
                Op::Compare { op, signed, dst, a, b } => set!(dst, int_compare(op, signed, get!(a), get!(b))),
                Op::Double { op, dst, a, b } => {
                    set!(dst, arith::double(op, f64::from_bits(get!(a)), f64::from_bits(get!(b))).to_bits());
                }
                Op::Single { op, dst, a, b } => {
                    let (a, b) = (f32::from_bits(get!(a) as u32), f32::from_bits(get!(b) as u32));
                    set!(dst, u64::from(arith::single(op, a, b).to_bits()));
                }
                Op::CompareDouble { op, dst, a, b } => {
                    let (a, b) = (f64::from_bits(get!(a)), f64::from_bits(get!(b)));
                    set!(dst, u64::from(compare_partial(op, &a, &b)));
                }
                Op::CompareSingle { op, dst, a, b } => {
                    let (a, b) = (f32::from_bits(get!(a) as u32), f32::from_bits(get!(b) as u32));
                    set!(dst, u64::from(compare_partial(op, &a, &b)));
                }
                Op::Wrap { shape, dst, a } => set!(dst, shape.wrap(get!(a))),
                Op::Truth { dst, a } => set!(dst, u64::from(get!(a) != 0)),
                Op::IntToDouble { signed, dst, a } => {
                    let a = get!(a);
                    set!(dst, if signed { a as i64 as f64 } else { a as f64 }.to_bits());
                }
                Op::Element { dst, base: from, index, stride } => {
                    set!(dst, get!(from).wrapping_add(get!(index).wrapping_mul(stride)));
                }
                Op::Offset { dst, base: from, offset } => set!(dst, get!(from).wrapping_add(offset)),
                Op::Difference { shape, dst, a, b, stride } => {
                    let bytes = shape.wrap(get!(a).wrapping_sub(get!(b))) as i64;
                    set!(dst, shape.wrap(bytes.wrapping_div(stride as i64) as u64));
                }
                Op::Load { shape, dst, addr } => {
                    let addr = get!(addr);
                    let raw = match shape.bits {
                        8 => self.memory.load::<1>(addr),
                        16 => self.memory.load::<2>(addr),
                        32 => self.memory.load::<4>(addr),
                        _ => self.memory.load::<8>(addr),
                    };
                    let raw = check!(raw);
                    set!(dst, shape.wrap(raw));
                }
                Op::Store { bytes, addr, value } => {
                    let (addr, value) = (get!(addr), get!(value));
                    check!(match bytes {
                        1 => self.memory.store::<1>(addr, value),
                        2 => self.memory.store::<2>(addr, value),
                        4 => self.memory.store::<4>(addr, value),
                        _ => self.memory.store::<8>(addr, value),
                    });
                }
                Op::LoadImage { dst, addr, bytes } => {
                    let source = check!(self.memory.slice(get!(addr), bytes));
                    let slot = base + dst as usize;
                    for (word, slot) in source.chunks(8).zip(&mut self.regs[slot..]) {
                        let mut full = [0; 8];
                        full[..word.len()].copy_from_slice(word);
                        *slot = u64::from_le_bytes(full);
                    }
                }
                Op::StoreImage { addr, value, bytes } => {
                    let target = check!(self.memory.slice_mut(get!(addr), bytes));
                    for (word, slot) in target.chunks_mut(8).zip(&self.regs[value.slot(base)..]) {
                        word.copy_from_slice(&slot.to_le_bytes()[..word.len()]);
                    }
                }
                Op::Slow(index) => {
                    if let Err(stop) = self.slow(&code.slow[index as usize], &at) {
                        stop!(stop);
                    }
                }
                Op::Call(index) => {
                    let site = &code.calls[index as usize];
                    if let Some(top) = self.frames.last_mut() {
                        top.pc = pc as u32;
                    }
                    let function = self.resolve(site.callee, &at)?;
                    let image = self.image;
                    match &image.functions[function] {
                        Entry::Code(callee) if site.plain => {
                            let first = self.push_frame(function, callee)?;
                            for ((src, _), (slot, class)) in site.args.iter().zip(&callee.layout.params) {
                                let Some(slot) = *slot else { continue };
                                let to = first + slot as usize;
                                match class.slots() {
                                    1 => self.regs[to] = get!(*src),
                                    n => {
                                        let from = src.slot(base);
                                        self.regs.copy_within(from..from + n as usize, to);
                                    }
                                }
                            }
                            reload!();
                        }
                        Entry::Code(_) => {
                            self.call(site, function)?;
                            reload!();
                        }
                        Entry::Builtin(_) | Entry::Missing(_) => {
                            self.call(site, function)?;
                        }
                    }
                }
                Op::Probe(index) => {
                    if let Err(stop) = self.probe(&code.probes[index as usize], &at) {
                        stop!(stop);
                    }
                }
                Op::Jump { cost, target } => {
                    spend!(cost);
                    pc = target as usize;
                }
                Op::Branch { cost, cond, then, otherwise } => {
                    spend!(cost);
                    pc = if get!(cond) == 0 { otherwise } else { then } as usize;
                }
                Op::Switch { cost, value, table } => {
                    spend!(cost);
                    let wide = self.get_two(value, &at);
                    pc = switch(&code.tables[table as usize], get!(value), wide[1]) as usize;
                }
                Op::Indirect { cost, addr, table } => {
                    spend!(cost);
                    let addr = get!(addr);
                    match &code.tables[table as usize] {
                        Table::Labels(targets) if targets.contains_key(&addr) => pc = targets[&addr] as usize,
                        _ => stop!(Stop::Trap(format!("goto to {addr:#x}, which is no label of the function"))),
                    }
                }
                Op::Return { cost, value, slots } => {
                    spend!(cost);
                    let (from, bias) = (value.slot(base), value.bias(frame));
                    self.pop_frame();
                    if self.frames.len() == floor {
                        return Ok(if slots == 0 { 0 } else { self.regs[from].wrapping_add(bias) });
                    }
                    self.return_to_caller(from, bias, slots, code.layout.result);
                    reload!();
                }
                Op::Unreachable => stop!(Stop::Trap("reached a place that is never reached".into())),
            }
        }
    }
}

#[cold]
fn bad_division(divisor: u64) -> Stop {
    Stop::Trap(if divisor == 0 { "division by zero" } else { "the quotient does not fit" }.into())
}

fn switch(table: &Table, value: u64, high: u64) -> u32 {
    match table {
        Table::Dense { signed, first, targets, default } => {
            let index = key(value, *signed).wrapping_sub(*first);
            targets.get(index as usize).copied().unwrap_or(*default)
        }
        Table::Sparse { signed, ranges, default } => {
            let value = key(value, *signed);
            let after = ranges.partition_point(|r| r.0 <= value);
            match after.checked_sub(1).map(|i| ranges[i]) {
                Some((_, last, target)) if value <= last => target,
                _ => *default,
            }
        }
        Table::Wide { signed, ranges, default } => {
            let value = (u128::from(value) | (u128::from(high) << 64)) ^ (u128::from(*signed) << 127);
            let after = ranges.partition_point(|r| r.0 <= value);
            match after.checked_sub(1).map(|i| ranges[i]) {
                Some((_, last, target)) if value <= last => target,
                _ => *default,
            }
        }
        Table::Labels(_) => 0,
    }
}
