//! Functions that call back: `qsort`, `bsearch` and their relatives.

use super::{Args, Entries, Machine, Ret, Stop, int, word};

/// The comparison function and its extra argument, if it takes one.
#[derive(Clone, Copy)]
struct Order {
    function: u64,
    extra: Option<u64>,
}

fn compare(m: &mut Machine<'_>, order: Order, x: u64, y: u64) -> Result<i32, Stop> {
    let class = m.pointer_class();
    let result = match order.extra {
        Some(extra) => m.call_back(order.function, &[(class, x), (class, y), (class, extra)])?,
        None => m.call_back(order.function, &[(class, x), (class, y)])?,
    };
    Ok(result as i32)
}

/// glibc's `qsort` is a merge sort that compares elements where they are; larger elements are sorted through pointers to them.
fn sort(m: &mut Machine<'_>, base: u64, count: u64, size: u64, order: Order) -> Result<(), Stop> {
    if count < 2 || size == 0 {
        return Ok(());
    }
    let Some(total) = count.checked_mul(size) else {
        return Err(Stop::Trap("qsort of an array larger than memory".into()));
    };
    m.memory.check(base, total, true)?;
    if size <= 32 {
        let mut temp = vec![0; total as usize];
        return merge_in_place(m, base, count, size, order, &mut temp);
    }
    let mut elements: Vec<u64> = (0..count).map(|i| base + i * size).collect();
    merge_pointers(m, &mut elements, order)?;
    let mut sorted = Vec::with_capacity(total as usize);
    for addr in elements {
        sorted.extend_from_slice(m.memory.slice(addr, size)?);
    }
    m.put(base, &sorted)
}

fn merge_in_place(
    m: &mut Machine<'_>,
    base: u64,
    count: u64,
    size: u64,
    order: Order,
    temp: &mut [u8],
) -> Result<(), Stop> {
    if count <= 1 {
        return Ok(());
    }
    let half = count / 2;
    merge_in_place(m, base, half, size, order, temp)?;
    merge_in_place(m, base + half * size, count - half, size, order, temp)?;
    let (mut x, mut y) = (base, base + half * size);
    let (mut left, mut right, mut at) = (half, count - half, 0);
    while left > 0 && right > 0 {
        let from = if compare(m, order, x, y)? <= 0 {
            left -= 1;
            x += size;
            x - size
        } else {
            right -= 1;
            y += size;
            y - size
        };
        temp[at..at + size as usize].copy_from_slice(m.memory.slice(from, size)?);
        at += size as usize;
    }
    let rest = left * size;
    temp[at..at + rest as usize].copy_from_slice(m.memory.slice(x, rest)?);
    m.put(base, &temp[..at + rest as usize])
}

fn merge_pointers(m: &mut Machine<'_>, elements: &mut [u64], order: Order) -> Result<(), Stop> {
    if elements.len() <= 1 {
        return Ok(());
    }
    let half = elements.len() / 2;
    merge_pointers(m, &mut elements[..half], order)?;
    merge_pointers(m, &mut elements[half..], order)?;
    let mut merged = Vec::with_capacity(elements.len());
    let (mut i, mut j) = (0, half);
    while i < half && j < elements.len() {
        if compare(m, order, elements[i], elements[j])? <= 0 {
            merged.push(elements[i]);
            i += 1;
        } else {
            merged.push(elements[j]);
            j += 1;
        }
    }
    merged.extend_from_slice(&elements[i..half]);
    elements[..merged.len()].copy_from_slice(&merged);
    Ok(())
}

fn qsort(m: &mut Machine<'_>, a: &Args<'_>, extra: Option<u64>) -> Ret {
    sort(m, a.word(0), a.word(1), a.word(2), Order { function: a.word(3), extra })?;
    int(0)
}

fn bsearch(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let (key, base, size) = (a.word(0), a.word(1), a.word(3));
    let order = Order { function: a.word(4), extra: None };
    let (mut low, mut high) = (0, a.word(2));
    while low < high {
        let middle = u64::midpoint(low, high);
        let at = base.wrapping_add(middle.wrapping_mul(size));
        match compare(m, order, key, at)? {
            0 => return word(at),
            c if c < 0 => high = middle,
            _ => low = middle + 1,
        }
    }
    word(0)
}

/// `lfind`, and `lsearch` which adds what it does not find.
fn linear(m: &mut Machine<'_>, a: &Args<'_>, add: bool) -> Ret {
    let (key, base, count_at, size) = (a.word(0), a.word(1), a.word(2), a.word(3));
    let order = Order { function: a.word(4), extra: None };
    let width = m.pointer_size();
    let count = m.memory.load_uint(count_at, width)?;
    let element = |i: u64| base.wrapping_add(i.wrapping_mul(size));
    for i in 0..count {
        if compare(m, order, key, element(i))? == 0 {
            return word(element(i));
        }
    }
    if !add {
        return word(0);
    }
    m.memory.copy(element(count), key, size)?;
    m.memory.store_uint(count_at, width, count.wrapping_add(1))?;
    word(element(count))
}

pub(super) const TABLE: Entries = &[
    ("qsort", |m, a| qsort(m, a, None)),
    ("qsort_r", |m, a| qsort(m, a, Some(a.word(4)))),
    ("bsearch", bsearch),
    ("lfind", |m, a| linear(m, a, false)),
    ("lsearch", |m, a| linear(m, a, true)),
];
