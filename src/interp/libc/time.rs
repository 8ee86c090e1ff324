//! `<time.h>`: a clock that counts executed instructions from a fixed moment, in UTC.

use super::{Args, Entries, Machine, Ret, Stop, int, word};

/// When the run begins: 2023-11-14 22:13:20.
pub(super) const EPOCH: u64 = 1_700_000_000;
/// Instructions per microsecond.
const SPEED: u64 = 1000;

const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The members of `struct tm`, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Broken {
    second: i64,
    minute: i64,
    hour: i64,
    day: i64,
    month: i64,
    year: i64,
    weekday: i64,
    yearday: i64,
    summer: i64,
}

/// Days from 1970-01-01 to the first of a month; the month may be out of range.
fn days_before(year: i64, month: i64) -> i64 {
    let (year, month) = (year + month.div_euclid(12), month.rem_euclid(12));
    // Years that begin in March have their leap day last.
    let y = if month < 2 { year - 1 } else { year };
    let m = (month + 10) % 12;
    let era = y.div_euclid(400);
    let of_era = y.rem_euclid(400);
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + (153 * m + 2) / 5 - 719_468
}

impl Broken {
    fn from_seconds(time: i64) -> Broken {
        let (days, rest) = (time.div_euclid(86400), time.rem_euclid(86400));
        let z = days + 719_468;
        let (era, of_era) = (z.div_euclid(146_097), z.rem_euclid(146_097));
        let year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146_096) / 365;
        let day = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * day + 2) / 153;
        let month = (shifted + 2) % 12;
        let year = year_of_era + era * 400 + i64::from(month < 2);
        Broken {
            second: rest % 60,
            minute: rest / 60 % 60,
            hour: rest / 3600,
            day: day - (153 * shifted + 2) / 5 + 1,
            month,
            year: year - 1900,
            weekday: (days + 4).rem_euclid(7),
            yearday: days - days_before(year, 0),
            summer: 0,
        }
    }
    /// The moment, with members out of range carried over.
    fn seconds(&self) -> i64 {
        let days = days_before(self.year + 1900, self.month) + self.day - 1;
        days * 86400 + self.hour * 3600 + self.minute * 60 + self.second
    }
    fn load(m: &Machine<'_>, addr: u64) -> Result<Broken, Stop> {
        let at = |i: u64| m.get_int(addr + i * m.int_size());
        Ok(Broken {
            second: at(0)?,
            minute: at(1)?,
            hour: at(2)?,
            day: at(3)?,
            month: at(4)?,
            year: at(5)?,
            weekday: at(6)?,
            yearday: at(7)?,
            summer: at(8)?,
        })
    }
    fn store(&self, m: &mut Machine<'_>, addr: u64) -> Result<(), Stop> {
        let size = m.int_size();
        let all = [
            self.second,
            self.minute,
            self.hour,
            self.day,
            self.month,
            self.year,
            self.weekday,
            self.yearday,
            self.summer,
        ];
        for (i, value) in all.iter().enumerate() {
            m.put_int(addr + size * i as u64, *value)?;
        }
        // glibc's two members more: the offset from UTC and the zone's name.
        let long = m.long_size();
        let offset = (addr + 9 * size).div_ceil(long) * long;
        m.memory.store_uint(offset, long, 0)?;
        let names = m.object("tzname")?;
        let zone = m.memory.load_pointer(names)?;
        m.memory.store_pointer(offset + long, zone)?;
        Ok(())
    }
    /// The week of the year by ISO 8601, and its year.
    fn iso_week(&self) -> (i64, i64) {
        let monday_based = (self.weekday + 6).rem_euclid(7);
        let year = self.year + 1900;
        let week = (self.yearday - monday_based + 10).div_euclid(7);
        let weeks = |year: i64| {
            let first = (days_before(year, 0) + 3).rem_euclid(7);
            let leap = days_before(year + 1, 0) - days_before(year, 0) == 366;
            if first == 3 || (first == 2 && leap) { 53 } else { 52 }
        };
        if week < 1 {
            (weeks(year - 1), year - 1)
        } else if week > weeks(year) {
            (1, year + 1)
        } else {
            (week, year)
        }
    }
}

/// `strftime`'s text.
fn format(time: &Broken, pattern: &[u8]) -> String {
    let mut out = String::new();
    let mut bytes = pattern.iter().copied().peekable();
    let name =
        |names: &[&'static str], i: i64| usize::try_from(i).ok().and_then(|i| names.get(i)).copied().unwrap_or("?");
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte as char);
            continue;
        }
        let mut padding = None;
        while let Some(flag) = bytes.next_if(|b| matches!(b, b'_' | b'-' | b'0' | b'^' | b'#' | b'E' | b'O')) {
            padding = Some(flag);
        }
        let two = |value: i64, fill: char| match (padding, fill) {
            (Some(b'-'), _) => format!("{value}"),
            (Some(b'_'), _) => format!("{value:>2}"),
            (Some(b'0'), _) | (_, '0') => format!("{value:02}"),
            _ => format!("{value:>2}"),
        };
        let twelve = if time.hour % 12 == 0 { 12 } else { time.hour % 12 };
        let year = time.year + 1900;
        let text = match bytes.next() {
            Some(b'a') => name(&DAYS, time.weekday).chars().take(3).collect(),
            Some(b'A') => name(&DAYS, time.weekday).to_string(),
            Some(b'b' | b'h') => name(&MONTHS, time.month).chars().take(3).collect(),
            Some(b'B') => name(&MONTHS, time.month).to_string(),
            Some(b'c') => format(time, b"%a %b %e %H:%M:%S %Y"),
            Some(b'C') => two(year.div_euclid(100), '0'),
            Some(b'd') => two(time.day, '0'),
            Some(b'D' | b'x') => format(time, b"%m/%d/%y"),
            Some(b'e') => two(time.day, ' '),
            Some(b'F') => format(time, b"%Y-%m-%d"),
            Some(b'g') => two(time.iso_week().1.rem_euclid(100), '0'),
            Some(b'G') => time.iso_week().1.to_string(),
            Some(b'H') => two(time.hour, '0'),
            Some(b'I') => two(twelve, '0'),
            Some(b'j') => format!("{:03}", time.yearday + 1),
            Some(b'k') => two(time.hour, ' '),
            Some(b'l') => two(twelve, ' '),
            Some(b'm') => two(time.month + 1, '0'),
            Some(b'M') => two(time.minute, '0'),
            Some(b'n') => "\n".to_string(),
            Some(b'p') => if time.hour < 12 { "AM" } else { "PM" }.to_string(),
            Some(b'P') => if time.hour < 12 { "am" } else { "pm" }.to_string(),
            Some(b'r') => format(time, b"%I:%M:%S %p"),
            Some(b'R') => format(time, b"%H:%M"),
            Some(b's') => time.seconds().to_string(),
            Some(b'S') => two(time.second, '0'),
            Some(b't') => "\t".to_string(),
            Some(b'T' | b'X') => format(time, b"%H:%M:%S"),
            Some(b'u') => (if time.weekday == 0 { 7 } else { time.weekday }).to_string(),
            Some(b'U') => two((time.yearday + 7 - time.weekday) / 7, '0'),
            Some(b'V') => two(time.iso_week().0, '0'),
            Some(b'w') => time.weekday.to_string(),
            Some(b'W') => two((time.yearday + 7 - (time.weekday + 6) % 7) / 7, '0'),
            Some(b'y') => two(year.rem_euclid(100), '0'),
            Some(b'Y') => year.to_string(),
            Some(b'z') => "+0000".to_string(),
            Some(b'Z') => "UTC".to_string(),
            Some(b'%') | None => "%".to_string(),
            Some(other) => format!("%{}", other as char),
        };
        out.push_str(&if padding == Some(b'^') { text.to_ascii_uppercase() } else { text });
    }
    out
}

/// Microseconds since the run began.
fn elapsed(m: &Machine<'_>) -> u64 {
    m.steps / SPEED + m.libc.slept
}

fn now(m: &Machine<'_>) -> u64 {
    EPOCH + elapsed(m) / 1_000_000
}

fn time(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let value = now(m);
    if a.word(0) != 0 {
        let size = m.long_size();
        m.memory.store_uint(a.word(0), size, value)?;
    }
    word(value)
}

/// Stores seconds and a fraction in `unit`s per second, as `struct timeval` and `struct timespec` do.
fn store_pair(m: &mut Machine<'_>, addr: u64, scale: u64) -> Ret {
    let (seconds, micros) = (now(m), elapsed(m) % 1_000_000);
    let size = m.long_size();
    if addr != 0 {
        m.memory.store_uint(addr, size, seconds)?;
        m.memory.store_uint(addr + size, size, micros * scale)?;
    }
    int(0)
}

fn load_time(m: &Machine<'_>, addr: u64) -> Result<i64, Stop> {
    Ok(m.memory.load_uint(addr, m.long_size())? as i64)
}

fn broken_down(m: &mut Machine<'_>, a: &Args<'_>, target: Option<u64>) -> Ret {
    let broken = Broken::from_seconds(load_time(m, a.word(0))?);
    let addr = match target {
        Some(addr) => addr,
        None => m.buffer("tm", 64)?.0,
    };
    broken.store(m, addr)?;
    word(addr)
}

fn mktime(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let seconds = Broken::load(m, a.word(0))?.seconds();
    Broken::from_seconds(seconds).store(m, a.word(0))?;
    int(seconds)
}

fn strftime(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let pattern = m.string(a.word(2))?;
    let broken = Broken::load(m, a.word(3))?;
    let text: Vec<u8> = format(&broken, &pattern).chars().map(|c| c as u8).collect();
    if text.len() as u64 >= a.word(1) {
        return word(0);
    }
    m.memory.put_c_string(a.word(0), &text)?;
    word(text.len() as u64)
}

/// `asctime` and `ctime`, to a buffer of the caller's or the library's.
fn show(m: &mut Machine<'_>, broken: &Broken, target: Option<u64>) -> Ret {
    let text = format(broken, b"%a %b %e %H:%M:%S %Y\n");
    let addr = match target {
        Some(addr) => addr,
        None => m.buffer("asctime", 64)?.0,
    };
    m.memory.put_c_string(addr, text.as_bytes())?;
    word(addr)
}

fn asctime(m: &mut Machine<'_>, a: &Args<'_>, target: Option<u64>) -> Ret {
    let broken = Broken::load(m, a.word(0))?;
    show(m, &broken, target)
}

fn ctime(m: &mut Machine<'_>, a: &Args<'_>, target: Option<u64>) -> Ret {
    let broken = Broken::from_seconds(load_time(m, a.word(0))?);
    show(m, &broken, target)
}

fn sleep(m: &mut Machine<'_>, micros: u64) -> Ret {
    // The clock goes on, as it would while the program sleeps.
    m.libc.slept = m.libc.slept.saturating_add(micros).min(1 << 50);
    int(0)
}

fn nanosleep(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let (seconds, nanos) = (load_time(m, a.word(0))?, load_time(m, a.word(0) + m.long_size())?);
    sleep(m, (seconds as u64).saturating_mul(1_000_000).saturating_add(nanos as u64 / 1000))
}

fn times(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    let size = m.long_size();
    let ticks = elapsed(m) / 10_000;
    for i in 0..4 {
        m.memory.store_uint(a.word(0) + i * size, size, if i == 0 { ticks } else { 0 })?;
    }
    word(ticks)
}

pub(super) const TABLE: Entries = &[
    ("time", time),
    ("clock", |m, _| word(elapsed(m))),
    ("times", times),
    ("gettimeofday", |m, a| store_pair(m, a.word(0), 1)),
    ("clock_gettime", |m, a| store_pair(m, a.word(1), 1000)),
    ("timespec_get", |m, a| store_pair(m, a.word(0), 1000).and_then(|_| int(i64::from(a.int(1))))),
    ("ftime", |m, a| store_pair(m, a.word(0), 0)),
    ("difftime", |_, a| a.give((i128::from(a.long(0)) - i128::from(a.long(1))) as f64)),
    ("localtime", |m, a| broken_down(m, a, None)),
    ("gmtime", |m, a| broken_down(m, a, None)),
    ("localtime_r", |m, a| broken_down(m, a, Some(a.word(1)))),
    ("gmtime_r", |m, a| broken_down(m, a, Some(a.word(1)))),
    ("mktime", mktime),
    ("timegm", mktime),
    ("timelocal", mktime),
    ("strftime", strftime),
    ("asctime", |m, a| asctime(m, a, None)),
    ("asctime_r", |m, a| asctime(m, a, Some(a.word(1)))),
    ("ctime", |m, a| ctime(m, a, None)),
    ("ctime_r", |m, a| ctime(m, a, Some(a.word(1)))),
    ("tzset", |_, _| int(0)),
    ("sleep", |m, a| sleep(m, u64::from(a.int(0) as u32) * 1_000_000)),
    ("usleep", |m, a| sleep(m, u64::from(a.int(0) as u32))),
    ("nanosleep", nanosleep),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calendars_agree() {
        // `date -u -d @N` says so.
        let shown = |t: i64| format(&Broken::from_seconds(t), b"%Y-%m-%d %H:%M:%S %a %j %U %V %G");
        assert_eq!(shown(1_700_000_000), "2023-11-14 22:13:20 Tue 318 46 46 2023");
        assert_eq!(shown(0), "1970-01-01 00:00:00 Thu 001 00 01 1970");
        assert_eq!(shown(951_827_696), "2000-02-29 12:34:56 Tue 060 09 09 2000");
        assert_eq!(shown(-1), "1969-12-31 23:59:59 Wed 365 52 01 1970");
        assert_eq!(shown(1_609_459_200), "2021-01-01 00:00:00 Fri 001 00 53 2020");
        for t in [-5_000_000_000, -1, 0, 951_827_696, 4_107_542_399, 1_709_164_800] {
            assert_eq!(Broken::from_seconds(t).seconds(), t);
        }
        // 2021-14-35 is 2022-03-07.
        let odd = Broken { year: 121, month: 13, day: 35, ..Broken::default() };
        let day = Broken::from_seconds(odd.seconds());
        assert_eq!((day.year, day.month, day.day), (122, 2, 7));
    }
}
