//! What a function does that has no body here: the data of `[[model]]`. `docs/MODELS.md` says what each place and flow means.
//!
//! Invariant: what a model does not name is not affected by the call; argument numbers start at 1.

use std::fmt;

/// What one function does, or all whose name fits a glob.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    /// The function's name; in a policy it may be a glob.
    pub function: String,
    /// What influences what.
    pub flows: Vec<Flow>,
    /// Memory that is written for certain: the argument that points to its start, and its size in bytes (always a
    /// [`Spot::Value`]).
    pub overwrites: Vec<(u32, Spot)>,
    /// It never returns.
    pub noreturn: bool,
    /// Functions that it calls, each any number of times.
    pub callbacks: Vec<Callback>,
    /// Functions that run beside the program from the call on.
    pub threads: Vec<ThreadStart>,
}

impl Model {
    /// Whether its function is a glob rather than a name.
    pub fn is_glob(&self) -> bool {
        self.function.contains(GLOB)
    }
    /// The hidden states that the call's fresh object is a view of: to read the file it stands for reads the state, too, and to
    /// write it writes the state. A file is a view of the file system, a socket one of the network.
    pub fn views(&self) -> impl Iterator<Item = &str> {
        let into_new = self.flows.iter().filter(|f| f.target == Spot::New && f.carries);
        into_new
            .flat_map(|f| &f.sources)
            .filter_map(|s| if let Spot::State(name) = s { Some(name.as_str()) } else { None })
    }
    /// The largest argument number that it names.
    pub fn last_argument(&self) -> u32 {
        let flows = self.flows.iter().flat_map(|f| f.sources.iter().chain([&f.target])).filter_map(Spot::argument);
        let overwrites = self.overwrites.iter().flat_map(|(n, size)| [Some(*n), size.argument()]).flatten();
        let callbacks = self.callbacks.iter().flat_map(|c| {
            let arguments = c.arguments.iter().flatten().filter_map(Spot::argument);
            arguments.chain([c.function])
        });
        let threads = self.threads.iter().flat_map(|t| [Some(t.entry), t.argument]).flatten();
        flows.chain(overwrites).chain(callbacks).chain(threads).max().unwrap_or(0)
    }
}

/// What makes a name a glob.
pub(super) const GLOB: [char; 4] = ['*', '?', '[', '{'];

/// `TARGET <- SOURCES`, or `TARGET <~ SOURCES`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flow {
    /// What changes.
    pub target: Spot,
    /// What decides its new value.
    pub sources: Vec<Spot>,
    /// `<-`: the sources' values, and the pointers among them, may get there as they are. `<~`: the new value is computed from
    /// the sources, so that none of their pointers gets there.
    pub carries: bool,
}

/// A place of a call that data comes from or goes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Spot {
    /// `return`: the call's result.
    Return,
    /// `N`: the value of argument N.
    Value(u32),
    /// `N..`: the values of argument N and all later ones.
    Values(u32),
    /// `object N`: the memory that argument N points to, without what pointers in there lead to.
    Object(u32),
    /// `object N..`: the same for argument N and all later ones.
    Objects(u32),
    /// `*N`: all memory that can be reached from argument N.
    Memory(u32),
    /// `*N..`: the same for argument N and all later ones.
    Memories(u32),
    /// `global NAME`: a variable of the program or the library.
    Global(String),
    /// `input`: a value from outside that does not depend on how often it was read.
    Input,
    /// `stream NAME`: a sequence of values from or to the outside; each read goes on from the last.
    Stream(String),
    /// `state NAME`: a hidden object that all functions share that name it.
    State(String),
    /// `file N`: the file, folder, socket … that argument N stands for: by a `FILE *`, a `DIR *`, a descriptor, or a path.
    File(u32),
    /// `errno`
    Errno,
    /// `new`: a fresh object. As a source it is a pointer to it, as a target its content.
    New,
    /// `&state NAME`, `&global NAME`, `&errno`: a pointer to such an object. Only a source.
    Address(Box<Spot>),
    /// `*state NAME`, `*global NAME`: all memory that can be reached from pointers in such an object.
    Reached(Box<Spot>),
}

impl Spot {
    /// The argument that it is about, the first one of `N..`.
    pub fn argument(&self) -> Option<u32> {
        match self {
            Spot::Value(n)
            | Spot::Values(n)
            | Spot::Object(n)
            | Spot::Objects(n)
            | Spot::Memory(n)
            | Spot::Memories(n)
            | Spot::File(n) => Some(*n),
            Spot::Return
            | Spot::Global(_)
            | Spot::Input
            | Spot::Stream(_)
            | Spot::State(_)
            | Spot::Errno
            | Spot::New
            | Spot::Address(_)
            | Spot::Reached(_) => None,
        }
    }
}

/// A function that the modelled one calls while it runs. What it returns influences every target of the model's flows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Callback {
    /// The argument that is called; if it points to memory, all functions whose addresses are in there are.
    pub function: u32,
    /// What is passed; `None`: anything that the call reaches. Where an argument `N` is passed, so is any address in the same
    /// object (`qsort` passes elements of its array).
    pub arguments: Option<Vec<Spot>>,
}

/// A function that runs on its own from the call on, at any time and interleaved in any way: a thread, a signal handler, what runs
/// at exit. What it returns goes to `state threads`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadStart {
    /// The argument that is run; if it points to memory, all functions whose addresses are in there are.
    pub entry: u32,
    /// The argument whose value it gets; `None`: nothing, or values from outside.
    pub argument: Option<u32>,
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Spot::Return => write!(f, "return"),
            Spot::Value(n) => write!(f, "{n}"),
            Spot::Values(n) => write!(f, "{n}.."),
            Spot::Object(n) => write!(f, "object {n}"),
            Spot::Objects(n) => write!(f, "object {n}.."),
            Spot::Memory(n) => write!(f, "*{n}"),
            Spot::Memories(n) => write!(f, "*{n}.."),
            Spot::Global(name) => write!(f, "global {name}"),
            Spot::Input => write!(f, "input"),
            Spot::Stream(name) => write!(f, "stream {name}"),
            Spot::State(name) => write!(f, "state {name}"),
            Spot::File(n) => write!(f, "file {n}"),
            Spot::Errno => write!(f, "errno"),
            Spot::New => write!(f, "new"),
            Spot::Address(of) => write!(f, "&{of}"),
            Spot::Reached(from) => write!(f, "*{from}"),
        }
    }
}

impl fmt::Display for Flow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sources: Vec<String> = self.sources.iter().map(Spot::to_string).collect();
        write!(f, "{} {} {}", self.target, if self.carries { "<-" } else { "<~" }, sources.join(", "))
    }
}
