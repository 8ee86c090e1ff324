//! Instructions of the processor that the IR knows by name, on 16 bytes, least significant first.

use crate::ir::MachineOp;

/// What the instruction computes; operands that are missing are 0.
pub fn compute(op: MachineOp, operands: &[u128]) -> u128 {
    let operand = |i: usize| operands.get(i).copied().unwrap_or(0);
    let (a, b) = (operand(0), operand(1));
    match op {
        MachineOp::AesEncrypt => mix(substitute(shift_rows(a, 1), sbox), [2, 3, 1, 1]) ^ b,
        MachineOp::AesEncryptLast => substitute(shift_rows(a, 1), sbox) ^ b,
        MachineOp::AesDecrypt => mix(substitute(shift_rows(a, 3), inverse_sbox), [14, 11, 13, 9]) ^ b,
        MachineOp::AesDecryptLast => substitute(shift_rows(a, 3), inverse_sbox) ^ b,
        MachineOp::AesInverseMix => mix(a, [14, 11, 13, 9]),
        MachineOp::AesKeyAssist => {
            let words = substitute(a, sbox);
            let (second, last) = ((words >> 32) as u32, (words >> 96) as u32);
            let rotated = |word: u32| u128::from(word.rotate_right(8) ^ (b as u32 & 0xff));
            u128::from(second) | rotated(second) << 32 | u128::from(last) << 64 | rotated(last) << 96
        }
        MachineOp::CarrylessMultiply => {
            let choice = operand(2);
            let x = (if choice & 1 == 0 { a } else { a >> 64 }) as u64;
            let y = (if choice & 16 == 0 { b } else { b >> 64 }) as u64;
            (0..64).filter(|i| y >> i & 1 == 1).fold(0, |sum, i| sum ^ u128::from(x) << i)
        }
        MachineOp::ByteShuffle => {
            let (bytes, numbers) = (a.to_le_bytes(), b.to_le_bytes());
            u128::from_le_bytes(numbers.map(|n| if n & 0x80 == 0 { bytes[usize::from(n & 15)] } else { 0 }))
        }
    }
}

/// The rows of the state, which is kept column by column, each turned by its number times `step` places.
fn shift_rows(state: u128, step: usize) -> u128 {
    let bytes = state.to_le_bytes();
    u128::from_le_bytes(std::array::from_fn(|i| bytes[(i + 4 * step * (i % 4)) % 16]))
}

fn substitute(state: u128, with: fn(u8) -> u8) -> u128 {
    u128::from_le_bytes(state.to_le_bytes().map(with))
}

/// Every column multiplied by a circulant matrix with this first row.
fn mix(state: u128, row: [u8; 4]) -> u128 {
    let bytes = state.to_le_bytes();
    u128::from_le_bytes(std::array::from_fn(|i| {
        (0..4).fold(0, |sum, k| sum ^ multiply(row[(k + 4 - i % 4) % 4], bytes[i / 4 * 4 + k]))
    }))
}

/// In the field of 256 elements modulo x^8 + x^4 + x^3 + x + 1.
fn multiply(mut a: u8, mut b: u8) -> u8 {
    let mut product = 0;
    while b != 0 {
        if b & 1 == 1 {
            product ^= a;
        }
        a = (a << 1) ^ (if a & 0x80 == 0 { 0 } else { 0x1b });
        b >>= 1;
    }
    product
}

/// The inverse in the field is the power 254; 0 stays 0.
fn inverse(a: u8) -> u8 {
    (0..253).fold(a, |power, _| multiply(power, a))
}

fn sbox(a: u8) -> u8 {
    let b = inverse(a);
    b ^ b.rotate_left(1) ^ b.rotate_left(2) ^ b.rotate_left(3) ^ b.rotate_left(4) ^ 0x63
}

fn inverse_sbox(a: u8) -> u8 {
    inverse(a.rotate_left(1) ^ a.rotate_left(3) ^ a.rotate_left(6) ^ 0x05)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_substitution_is_that_of_the_standard() {
        // FIPS 197, figure 7.
        assert_eq!([0x00, 0x01, 0x53, 0xff].map(sbox), [0x63, 0x7c, 0xed, 0x16]);
        assert!((0..=255).all(|a| inverse_sbox(sbox(a)) == a));
    }

    #[test]
    fn a_round_is_undone_by_its_inverse() {
        let (state, key) = (0x0011_2233_4455_6677_8899_aabb_ccdd_eeff, 0x0123_4567_89ab_cdef_0123_4567_89ab_cdef_u128);
        let inverse_key = compute(MachineOp::AesInverseMix, &[key]);
        let round = compute(MachineOp::AesEncryptLast, &[compute(MachineOp::AesEncrypt, &[state, key]), 0]);
        let back = compute(MachineOp::AesDecryptLast, &[compute(MachineOp::AesDecrypt, &[round, inverse_key]), 0]);
        assert_eq!(back, state);
    }
}
