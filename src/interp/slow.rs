//! Operations off the fast path: wide and odd types, bit-fields, variable arguments, `alloca`, intrinsics.

use super::arith;
use super::code::{Slow, Src};
use super::machine::{Frame, Machine, Stop, va_size};
use super::processor;
use super::value::{Class, Scalar, image_read, image_write};
use crate::ir::{BinOp, Bits, CmpOp, Intrinsic, UnOp};

/// A lane of a vector, as a payload.
fn lane(image: &[u64], scalar: Scalar, index: u64, big: bool) -> u128 {
    let (low, high) = scalar.decode(image_read(image, index * scalar.bytes(), scalar.bytes()), big);
    scalar.payload(low, high)
}

fn set_lane(image: &mut [u64], scalar: Scalar, index: u64, payload: u128, big: bool) {
    let (low, high) = scalar.slots_of(payload);
    image_write(image, index * scalar.bytes(), scalar.bytes(), scalar.encode(low, high, big));
}

fn not_modelled(what: &str) -> Stop {
    Stop::Trap(format!("{what} on operands of these types is not modelled"))
}

impl Machine<'_> {
    pub(super) fn slow(&mut self, slow: &Slow, frame: &Frame) -> Result<(), Stop> {
        let big = self.memory.big_endian;
        let get = |m: &Machine, src: Src| m.get(src, frame.base, frame.addr);
        match slow {
            Slow::Unary { op, class, dst, a } => self.unary(*op, *class, *dst, *a, frame)?,
            Slow::Binary { op, class, right, dst, a, b } => {
                self.binary(*op, *class, *right, *dst, (*a, *b), frame)?;
            }
            Slow::Compare { op, class, result, dst, a, b } => {
                self.compare(*op, *class, *result, *dst, (*a, *b), frame)?;
            }
            Slow::Cast { from, to, dst, a } => {
                let value = self.slots(*a, *from, frame);
                let value = arith::cast_value(*from, *to, &value, big);
                self.set_slots(*dst, &value, frame);
            }
            Slow::Load { scalar, dst, addr } => {
                let raw = self.memory.load_raw(get(self, *addr), scalar.bytes())?;
                let (low, high) = scalar.decode(raw, big);
                self.set_payload(*dst, *scalar, scalar.payload(low, high), frame);
            }
            Slow::Store { scalar, addr, value } => {
                let payload = self.payload(*value, *scalar, frame);
                let raw = scalar.encode(payload as u64, (payload >> 64) as u64, big);
                self.memory.store_raw(get(self, *addr), scalar.bytes(), raw)?;
            }
            Slow::LoadBits { scalar, bits, dst, addr } => {
                let bytes = self.memory.slice(get(self, *addr), bits.bytes())?;
                let value = bits_read(bytes, *bits, big);
                let width = u32::from(bits.width);
                let value = crate::ir::fold::wrap(value as i128, width, scalar.signed());
                self.set_payload(*dst, *scalar, value as u128, frame);
            }
            Slow::StoreBits { scalar, bits, addr, value } => {
                let payload = self.payload(*value, *scalar, frame);
                let addr = get(self, *addr);
                bits_write(self.memory.slice_mut(addr, bits.bytes())?, *bits, payload, big);
            }
            Slow::VaStart { list } => {
                let list = get(self, *list);
                self.memory.store_pointer(list, frame.varargs)?;
            }
            Slow::VaArg { class, dst, list } => {
                let list = get(self, *list);
                let value = self.next_variable(list, *class)?;
                self.set_slots(*dst, &value, frame);
            }
            Slow::VaCopy { to, from } => {
                let (to, from) = (get(self, *to), get(self, *from));
                let at = self.memory.load_pointer(from)?;
                self.memory.store_pointer(to, at)?;
            }
            Slow::Alloca { dst, size, align } => {
                let addr = self.stack_allocate(get(self, *size), (*align).max(16))?;
                self.regs[frame.base + *dst as usize] = addr;
            }
            Slow::Intrinsic { which, overflow, class, dst, args } => {
                self.intrinsic(*which, *overflow, *class, *dst, args, frame)?;
            }
            Slow::Trap(message) => return Err(Stop::Trap(message.clone())),
        }
        Ok(())
    }

    /// The next variable argument of the list at `list`, as a value of `class`.
    pub fn next_variable(&mut self, list: u64, class: Class) -> Result<Vec<u64>, Stop> {
        let at = self.memory.load_pointer(list)?;
        let missing = || Stop::Trap("va_arg, but there are no more arguments".into());
        let mut value = Vec::with_capacity(class.slots() as usize);
        for i in 0..u64::from(class.slots()) {
            value.push(self.memory.load::<8>(at.wrapping_add(8 * i)).map_err(|_| missing())?);
        }
        self.memory.store_pointer(list, at.wrapping_add(va_size(class)))?;
        if let (Class::Scalar(scalar), Some(first)) = (class, value.first_mut()) {
            // An argument of another integer type is read as this one.
            *first = scalar.slots_of(u128::from(*first)).0;
        }
        Ok(value)
    }

    fn unary(&mut self, op: UnOp, class: Class, dst: u32, a: Src, frame: &Frame) -> Result<(), Stop> {
        let big = self.memory.big_endian;
        match class {
            Class::Scalar(scalar) => {
                let value = arith::unary(scalar, op, self.payload(a, scalar, frame));
                self.set_payload(dst, scalar, value, frame);
            }
            Class::Complex { format, stride } => {
                let mut value = self.slots(a, class, frame);
                let [re, im] = [0, 1].map(|i| arith::part(&value, format, stride, i, big));
                let negate = |p| arith::unary(Scalar::Float(format), UnOp::Neg, p);
                let re = if op == UnOp::Neg { negate(re) } else { re };
                arith::set_parts(&mut value, format, stride, (re, negate(im)), big);
                self.set_slots(dst, &value, frame);
            }
            Class::Vector { lane: scalar, lanes } => {
                let mut value = self.slots(a, class, frame);
                for i in 0..u64::from(lanes) {
                    let result = arith::unary(scalar, op, lane(&value, scalar, i, big));
                    set_lane(&mut value, scalar, i, result, big);
                }
                self.set_slots(dst, &value, frame);
            }
            Class::Void | Class::Bytes(_) => return Err(not_modelled("arithmetic")),
        }
        Ok(())
    }

    fn binary(
        &mut self,
        op: BinOp,
        class: Class,
        right: Class,
        dst: u32,
        (a, b): (Src, Src),
        frame: &Frame,
    ) -> Result<(), Stop> {
        let big = self.memory.big_endian;
        let bad = |_| Stop::Trap("division by zero".into());
        match (class, right) {
            (Class::Scalar(scalar), Class::Scalar(other)) => {
                let (a, b) = (self.payload(a, scalar, frame), self.payload(b, other, frame));
                let value = arith::binary(scalar, op, a, b).map_err(bad)?;
                self.set_payload(dst, scalar, value, frame);
            }
            (Class::Complex { format, stride }, Class::Complex { .. }) => {
                let (mut x, y) = (self.slots(a, class, frame), self.slots(b, right, frame));
                let parts =
                    |v: &[u64]| (arith::part(v, format, stride, 0, big), arith::part(v, format, stride, 1, big));
                let value = arith::complex_binary(format, op, parts(&x), parts(&y));
                arith::set_parts(&mut x, format, stride, value, big);
                self.set_slots(dst, &x, frame);
            }
            (Class::Vector { lane: scalar, lanes }, Class::Vector { .. }) => {
                let (mut x, y) = (self.slots(a, class, frame), self.slots(b, right, frame));
                for i in 0..u64::from(lanes) {
                    let (p, q) = (lane(&x, scalar, i, big), lane(&y, scalar, i, big));
                    set_lane(&mut x, scalar, i, arith::binary(scalar, op, p, q).map_err(bad)?, big);
                }
                self.set_slots(dst, &x, frame);
            }
            _ => return Err(not_modelled("arithmetic")),
        }
        Ok(())
    }

    fn compare(
        &mut self,
        op: CmpOp,
        class: Class,
        result: Class,
        dst: u32,
        (a, b): (Src, Src),
        frame: &Frame,
    ) -> Result<(), Stop> {
        let big = self.memory.big_endian;
        match (class, result) {
            (Class::Scalar(scalar), Class::Scalar(target)) => {
                let (a, b) = (self.payload(a, scalar, frame), self.payload(b, scalar, frame));
                self.set_payload(dst, target, u128::from(arith::compare(scalar, op, a, b)), frame);
            }
            (Class::Complex { format, stride }, Class::Scalar(target)) => {
                let (x, y) = (self.slots(a, class, frame), self.slots(b, class, frame));
                let equal = (0..2).all(|i| {
                    let parts = [&x, &y].map(|v| arith::part(v, format, stride, i, big));
                    arith::compare(Scalar::Float(format), CmpOp::Eq, parts[0], parts[1])
                });
                self.set_payload(dst, target, u128::from(equal == (op == CmpOp::Eq)), frame);
            }
            (Class::Vector { lane: scalar, lanes }, Class::Vector { lane: target, .. }) => {
                let (x, y) = (self.slots(a, class, frame), self.slots(b, class, frame));
                let mut out = vec![0; result.slots() as usize];
                for i in 0..u64::from(lanes) {
                    let truth = arith::compare(scalar, op, lane(&x, scalar, i, big), lane(&y, scalar, i, big));
                    set_lane(&mut out, target, i, if truth { u128::MAX } else { 0 }, big);
                }
                self.set_slots(dst, &out, frame);
            }
            _ => return Err(not_modelled("comparison")),
        }
        Ok(())
    }

    fn intrinsic(
        &mut self,
        which: Intrinsic,
        overflow: Option<Scalar>,
        class: Class,
        dst: u32,
        args: &[(Src, Class)],
        frame: &Frame,
    ) -> Result<(), Stop> {
        let big = self.memory.big_endian;
        let Some(&(first, first_class)) = args.first() else {
            // `__builtin_frame_address`
            let value = arith::cast_value(Class::pointer(&self.program.types.model), class, &[frame.addr], big);
            self.set_slots(dst, &value, frame);
            return Ok(());
        };
        match which {
            Intrinsic::Clz
            | Intrinsic::Ctz
            | Intrinsic::Clrsb
            | Intrinsic::Popcount
            | Intrinsic::Parity
            | Intrinsic::Ffs
            | Intrinsic::Bswap => {
                let (Class::Scalar(scalar), Class::Scalar(target)) = (first_class, class) else {
                    return Err(not_modelled("a bit count"));
                };
                let value = count_bits(which, self.payload(first, scalar, frame), scalar.width(), target.width());
                self.set_payload(dst, target, value, frame);
            }
            Intrinsic::Overflows(op, _) => {
                let (Some(limit), Class::Scalar(target)) = (overflow, class) else {
                    return Err(not_modelled("an overflow check"));
                };
                let mut operands = [(0, false); 2];
                for (slot, (src, class)) in operands.iter_mut().zip(args) {
                    let Class::Scalar(scalar) = *class else { return Err(not_modelled("an overflow check")) };
                    let payload = self.payload(*src, scalar, frame);
                    *slot = (payload, scalar != Scalar::Wide(false) && (payload as i128) < 0);
                }
                let fits = exact_fits(op, operands[0], operands[1], limit);
                self.set_payload(dst, target, u128::from(!fits), frame);
            }
            Intrinsic::SignBit => {
                let (Class::Scalar(scalar), Class::Scalar(target)) = (first_class, class) else {
                    return Err(not_modelled("signbit"));
                };
                let sign = self.payload(first, scalar, frame) >> (scalar.width() - 1) & 1;
                self.set_payload(dst, target, sign, frame);
            }
            Intrinsic::Real | Intrinsic::Imag => {
                let (Class::Complex { format, stride }, Class::Scalar(target)) = (first_class, class) else {
                    return Err(not_modelled("a part of a complex number"));
                };
                let value = self.slots(first, first_class, frame);
                let index = u64::from(which == Intrinsic::Imag);
                let part = arith::part(&value, format, stride, index, big);
                self.set_payload(dst, target, part, frame);
            }
            Intrinsic::Complex => {
                let Class::Complex { format, stride } = class else { return Err(not_modelled("a complex number")) };
                let mut parts = [0; 2];
                for (part, (src, class)) in parts.iter_mut().zip(args) {
                    let Class::Scalar(scalar) = *class else { return Err(not_modelled("a complex number")) };
                    *part = arith::cast(scalar, Scalar::Float(format), self.payload(*src, scalar, frame));
                }
                let mut out = vec![0; class.slots() as usize];
                arith::set_parts(&mut out, format, stride, (parts[0], parts[1]), big);
                self.set_slots(dst, &out, frame);
            }
            Intrinsic::FrameAddress => {
                let value = arith::cast_value(Class::pointer(&self.program.types.model), class, &[frame.addr], big);
                self.set_slots(dst, &value, frame);
            }
            Intrinsic::Shuffle | Intrinsic::ConvertVector | Intrinsic::Splat => {
                let values: Vec<(Vec<u64>, Class)> =
                    args.iter().map(|(src, class)| (self.slots(*src, *class, frame), *class)).collect();
                let out = vector_intrinsic(which, class, &values, big).ok_or_else(|| not_modelled("a shuffle"))?;
                self.set_slots(dst, &out, frame);
            }
            Intrinsic::Machine(op) => {
                let operands: Vec<u128> = args
                    .iter()
                    .map(|(src, class)| match self.slots(*src, *class, frame).as_slice() {
                        [low, high, ..] => u128::from(*low) | u128::from(*high) << 64,
                        [only] => u128::from(*only),
                        [] => 0,
                    })
                    .collect();
                let value = processor::compute(op, &operands);
                self.set_slots(dst, &[value as u64, (value >> 64) as u64], frame);
            }
        }
        Ok(())
    }
}

fn vector_intrinsic(which: Intrinsic, class: Class, args: &[(Vec<u64>, Class)], big: bool) -> Option<Vec<u64>> {
    let Class::Vector { lane: target, lanes } = class else { return None };
    let mut out = vec![0; class.slots() as usize];
    let (first, first_class) = args.first()?;
    for i in 0..u64::from(lanes) {
        let payload = match (which, *first_class) {
            (Intrinsic::Splat, Class::Scalar(scalar)) => {
                let high = first.get(1).copied().unwrap_or(0);
                arith::cast(scalar, target, scalar.payload(*first.first()?, high))
            }
            (Intrinsic::ConvertVector, Class::Vector { lane: scalar, .. }) => {
                arith::cast(scalar, target, lane(first, scalar, i, big))
            }
            (Intrinsic::Shuffle, Class::Vector { lanes: count, .. }) => {
                let (mask, mask_class) = args.last()?;
                let Class::Vector { lane: index, .. } = *mask_class else { return None };
                let count = u64::from(count);
                let sources = args.len() as u64 - 1;
                let at = lane(mask, index, i, big) as u64 % (count * sources).max(1);
                let (source, source_class) = args.get((at / count) as usize)?;
                let Class::Vector { lane: scalar, .. } = *source_class else { return None };
                lane(source, scalar, at % count, big)
            }
            _ => return None,
        };
        set_lane(&mut out, target, i, payload, big);
    }
    Some(out)
}

fn count_bits(which: Intrinsic, payload: u128, width: u32, target: u32) -> u128 {
    let bits = if width >= 128 { payload } else { payload & ((1 << width) - 1) };
    let zeros = bits.leading_zeros() - (128 - width);
    let count = match which {
        Intrinsic::Clz => zeros,
        Intrinsic::Ctz => bits.trailing_zeros().min(width),
        Intrinsic::Clrsb => {
            let negative = bits >> (width - 1) & 1 == 1;
            let other = if negative { !bits & (u128::MAX >> (128 - width)) } else { bits };
            other.leading_zeros() - (128 - width) - 1
        }
        Intrinsic::Popcount => bits.count_ones(),
        Intrinsic::Parity => bits.count_ones() & 1,
        Intrinsic::Ffs => {
            if bits == 0 {
                0
            } else {
                bits.trailing_zeros() + 1
            }
        }
        _ => return bits.swap_bytes() >> (128 - target),
    };
    u128::from(count)
}

/// Whether the exact result fits; operands are magnitudes modulo 2^128 with their sign.
fn exact_fits(op: BinOp, a: (u128, bool), b: (u128, bool), limit: Scalar) -> bool {
    let magnitude = |(payload, negative): (u128, bool)| if negative { payload.wrapping_neg() } else { payload };
    let (x, y) = (magnitude(a), magnitude(b));
    // The result as a sign and a magnitude; `None` if that exceeds 128 bits, which nothing holds.
    let result = match op {
        BinOp::Mul => x.checked_mul(y).map(|m| (m, a.1 != b.1)),
        BinOp::Add | BinOp::Sub => {
            let negative = b.1 != (op == BinOp::Sub);
            if a.1 == negative {
                x.checked_add(y).map(|m| (m, a.1))
            } else if x >= y {
                Some((x - y, a.1))
            } else {
                Some((y - x, negative))
            }
        }
        BinOp::Div | BinOp::Rem | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr => return true,
    };
    let Some((magnitude, negative)) = result else { return false };
    let width = if limit == Scalar::Bool { 1 } else { limit.width() };
    let most = if limit.signed() { (1u128 << (width - 1)) - 1 } else { u128::MAX >> (128 - width) };
    match (negative && magnitude > 0, limit.signed()) {
        (true, true) => magnitude <= most + 1,
        (true, false) => false,
        (false, _) => magnitude <= most,
    }
}

/// The bits of a bit-field from the bytes that hold it.
fn bits_read(bytes: &[u8], bits: Bits, big: bool) -> u128 {
    let (offset, width) = (u32::from(bits.offset), u32::from(bits.width));
    if bytes.len() > 16 {
        // More than 128 bits are touched: bit by bit, most significant first.
        let mut value = 0;
        for i in 0..width {
            let at = if big { offset + i } else { offset + width - 1 - i };
            value = (value << 1) | u128::from(bit_at(bytes, at, big));
        }
        return value;
    }
    let mut raw = [0; 16];
    raw[..bytes.len()].copy_from_slice(bytes);
    let mask = u128::MAX >> (128 - width);
    if big {
        (u128::from_be_bytes(raw) >> (128 - offset - width)) & mask
    } else {
        (u128::from_le_bytes(raw) >> offset) & mask
    }
}

fn bits_write(bytes: &mut [u8], bits: Bits, value: u128, big: bool) {
    let (offset, width) = (u32::from(bits.offset), u32::from(bits.width));
    if bytes.len() > 16 {
        for i in 0..width {
            let at = if big { offset + width - 1 - i } else { offset + i };
            let shift = if big { 7 - at % 8 } else { at % 8 };
            let byte = &mut bytes[(at / 8) as usize];
            *byte = (*byte & !(1 << shift)) | (((value >> i) as u8 & 1) << shift);
        }
        return;
    }
    let mut raw = [0; 16];
    raw[..bytes.len()].copy_from_slice(bytes);
    let mask = u128::MAX >> (128 - width);
    let shift = if big { 128 - offset - width } else { offset };
    let old = if big { u128::from_be_bytes(raw) } else { u128::from_le_bytes(raw) };
    let new = (old & !(mask << shift)) | ((value & mask) << shift);
    let raw = if big { new.to_be_bytes() } else { new.to_le_bytes() };
    bytes.copy_from_slice(&raw[..bytes.len()]);
}

fn bit_at(bytes: &[u8], at: u32, big: bool) -> bool {
    let shift = if big { 7 - at % 8 } else { at % 8 };
    bytes[(at / 8) as usize] >> shift & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::super::value::Shape;
    use super::*;

    #[test]
    fn bit_fields_are_where_the_byte_order_puts_them() {
        for big in [false, true] {
            for (offset, width) in [(0, 1), (3, 5), (7, 2), (5, 64), (1, 120), (7, 128), (0, 128), (4, 125)] {
                let bits = Bits { offset, width };
                let value = 0x0123_4567_89ab_cdef_1122_3344_5566_7788_u128 & (u128::MAX >> (128 - u32::from(width)));
                let mut bytes = vec![0xa5; bits.bytes() as usize];
                bits_write(&mut bytes, bits, value, big);
                assert_eq!(bits_read(&bytes, bits, big), value, "{offset} {width} {big}");
                // Bits around the field stay.
                let mut cleared = bytes.clone();
                bits_write(&mut cleared, bits, 0, big);
                let mut expected = vec![0xa5; bytes.len()];
                bits_write(&mut expected, bits, 0, big);
                assert_eq!(cleared, expected);
            }
        }
        // struct { int a : 4; int b : 12; } on x86-64: b = 0xabc has bytes 0xc?, 0xab.
        let mut bytes = [0; 2];
        bits_write(&mut bytes, Bits { offset: 4, width: 12 }, 0xabc, false);
        assert_eq!(bytes, [0xc0, 0xab]);
        bits_write(&mut bytes, Bits { offset: 4, width: 12 }, 0xabc, true);
        assert_eq!(bytes, [0xca, 0xbc]);
    }

    #[test]
    fn overflow_is_of_the_exact_result() {
        let int = Scalar::Int(Shape { bits: 32, signed: true });
        let uint = Scalar::Int(Shape { bits: 32, signed: false });
        let p = |v: i128| (v as u128, v < 0);
        assert!(exact_fits(BinOp::Add, p(i128::from(i32::MAX)), p(0), int));
        assert!(!exact_fits(BinOp::Add, p(i128::from(i32::MAX)), p(1), int));
        assert!(exact_fits(BinOp::Sub, p(i128::from(i32::MIN) + 1), p(1), int));
        assert!(!exact_fits(BinOp::Sub, p(0), p(1), uint));
        assert!(!exact_fits(BinOp::Mul, p(1 << 100), p(1 << 100), Scalar::Wide(false)));
        assert!(exact_fits(BinOp::Mul, p(-1), p(i128::MIN + 1), Scalar::Wide(true)));
        assert!(exact_fits(BinOp::Add, (u128::MAX, false), p(-1), Scalar::Wide(false)));
    }

    #[test]
    fn bits_are_counted_in_the_width_of_the_type() {
        assert_eq!(count_bits(Intrinsic::Clz, 1, 32, 32), 31);
        assert_eq!(count_bits(Intrinsic::Ctz, 8, 64, 32), 3);
        assert_eq!(count_bits(Intrinsic::Clrsb, u128::MAX, 32, 32), 31);
        assert_eq!(count_bits(Intrinsic::Clrsb, 0, 32, 32), 31);
        assert_eq!(count_bits(Intrinsic::Clrsb, 1, 32, 32), 30);
        assert_eq!(count_bits(Intrinsic::Popcount, u128::MAX, 32, 32), 32);
        assert_eq!(count_bits(Intrinsic::Bswap, 0x1122_3344, 32, 32), 0x4433_2211);
        assert_eq!(count_bits(Intrinsic::Bswap, 0x1122, 16, 16), 0x2211);
    }
}
