//! Random numbers, with the very sequences of glibc.

use super::{Args, Entries, Machine, Ret, Stop, int, word};

/// The states of all generators.
#[derive(Debug)]
pub(super) struct State {
    /// The last 31 numbers of `random`, the oldest first to be replaced.
    table: [u32; 31],
    at: usize,
    /// The 48 bits of `drand48`.
    linear: u64,
}

impl Default for State {
    fn default() -> State {
        let mut state = State { table: [0; 31], at: 0, linear: 0x1234_abcd_330e };
        state.seed(1);
        state
    }
}

impl State {
    /// `srandom`
    fn seed(&mut self, seed: u32) {
        let mut number = i64::from(if seed == 0 { 1 } else { seed } as i32);
        for (i, slot) in self.table.iter_mut().enumerate() {
            if i > 0 {
                // 16807 * number modulo 2^31 - 1, as Schrage computes it.
                number = 16807 * (number % 127_773) - 2836 * (number / 127_773);
                if number < 0 {
                    number += 2_147_483_647;
                }
            }
            *slot = number as u32;
        }
        // glibc begins with the fourth.
        self.at = 3;
        for _ in 0..310 {
            self.next();
        }
    }
    /// `random`: each number is the sum of those 3 and 31 before it.
    fn next(&mut self) -> u32 {
        let value = self.table[self.at].wrapping_add(self.table[(self.at + 28) % 31]);
        self.table[self.at] = value;
        self.at = (self.at + 1) % 31;
        value >> 1
    }
    fn next_linear(&mut self) -> u64 {
        self.linear = step(self.linear);
        self.linear
    }
}

fn step(linear: u64) -> u64 {
    linear.wrapping_mul(0x5_deec_e66d).wrapping_add(0xb) & 0xffff_ffff_ffff
}

/// `rand_r`
fn rand_r(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let mut next = m.memory.load_uint(a.word(0), 4)? as u32;
    let mut advance = || {
        next = next.wrapping_mul(1_103_515_245).wrapping_add(12345);
        next / 65536
    };
    let mut result = advance() % 2048;
    for _ in 0..2 {
        result = (result << 10) ^ (advance() % 1024);
    }
    m.memory.store_uint(a.word(0), 4, u64::from(next))?;
    word(u64::from(result))
}

/// 48 bits from three `unsigned short`s.
fn load_48(m: &Machine<'_>, addr: u64) -> Result<u64, Stop> {
    let mut value = 0;
    for i in (0..3).rev() {
        value = (value << 16) | m.memory.load_uint(addr.wrapping_add(2 * i), 2)?;
    }
    Ok(value)
}

/// Advances the state in memory, as `erand48` does.
fn step_memory(m: &mut Machine<'_>, addr: u64) -> Result<u64, Stop> {
    let value = step(load_48(m, addr)?);
    for i in 0..3 {
        m.memory.store_uint(addr + 2 * i, 2, value >> (16 * i) & 0xffff)?;
    }
    Ok(value)
}

fn fraction(linear: u64) -> f64 {
    linear as f64 / (1u64 << 48) as f64
}

fn srand48(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    m.libc.random.linear = (u64::from(a.word(0) as u32) << 16) | 0x330e;
    int(0)
}

fn srand(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    m.libc.random.seed(a.word(0) as u32);
    int(0)
}

fn rand(m: &mut Machine<'_>, _: &Args<'_>) -> Ret {
    word(u64::from(m.libc.random.next()))
}

fn fill_random(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    m.memory.check(a.word(0), a.word(1), true)?;
    let bytes: Vec<u8> = (0..a.word(1)).map(|_| (m.libc.random.next() >> 8) as u8).collect();
    m.put(a.word(0), &bytes)?;
    word(a.word(1))
}

pub(super) const TABLE: Entries = &[
    ("rand", rand),
    ("random", rand),
    ("srand", srand),
    ("srandom", srand),
    ("rand_r", rand_r),
    ("srand48", srand48),
    ("drand48", |m, a| {
        let value = fraction(m.libc.random.next_linear());
        a.give(value)
    }),
    ("erand48", |m, a| {
        let value = fraction(step_memory(m, a.word(0))?);
        a.give(value)
    }),
    ("lrand48", |m, _| word(m.libc.random.next_linear() >> 17)),
    ("nrand48", |m, a| word(step_memory(m, a.word(0))? >> 17)),
    ("mrand48", |m, _| int(i64::from((m.libc.random.next_linear() >> 16) as i32))),
    ("jrand48", |m, a| int(i64::from((step_memory(m, a.word(0))? >> 16) as i32))),
    ("getrandom", fill_random),
    ("getentropy", |m, a| fill_random(m, a).and_then(|_| int(0))),
    ("arc4random", |m, _| word(u64::from(m.libc.random.next()) << 1)),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_glibcs() {
        // The well-known first numbers of `rand` without a seed.
        let mut state = State::default();
        assert_eq!([0; 3].map(|_| state.next()), [1_804_289_383, 846_930_886, 1_681_692_777]);
    }
}
