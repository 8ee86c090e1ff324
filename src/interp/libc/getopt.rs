//! `getopt` and `getopt_long`, with GNU's permutation of the arguments.

use super::{Args, Entries, Machine, Ret, Stop, int};

/// Between two calls.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct State {
    /// The rest of a cluster of short options: an address, or 0.
    cluster: u64,
    /// Arguments that are no options and were passed by: from and to.
    passed: (u64, u64),
    /// What to do with arguments that are no options; the options of the first call say.
    order: Order,
    started: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Order {
    /// They go behind the options.
    #[default]
    Permute,
    /// `-`: they are told as options with value 1.
    Tell,
    /// `+`: the first ends the options.
    Stop,
}

/// The arguments of a call.
#[derive(Clone, Copy)]
struct Scan {
    argc: u64,
    argv: u64,
    /// The address of the first `struct option`, or 0.
    long: u64,
    long_index: u64,
    /// `getopt_long_only`
    single_dash: bool,
}

impl Machine<'_> {
    fn scan_argument(&self, scan: &Scan, i: u64) -> Result<u64, Stop> {
        Ok(self.memory.load_pointer(scan.argv.wrapping_add(i * self.pointer_size()))?)
    }
    fn get_optind(&mut self) -> Result<u64, Stop> {
        let addr = self.object("optind")?;
        Ok(self.get_int(addr)?.max(0) as u64)
    }
    fn set_optind(&mut self, value: u64) -> Result<(), Stop> {
        let addr = self.object("optind")?;
        self.put_int(addr, value as i64)
    }
    fn set_optarg(&mut self, value: u64) -> Result<(), Stop> {
        let addr = self.object("optarg")?;
        Ok(self.memory.store_pointer(addr, value)?)
    }
    /// A message, unless `opterr` is 0 or the options begin with a colon.
    fn complain(&mut self, scan: &Scan, quiet: bool, text: &[u8]) -> Result<(), Stop> {
        let opterr = self.object("opterr")?;
        if quiet || self.get_int(opterr)? == 0 {
            return Ok(());
        }
        let name = self.scan_argument(scan, 0)?;
        let mut message = self.string(name)?;
        message.extend(b": ");
        message.extend(text);
        message.push(b'\n');
        let file = self.standard("stderr")?;
        self.emit(file, &message)?;
        Ok(())
    }
    /// Moves the arguments passed by behind the options that followed them.
    fn exchange(&mut self, scan: &Scan, optind: u64) -> Result<(), Stop> {
        let (from, to) = self.libc.scan.passed;
        if from < to && to < optind {
            let size = self.pointer_size();
            let mut all = Vec::new();
            for i in from..optind {
                all.push(self.scan_argument(scan, i)?);
            }
            all.rotate_left((to - from) as usize);
            for (i, value) in all.iter().enumerate() {
                self.memory.store_pointer(scan.argv + size * (from + i as u64), *value)?;
            }
        }
        let count = to - from;
        self.libc.scan.passed = (optind - count, optind);
        Ok(())
    }
}

fn is_option(text: &[u8]) -> bool {
    text.len() > 1 && text[0] == b'-'
}

fn getopt(m: &mut Machine<'_>, scan: Scan, options: &[u8]) -> Ret {
    m.set_optarg(0)?;
    let mut optind = m.get_optind()?;
    if optind == 0 || !m.libc.scan.started {
        optind = optind.max(1);
        let order = match options.first() {
            Some(b'-') => Order::Tell,
            Some(b'+') => Order::Stop,
            _ => Order::Permute,
        };
        m.libc.scan = State { cluster: 0, passed: (optind, optind), order, started: true };
    }
    let order = m.libc.scan.order;
    let options = &options[usize::from(matches!(options.first(), Some(b'-' | b'+')))..];
    let quiet = options.first() == Some(&b':');
    let cluster = m.libc.scan.cluster;
    if cluster == 0 || m.memory.load::<1>(cluster)? == 0 {
        if m.libc.scan.passed.1 > optind || m.libc.scan.passed.0 > optind {
            m.libc.scan.passed = (optind, optind);
        }
        if order == Order::Permute {
            if m.libc.scan.passed.0 != m.libc.scan.passed.1 && m.libc.scan.passed.1 != optind {
                m.exchange(&scan, optind)?;
            } else if m.libc.scan.passed.0 == m.libc.scan.passed.1 {
                m.libc.scan.passed = (optind, optind);
            }
            while optind < scan.argc {
                let arg = m.scan_argument(&scan, optind)?;
                if is_option(&m.string(arg)?) {
                    break;
                }
                optind += 1;
            }
            m.libc.scan.passed.1 = optind;
        }
        if optind < scan.argc {
            let arg = m.scan_argument(&scan, optind)?;
            if m.string(arg)? == b"--" {
                optind += 1;
                if m.libc.scan.passed.0 == m.libc.scan.passed.1 {
                    m.libc.scan.passed.0 = optind;
                } else {
                    m.exchange(&scan, optind)?;
                }
                m.libc.scan.passed.1 = scan.argc;
                optind = scan.argc;
            }
        }
        if optind >= scan.argc {
            let (from, to) = m.libc.scan.passed;
            m.set_optind(if from == to { optind } else { from })?;
            m.libc.scan.cluster = 0;
            return int(-1);
        }
        let arg = m.scan_argument(&scan, optind)?;
        let text = m.string(arg)?;
        if !is_option(&text) {
            if order == Order::Stop {
                m.set_optind(optind)?;
                return int(-1);
            }
            m.set_optarg(arg)?;
            m.set_optind(optind + 1)?;
            return int(1);
        }
        let double = text.starts_with(b"--");
        let known_short = text.len() == 2 && options.contains(&text[1]);
        if scan.long != 0 && (double || (scan.single_dash && !known_short)) {
            let dashes = if double { 2 } else { 1 };
            m.set_optind(optind + 1)?;
            return long_option(m, &scan, arg, &text, dashes, quiet);
        }
        m.libc.scan.cluster = arg + 1;
    }
    short_option(m, &scan, options, optind, quiet)
}

fn short_option(m: &mut Machine<'_>, scan: &Scan, options: &[u8], mut optind: u64, quiet: bool) -> Ret {
    let at = m.libc.scan.cluster;
    let letter = m.memory.load::<1>(at)? as u8;
    let rest = at + 1;
    let is_last = m.memory.load::<1>(rest)? == 0;
    m.libc.scan.cluster = rest;
    if is_last {
        optind += 1;
        m.libc.scan.cluster = 0;
    }
    m.set_optind(optind)?;
    let place = options.iter().position(|b| *b == letter).filter(|_| letter != b':' && letter != b';');
    let Some(place) = place else {
        let optopt = m.object("optopt")?;
        m.put_int(optopt, i64::from(letter))?;
        m.complain(scan, quiet, &[b"invalid option -- '", &[letter][..], b"'"].concat())?;
        return int(i64::from(b'?'));
    };
    if options.get(place + 1) != Some(&b':') {
        return int(i64::from(letter));
    }
    let optional = options.get(place + 2) == Some(&b':');
    m.libc.scan.cluster = 0;
    if !is_last {
        m.set_optarg(rest)?;
        m.set_optind(optind + 1)?;
    } else if !optional {
        if optind >= scan.argc {
            let optopt = m.object("optopt")?;
            m.put_int(optopt, i64::from(letter))?;
            m.complain(scan, quiet, &[b"option requires an argument -- '", &[letter][..], b"'"].concat())?;
            return int(i64::from(if quiet { b':' } else { b'?' }));
        }
        let value = m.scan_argument(scan, optind)?;
        m.set_optarg(value)?;
        m.set_optind(optind + 1)?;
    }
    int(i64::from(letter))
}

/// A `struct option`: the name's address, whether it takes an argument, the flag's address, the value.
struct Long {
    name: Vec<u8>,
    has_arg: i64,
    flag: u64,
    value: i64,
}

fn load_long(m: &Machine<'_>, scan: &Scan, i: u64) -> Result<Option<Long>, Stop> {
    let size = m.pointer_size();
    let addr = scan.long + i * 4 * size;
    let name = m.memory.load_pointer(addr)?;
    if name == 0 {
        return Ok(None);
    }
    Ok(Some(Long {
        name: m.string(name)?,
        has_arg: m.get_int(addr + size)?,
        flag: m.memory.load_pointer(addr + 2 * size)?,
        value: m.get_int(addr + 3 * size)?,
    }))
}

fn long_option(m: &mut Machine<'_>, scan: &Scan, arg: u64, text: &[u8], dashes: usize, quiet: bool) -> Ret {
    let body = &text[dashes..];
    let end = body.iter().position(|b| *b == b'=').unwrap_or(body.len());
    let (name, given) = (&body[..end], (end < body.len()).then(|| arg + (dashes + end + 1) as u64));
    let shown = [&text[..dashes], name].concat();
    let mut matches: Vec<(u64, Long)> = Vec::new();
    let mut i = 0;
    while let Some(option) = load_long(m, scan, i)? {
        if option.name == name {
            matches = vec![(i, option)];
            break;
        }
        if option.name.starts_with(name) {
            matches.push((i, option));
        }
        i += 1;
    }
    let optopt = m.object("optopt")?;
    let first = matches.first().map(|(_, o)| (o.has_arg, o.flag, o.value));
    let ambiguous = matches.len() > 1 && matches.iter().any(|(_, o)| Some((o.has_arg, o.flag, o.value)) != first);
    if ambiguous {
        m.put_int(optopt, 0)?;
        let mut message = [b"option '", &shown[..], b"' is ambiguous; possibilities:"].concat();
        for (_, option) in &matches {
            message.extend([b" '", &text[..dashes], &option.name, b"'"].concat());
        }
        m.complain(scan, quiet, &message)?;
        return int(i64::from(b'?'));
    }
    let Some((index, option)) = matches.into_iter().next() else {
        m.put_int(optopt, 0)?;
        m.complain(scan, quiet, &[b"unrecognized option '", &shown[..], b"'"].concat())?;
        return int(i64::from(b'?'));
    };
    let full = [&text[..dashes], &option.name].concat();
    match (option.has_arg, given) {
        (0, Some(_)) => {
            m.put_int(optopt, option.value)?;
            m.complain(scan, quiet, &[b"option '", &full[..], b"' doesn't allow an argument"].concat())?;
            return int(i64::from(b'?'));
        }
        (_, Some(value)) => m.set_optarg(value)?,
        (1, None) => {
            let optind = m.get_optind()?;
            if optind >= scan.argc {
                m.put_int(optopt, option.value)?;
                m.complain(scan, quiet, &[b"option '", &full[..], b"' requires an argument"].concat())?;
                return int(i64::from(if quiet { b':' } else { b'?' }));
            }
            let value = m.scan_argument(scan, optind)?;
            m.set_optarg(value)?;
            m.set_optind(optind + 1)?;
        }
        (_, None) => {}
    }
    if scan.long_index != 0 {
        m.put_int(scan.long_index, index as i64)?;
    }
    if option.flag != 0 {
        m.put_int(option.flag, option.value)?;
        return int(0);
    }
    int(option.value)
}

fn start(m: &mut Machine<'_>, a: &Args<'_>, long: bool, single_dash: bool) -> Ret {
    let scan = Scan {
        argc: a.long(0).max(0) as u64,
        argv: a.word(1),
        long: if long { a.word(3) } else { 0 },
        long_index: if long { a.word(4) } else { 0 },
        single_dash,
    };
    let options = m.string(a.word(2))?;
    getopt(m, scan, &options)
}

pub(super) const TABLE: Entries = &[
    ("getopt", |m, a| start(m, a, false, false)),
    ("__posix_getopt", |m, a| start(m, a, false, false)),
    ("getopt_long", |m, a| start(m, a, true, false)),
    ("getopt_long_only", |m, a| start(m, a, true, true)),
];
