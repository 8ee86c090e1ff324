//! `<math.h>`: transcendental functions are the host's (the same libm as compiled programs use), in double for `long double`; the
//! rest is exact in every format.

use rustc_apfloat::Round;

use super::super::arith;
use super::super::value::{Class, Format, Scalar};
use super::{Args, Entries, Machine, Ret, Stop, errno, exact, int, special, word};
use crate::ir::{BinOp, CmpOp};

fn bits(payload: u128) -> Ret {
    Ok((payload as u64, (payload >> 64) as u64))
}

/// Sets `errno` as the result of `f(inputs)` demands.
fn note(m: &mut Machine<'_>, inputs: &[f64], result: f64) -> Result<(), Stop> {
    if result.is_nan() && !inputs.iter().any(|x| x.is_nan()) {
        m.set_errno(errno::EDOM)?;
    } else if result.is_infinite() && inputs.iter().all(|x| x.is_finite()) {
        m.set_errno(errno::ERANGE)?;
    }
    Ok(())
}

fn unary(m: &mut Machine<'_>, a: &Args<'_>, f: fn(f64) -> f64, g: fn(f32) -> f32) -> Ret {
    let (format, payload) = a.float(0);
    if format == Format::Single {
        let x = f32::from_bits(payload as u32);
        let y = g(x);
        note(m, &[f64::from(x)], f64::from(y))?;
        return word(u64::from(y.to_bits()));
    }
    let x = arith::to_f64(format, payload);
    let y = f(x);
    note(m, &[x], y)?;
    a.give(y)
}

fn binary(m: &mut Machine<'_>, a: &Args<'_>, f: fn(f64, f64) -> f64, g: fn(f32, f32) -> f32) -> Ret {
    let ((format, x), (_, y)) = (a.float(0), a.float(1));
    if format == Format::Single {
        let (x, y) = (f32::from_bits(x as u32), f32::from_bits(y as u32));
        let z = g(x, y);
        note(m, &[f64::from(x), f64::from(y)], f64::from(z))?;
        return word(u64::from(z.to_bits()));
    }
    let (x, y) = (a.f64(0), a.f64(1));
    let z = f(x, y);
    note(m, &[x, y], z)?;
    a.give(z)
}

/// A function of doubles that has no single version of its own here.
fn only_double(m: &mut Machine<'_>, a: &Args<'_>, f: fn(f64) -> f64) -> Ret {
    let x = a.f64(0);
    let y = f(x);
    note(m, &[x], y)?;
    a.give(y)
}

fn rounded(a: &Args<'_>, how: Round) -> Ret {
    let (format, x) = a.float(0);
    bits(exact::round(format, x, how))
}

/// `lrint`, `lround` and their relatives.
fn to_long(a: &Args<'_>, how: Round) -> Ret {
    let (format, x) = a.float(0);
    let x = exact::round(format, x, how);
    int(arith::to_integer(format, x, 64, true).map_or(i64::MIN, |v| v as i64))
}

fn two(m: &mut Machine<'_>, a: &Args<'_>, f: fn(Format, u128, u128) -> u128) -> Ret {
    let ((format, x), (other, y)) = (a.float(0), a.float(1));
    let y = arith::convert(other, format, y);
    let z = f(format, x, y);
    note(m, &[a.f64(0), a.f64(1)], arith::to_f64(format, z))?;
    bits(z)
}

/// The larger or the smaller; a NaN gives way. Of equal zeros it is the first, but the second for `fminl`, as in glibc.
fn extreme(a: &Args<'_>, larger: bool) -> Ret {
    let ((format, x), (_, y)) = (a.float(0), a.float(1));
    let op = match (larger, format) {
        (true, _) => CmpOp::Ge,
        (false, Format::X87) => CmpOp::Lt,
        (false, _) => CmpOp::Le,
    };
    let first = match (exact::classify(format, x), exact::classify(format, y)) {
        (_, 0) => true,
        (0, _) => false,
        _ => arith::compare(Scalar::Float(format), op, x, y),
    };
    bits(if first { x } else { y })
}

fn dim(a: &Args<'_>) -> Ret {
    let ((format, x), (_, y)) = (a.float(0), a.float(1));
    let scalar = Scalar::Float(format);
    if arith::compare(scalar, CmpOp::Le, x, y) {
        return bits(0);
    }
    bits(arith::float_binary(format, BinOp::Sub, x, y))
}

fn frexp(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let (format, x) = a.float(0);
    let (fraction, power) = exact::split(format, x);
    m.put_int(a.word(1), i64::from(power))?;
    bits(fraction)
}

fn modf(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let (format, x) = a.float(0);
    let scalar = Scalar::Float(format);
    let whole = exact::round(format, x, Round::TowardZero);
    let raw = scalar.encode(whole as u64, (whole >> 64) as u64, m.memory.big_endian);
    m.memory.store_raw(a.word(1), scalar.bytes(), raw)?;
    let rest = if exact::classify(format, x) == 1 { 0 } else { arith::float_binary(format, BinOp::Sub, x, whole) };
    let sign = exact::sign_bit(format);
    bits((rest & !sign) | (x & sign))
}

fn scale(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let (format, x) = a.float(0);
    let y = exact::scale(format, x, a.long(1));
    note(m, &[a.f64(0)], arith::to_f64(format, y))?;
    bits(y)
}

fn logb(a: &Args<'_>) -> Ret {
    let (format, x) = a.float(0);
    let value = match exact::classify(format, x) {
        0 => f64::NAN,
        1 => f64::INFINITY,
        2 => f64::NEG_INFINITY,
        _ => f64::from(exact::exponent(format, x)),
    };
    bits(arith::from_f64(format, value))
}

fn gamma_log(m: &mut Machine<'_>, a: &Args<'_>, sign_at: Option<u64>) -> Ret {
    let (value, sign) = special::lgamma(a.f64(0));
    let addr = match sign_at {
        Some(addr) => addr,
        None => m.object("signgam")?,
    };
    m.put_int(addr, i64::from(sign))?;
    note(m, &[a.f64(0)], value)?;
    a.give(value)
}

fn sincos(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let (format, payload) = a.float(0);
    let scalar = Scalar::Float(format);
    let x = arith::to_f64(format, payload);
    let values = if format == Format::Single {
        let x = f32::from_bits(payload as u32);
        [u128::from(x.sin().to_bits()), u128::from(x.cos().to_bits())]
    } else {
        [arith::from_f64(format, x.sin()), arith::from_f64(format, x.cos())]
    };
    for (i, value) in values.into_iter().enumerate() {
        let raw = scalar.encode(value as u64, (value >> 64) as u64, m.memory.big_endian);
        m.memory.store_raw(a.word(1 + i), scalar.bytes(), raw)?;
    }
    int(0)
}

fn sign_of(a: &Args<'_>) -> i64 {
    let (format, x) = a.float(0);
    i64::from(x & exact::sign_bit(format) != 0)
}

fn class_of(a: &Args<'_>) -> i64 {
    let (format, x) = a.float(0);
    exact::classify(format, x)
}

/// `isinf`: -1 for minus infinity.
fn infinite(a: &Args<'_>) -> Ret {
    int(if class_of(a) == 1 { 1 - 2 * sign_of(a) } else { 0 })
}

fn remquo(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let (x, y) = (a.f64(0), a.f64(1));
    let r = f64::from_bits(exact::remainder(Format::Double, u128::from(x.to_bits()), u128::from(y.to_bits())) as u64);
    // Three bits of the quotient are promised.
    let quotient = (((x - r) / y).round_ties_even() % 8.0) as i64;
    m.put_int(a.word(2), quotient)?;
    a.give(r)
}

/// The parts of a complex argument as doubles.
fn complex(m: &Machine<'_>, a: &Args<'_>, i: usize) -> (f64, f64) {
    let slots = a.slots(i);
    match a.class(i) {
        Class::Complex { format, stride } if stride <= 8 => {
            let [re, im] = [0, 1].map(|p| arith::part(&slots, format, stride, p, m.memory.big_endian));
            (arith::to_f64(format, re), arith::to_f64(format, im))
        }
        Class::Void | Class::Scalar(_) | Class::Complex { .. } | Class::Vector { .. } | Class::Bytes(_) => {
            (a.f64(i), 0.0)
        }
    }
}

fn conjugate(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let mut slots = a.slots(0);
    if let Class::Complex { format, stride } = a.class(0) {
        let big = m.memory.big_endian;
        let [re, im] = [0, 1].map(|p| arith::part(&slots, format, stride, p, big));
        arith::set_parts(&mut slots, format, stride, (re, im ^ exact::sign_bit(format)), big);
    }
    Ok((slots[0], slots[1]))
}

/// Entries for the three precisions of a function.
macro_rules! three {
    ($($name:literal, $single:literal, $long:literal => $function:expr;)*) => {
        &[$(($name, $function), ($single, $function), ($long, $function),)*]
    };
}

pub(super) const TABLE: Entries = three! {
    "sin", "sinf", "sinl" => |m, a| unary(m, a, f64::sin, f32::sin);
    "cos", "cosf", "cosl" => |m, a| unary(m, a, f64::cos, f32::cos);
    "tan", "tanf", "tanl" => |m, a| unary(m, a, f64::tan, f32::tan);
    "asin", "asinf", "asinl" => |m, a| unary(m, a, f64::asin, f32::asin);
    "acos", "acosf", "acosl" => |m, a| unary(m, a, f64::acos, f32::acos);
    "atan", "atanf", "atanl" => |m, a| unary(m, a, f64::atan, f32::atan);
    "sinh", "sinhf", "sinhl" => |m, a| unary(m, a, f64::sinh, f32::sinh);
    "cosh", "coshf", "coshl" => |m, a| unary(m, a, f64::cosh, f32::cosh);
    "tanh", "tanhf", "tanhl" => |m, a| unary(m, a, f64::tanh, f32::tanh);
    "asinh", "asinhf", "asinhl" => |m, a| unary(m, a, f64::asinh, f32::asinh);
    "acosh", "acoshf", "acoshl" => |m, a| unary(m, a, f64::acosh, f32::acosh);
    "atanh", "atanhf", "atanhl" => |m, a| unary(m, a, f64::atanh, f32::atanh);
    "exp", "expf", "expl" => |m, a| unary(m, a, f64::exp, f32::exp);
    "exp2", "exp2f", "exp2l" => |m, a| unary(m, a, f64::exp2, f32::exp2);
    "exp10", "exp10f", "exp10l" => |m, a| only_double(m, a, |x| 10f64.powf(x));
    "pow10", "pow10f", "pow10l" => |m, a| only_double(m, a, |x| 10f64.powf(x));
    "expm1", "expm1f", "expm1l" => |m, a| unary(m, a, f64::exp_m1, f32::exp_m1);
    "log", "logf", "logl" => |m, a| unary(m, a, f64::ln, f32::ln);
    "log2", "log2f", "log2l" => |m, a| unary(m, a, f64::log2, f32::log2);
    "log10", "log10f", "log10l" => |m, a| unary(m, a, f64::log10, f32::log10);
    "log1p", "log1pf", "log1pl" => |m, a| unary(m, a, f64::ln_1p, f32::ln_1p);
    "cbrt", "cbrtf", "cbrtl" => |m, a| unary(m, a, f64::cbrt, f32::cbrt);
    "erf", "erff", "erfl" => |m, a| only_double(m, a, special::erf);
    "erfc", "erfcf", "erfcl" => |m, a| only_double(m, a, special::erfc);
    "tgamma", "tgammaf", "tgammal" => |m, a| only_double(m, a, special::tgamma);
    "lgamma", "lgammaf", "lgammal" => |m, a| gamma_log(m, a, None);
    "gamma", "gammaf", "gammal" => |m, a| gamma_log(m, a, None);
    "lgamma_r", "lgammaf_r", "lgammal_r" => |m, a| gamma_log(m, a, Some(a.word(1)));
    "pow", "powf", "powl" => |m, a| binary(m, a, f64::powf, f32::powf);
    "atan2", "atan2f", "atan2l" => |m, a| binary(m, a, f64::atan2, f32::atan2);
    "hypot", "hypotf", "hypotl" => |m, a| binary(m, a, f64::hypot, f32::hypot);
    "sqrt", "sqrtf", "sqrtl" => |m, a| two(m, a, |format, x, _| exact::root(format, x));
    "fabs", "fabsf", "fabsl" => |_, a| {
        let (format, x) = a.float(0);
        bits(x & !exact::sign_bit(format))
    };
    "floor", "floorf", "floorl" => |_, a| rounded(a, Round::TowardNegative);
    "ceil", "ceilf", "ceill" => |_, a| rounded(a, Round::TowardPositive);
    "trunc", "truncf", "truncl" => |_, a| rounded(a, Round::TowardZero);
    "round", "roundf", "roundl" => |_, a| rounded(a, Round::NearestTiesToAway);
    "rint", "rintf", "rintl" => |_, a| rounded(a, Round::NearestTiesToEven);
    "nearbyint", "nearbyintf", "nearbyintl" => |_, a| rounded(a, Round::NearestTiesToEven);
    "roundeven", "roundevenf", "roundevenl" => |_, a| rounded(a, Round::NearestTiesToEven);
    "lrint", "lrintf", "lrintl" => |_, a| to_long(a, Round::NearestTiesToEven);
    "llrint", "llrintf", "llrintl" => |_, a| to_long(a, Round::NearestTiesToEven);
    "lround", "lroundf", "lroundl" => |_, a| to_long(a, Round::NearestTiesToAway);
    "llround", "llroundf", "llroundl" => |_, a| to_long(a, Round::NearestTiesToAway);
    "fmod", "fmodf", "fmodl" => |m, a| two(m, a, exact::modulo);
    "remainder", "remainderf", "remainderl" => |m, a| two(m, a, exact::remainder);
    "drem", "dremf", "dreml" => |m, a| two(m, a, exact::remainder);
    "remquo", "remquof", "remquol" => remquo;
    "nextafter", "nextafterf", "nextafterl" => |m, a| two(m, a, exact::next);
    "nexttoward", "nexttowardf", "nexttowardl" => |m, a| two(m, a, exact::next);
    "copysign", "copysignf", "copysignl" => |_, a| {
        let ((format, x), (other, y)) = (a.float(0), a.float(1));
        let negative = y & exact::sign_bit(other) != 0;
        bits((x & !exact::sign_bit(format)) | if negative { exact::sign_bit(format) } else { 0 })
    };
    "fmax", "fmaxf", "fmaxl" => |_, a| extreme(a, true);
    "fmin", "fminf", "fminl" => |_, a| extreme(a, false);
    "fdim", "fdimf", "fdiml" => |_, a| dim(a);
    "fma", "fmaf", "fmal" => |_, a| {
        let ((format, x), (_, y), (_, z)) = (a.float(0), a.float(1), a.float(2));
        bits(exact::multiply_add(format, x, y, z))
    };
    "frexp", "frexpf", "frexpl" => frexp;
    "modf", "modff", "modfl" => modf;
    "ldexp", "ldexpf", "ldexpl" => scale;
    "scalbn", "scalbnf", "scalbnl" => scale;
    "scalbln", "scalblnf", "scalblnl" => scale;
    "ilogb", "ilogbf", "ilogbl" => |_, a| {
        let (format, x) = a.float(0);
        int(i64::from(exact::exponent(format, x)))
    };
    "logb", "logbf", "logbl" => |_, a| logb(a);
    "significand", "significandf", "significandl" => |_, a| {
        let (format, x) = a.float(0);
        bits(exact::scale(format, exact::split(format, x).0, 1))
    };
    "sincos", "sincosf", "sincosl" => sincos;
    "isnan", "isnanf", "isnanl" => |_, a| int(i64::from(class_of(a) == 0));
    "isinf", "isinff", "isinfl" => |_, a| infinite(a);
    "finite", "finitef", "finitel" => |_, a| int(i64::from(class_of(a) >= 2));
    "isfinite", "isfinitef", "isfinitel" => |_, a| int(i64::from(class_of(a) >= 2));
    "isnormal", "isnormalf", "isnormall" => |_, a| int(i64::from(class_of(a) == 4));
    "__isnan", "__isnanf", "__isnanl" => |_, a| int(i64::from(class_of(a) == 0));
    "__isinf", "__isinff", "__isinfl" => |_, a| infinite(a);
    "isinf_sign", "__isinff128", "__isinff64" => |_, a| infinite(a);
    "__finite", "__finitef", "__finitel" => |_, a| int(i64::from(class_of(a) >= 2));
    "__signbit", "__signbitf", "__signbitl" => |_, a| int(sign_of(a));
    "signbit", "signbitf", "signbitl" => |_, a| int(sign_of(a));
    "__fpclassify", "__fpclassifyf", "__fpclassifyl" => |_, a| int(class_of(a));
    "nan", "nanf", "nanl" => |_, a| a.give(f64::from_bits(0x7ff8_0000_0000_0000));
    "inf", "inff", "infl" => |_, a| a.give(f64::INFINITY);
    "huge_val", "huge_valf", "huge_vall" => |_, a| a.give(f64::INFINITY);
    "cabs", "cabsf", "cabsl" => |m, a| {
        let (re, im) = complex(m, a, 0);
        a.give(re.hypot(im))
    };
    "carg", "cargf", "cargl" => |m, a| {
        let (re, im) = complex(m, a, 0);
        a.give(im.atan2(re))
    };
    "creal", "crealf", "creall" => |m, a| a.give(complex(m, a, 0).0);
    "cimag", "cimagf", "cimagl" => |m, a| a.give(complex(m, a, 0).1);
    "conj", "conjf", "conjl" => conjugate;
};
