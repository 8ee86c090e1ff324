//! The intermediate representation: data only.
//!
//! A [`Program`] is what one translation unit, or all of them after linking, mean. A function's body is a control-flow graph of
//! blocks. There is one kind of instruction arena per body: an instruction *is* the value it computes ([`ValueId`]).
//!
//! Two forms share these types. *Lowered* form (`--emit ir`): every C variable is a [`Local`] in memory, accessed by `Load` and
//! `Store`; no `Phi`, `Copy` or `Uninit` exists. *SSA* form (`--emit ssa`): scalar locals whose address is used for nothing but
//! loads and stores, and that are not volatile, are *promoted*: their stores became `Copy`s, their loads vanished, `Phi`s
//! join them, loops are closed (a value defined in a loop is used outside only through a `Phi` in the loop's exit block), and
//! critical edges are split. `verify` checks either.
//!
//! Aggregates (structs, unions, whole arrays inside them) are first-class values: `a = b` is a `Load` and a `Store` of record
//! type, arguments and results by value are record values.

use super::types::{Bits, QualType, RecordId, TypeId, Types};
use crate::base::IdVec;
use crate::base::graph::LoopForest;
use crate::define_id;
use crate::source::Place;

define_id!(/// A function, defined or only declared.
    FuncId, "f");
define_id!(/// An object with static storage: a variable, a static local, a string literal.
    GlobalId, "g");
define_id!(/// An object of one activation of a function: a variable, a parameter's home, a temporary.
    LocalId, "l");
define_id!(/// A basic block.
    BlockId, "bb");
define_id!(/// A label whose address is taken.
    LabelId, "label");
define_id!(/// An instruction, and the value it computes.
    ValueId, "v");

/// One translation unit, or the whole linked program.
#[derive(Clone, Debug)]
pub struct Program {
    /// All types.
    pub types: Types,
    /// Objects with static storage.
    pub globals: IdVec<GlobalId, Global>,
    /// Functions, with and without body.
    pub functions: IdVec<FuncId, Function>,
    /// Functions that run before `main` (`__attribute__((constructor))`), in order.
    pub constructors: Vec<FuncId>,
    /// Functions that run after `main` (`__attribute__((destructor))`), in order.
    pub destructors: Vec<FuncId>,
    /// What could not be modelled, and what was taken for it.
    pub assumptions: Vec<Assumption>,
}

/// Something the result rests on, shown to the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumption {
    /// What kind.
    pub kind: AssumptionKind,
    /// In words.
    pub text: String,
    /// Where; `None` if it is about the whole program.
    pub place: Option<Place>,
}

/// Kinds of assumptions; the report shows them in kebab case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AssumptionKind {
    /// Inline or top-level assembly.
    InlineAsm,
    /// A construct replaced by an [`InstKind::StandIn`].
    StandIn,
    /// A function, or a builtin of the compiler, without body and model.
    UnknownFunction,
    /// A function whose body a model of the policy replaces.
    ModelReplacesBody,
    /// Arithmetic after which a pointer may be anywhere in its object.
    PointerArithmetic,
    /// Memory at an address of which it is not known where it comes from.
    UnknownPointer,
    /// A call of which it is not known for certain what it calls.
    PointerCall,
    /// Where accesses may be, and how memory is divided.
    Memory,
    /// Different memory that counts as one.
    Coarse,
    /// What runs beside the program.
    Threads,
    /// What callers of a library may do.
    Library,
    /// Anything else that a reader of the report must know.
    Other,
}

/// Visibility of a symbol between translation units.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Linkage {
    /// Seen by other units.
    External,
    /// Seen by other units, and gives way to an external definition there (`weak`).
    Weak,
    /// `static`, static locals, literals; also inline definitions, of which each unit has its own.
    Internal,
}

/// An object with static storage duration.
#[derive(Clone, Debug)]
pub struct Global {
    /// The C name; a static local's or a literal's has a dot (`main.count`, `.str3`).
    pub name: String,
    /// The name the linker sees if it differs (`asm("…")`).
    pub link_name: Option<String>,
    /// Its type. An array of unknown length here is completed by linking if any unit knows.
    pub ty: QualType,
    /// Pointer to `ty.ty`: the type of [`Operand::Global`].
    pub addr_ty: TypeId,
    /// Alignment in bytes (attributes included).
    pub align: u64,
    /// Who sees it.
    pub linkage: Linkage,
    /// Whether and how it is defined.
    pub definition: GlobalDef,
    /// One object per thread.
    pub thread_local: bool,
    /// For a static local: its function.
    pub owner: Option<FuncId>,
    /// Where it is declared.
    pub place: Place,
}

/// The definition of a global.
#[derive(Clone, Debug)]
pub enum GlobalDef {
    /// `extern int x;`
    Declared,
    /// `int x;` at file scope: zero unless another unit defines it.
    Tentative,
    /// Defined with this content.
    Defined(Initializer),
    /// `__attribute__((alias("…")))`: another name for the global of that link name. Gone after linking.
    Alias(String),
}

/// The content of a static object: items sorted by offset, not overlapping; what is not named is zero.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Initializer {
    /// Offset in bytes, and what is there.
    pub items: Vec<(u64, InitItem)>,
}

/// A piece of a static object's content.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InitItem {
    /// These bytes, in the target's byte order.
    Bytes(Vec<u8>),
    /// An address of pointer size.
    Address {
        /// Of what.
        target: InitTarget,
        /// Plus so many bytes.
        addend: i64,
    },
}

/// What a static initialiser may point to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InitTarget {
    /// An object.
    Global(GlobalId),
    /// A function.
    Function(FuncId),
    /// A label of a function (GNU `&&label`).
    Label(FuncId, LabelId),
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// The C name.
    pub name: String,
    /// The name the linker sees if it differs.
    pub link_name: Option<String>,
    /// Its function type.
    pub ty: TypeId,
    /// Pointer to `ty`: the type of [`Operand::Function`].
    pub addr_ty: TypeId,
    /// Who sees it.
    pub linkage: Linkage,
    /// Declared or known never to return.
    pub noreturn: bool,
    /// Returns a second time (`setjmp` and its relatives).
    pub returns_twice: bool,
    /// An interrupt handler by attribute.
    pub interrupt: bool,
    /// `alias` attribute: the function is this link name's. Gone after linking.
    pub alias: Option<String>,
    /// Where it is defined, or else first declared.
    pub place: Place,
    /// Its body if it is defined.
    pub body: Option<Body>,
}

/// The body of a function.
#[derive(Clone, Debug)]
pub struct Body {
    /// The parameters' values, in order: instructions of kind [`InstKind::Param`] at the start of the entry block.
    pub params: Vec<ValueId>,
    /// Objects of an activation, parameters' homes first (`locals[i]` is parameter `i`'s).
    pub locals: IdVec<LocalId, Local>,
    /// Blocks. Every block is reachable from the entry; the entry has no predecessor.
    pub blocks: IdVec<BlockId, Block>,
    /// Instructions; each is listed in exactly one block.
    pub insts: IdVec<ValueId, Inst>,
    /// Labels whose address is taken.
    pub labels: IdVec<LabelId, Label>,
    /// Where execution starts.
    pub entry: BlockId,
    /// The loop nesting; empty before SSA.
    pub loops: LoopForest<BlockId>,
}

/// The addresses of a function's labels are so many bytes apart, in the order of their ids: C programs keep differences of them
/// in tables (`&&b - &&a`), which are constants.
pub const LABEL_STRIDE: u64 = 16;

/// A label whose address is taken.
#[derive(Clone, Debug)]
pub struct Label {
    /// Its C name.
    pub name: String,
    /// The block it stands at; an `IndirectJump` may reach it through a split edge.
    pub block: BlockId,
}

/// An object of one activation.
#[derive(Clone, Debug)]
pub struct Local {
    /// The C name; empty for a temporary of the compiler.
    pub name: String,
    /// Its type. Never variable-length: such variables live in an `Alloca` that a pointer local names.
    pub ty: QualType,
    /// Pointer to `ty.ty`: the type of [`Operand::Local`].
    pub addr_ty: TypeId,
    /// Alignment in bytes (attributes included).
    pub align: u64,
    /// Where it is declared.
    pub place: Place,
    /// Whether SSA construction replaced it by values; then no instruction names it, but values' `var` does.
    pub promoted: bool,
}

/// A basic block. `Phi`s come first, then (in the entry) `Param`s.
#[derive(Clone, Debug)]
pub struct Block {
    /// Instructions in order.
    pub insts: Vec<ValueId>,
    /// How the block ends.
    pub term: Terminator,
    /// The place of the end: the condition of a branch, the `return`, the `goto`.
    pub term_place: Place,
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct Inst {
    /// What it does.
    pub kind: InstKind,
    /// The type of its value; `void` if it has none.
    pub ty: TypeId,
    /// After SSA: the variable that this value is a version of.
    pub var: Option<LocalId>,
    /// The C text it comes from.
    pub place: Place,
}

/// An operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// The value of an instruction.
    Value(ValueId),
    /// An integer, enum, bool or pointer constant.
    Int(Int, TypeId),
    /// A floating constant: the bits of its format (`float` in the low 32, x87 `long double` in the low 80, …).
    Float(Int, TypeId),
    /// The address of a global.
    Global(GlobalId),
    /// The address of a function.
    Function(FuncId),
    /// The address of a local.
    Local(LocalId),
    /// The address of a label, a `void *`.
    Label(LabelId),
}

/// 128 bits, aligned to 8 so that operands stay small. For an integer constant: its value, sign- or zero-extended
/// to 128 bits as its type says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Int([u64; 2]);

impl Int {
    /// From a value; for `unsigned __int128` above 2^127, from its two's complement.
    pub fn new(value: i128) -> Int {
        Int([value as u64, (value >> 64) as u64])
    }
    /// As a signed number.
    pub fn value(self) -> i128 {
        self.bits() as i128
    }
    /// As bits.
    pub fn bits(self) -> u128 {
        (u128::from(self.0[1]) << 64) | u128::from(self.0[0])
    }
}

/// What an instruction does.
///
/// Unless said otherwise an operation's operands have the instruction's type.
#[derive(Clone, Debug)]
pub enum InstKind {
    /// The value of parameter `n` on entry. Only in the entry block.
    Param(u32),
    /// The operand of the block that control came from. One entry per predecessor block, in the order of `Body::predecessors`.
    Phi(Vec<(BlockId, Operand)>),
    /// A definition of the promoted variable `var`.
    Copy(Operand),
    /// The arbitrary value of the promoted variable `var` before its first definition. Only in the entry block.
    Uninit,
    /// Arithmetic with one operand. On vectors lane by lane.
    Unary(UnOp, Operand),
    /// Arithmetic with two operands of the instruction's type; the right operand of a shift has a promoted type of its own.
    /// On integers, on floats and complex numbers (`Add Sub Mul Div`), on vectors lane by lane.
    Binary(BinOp, Operand, Operand),
    /// A comparison of two operands of the same scalar type (the sign of the comparison is that type's), as `int` 0 or 1.
    /// On vectors: lane by lane, all bits set or clear, in the vector type of the instruction.
    Compare(CmpOp, Operand, Operand),
    /// Conversion from the operand's type to the instruction's, as C defines it: between arithmetic types, pointers and
    /// integers; to `_Bool` it is a test; a vector is reinterpreted.
    Cast(Operand),
    /// `base + index * stride` bytes; `index` is of `ptrdiff_t`. The type is that of the resulting pointer.
    PtrAdd {
        /// The pointer.
        base: Operand,
        /// How many elements.
        index: Operand,
        /// Bytes per element.
        stride: u64,
    },
    /// `(lhs - rhs) / stride`, of `ptrdiff_t`.
    PtrDiff {
        /// The minuend.
        lhs: Operand,
        /// The subtrahend.
        rhs: Operand,
        /// Bytes per element.
        stride: u64,
    },
    /// The address of a member (for a bit-field, of its first byte). The type is a pointer to the member's type.
    FieldAddr {
        /// The address of the record.
        base: Operand,
        /// Which record type.
        record: RecordId,
        /// Index into its members.
        field: u32,
    },
    /// Reads memory. The type is the access's.
    Load {
        /// From where.
        addr: Operand,
        /// What and how.
        access: Access,
    },
    /// Writes memory.
    Store {
        /// To where.
        addr: Operand,
        /// What; of the access's type.
        value: Operand,
        /// What and how.
        access: Access,
    },
    /// A call. Arguments are converted and promoted as C says.
    Call {
        /// What is called.
        callee: Callee,
        /// The arguments; those past the callee's parameters are its variable ones.
        args: Vec<Operand>,
    },
    /// `va_start`: `list` is the address of the `va_list` object.
    VaStart(Operand),
    /// `va_arg`: the next argument, of the instruction's type.
    VaArg(Operand),
    /// `va_copy`
    VaCopy {
        /// The address of the list made.
        to: Operand,
        /// The address of the list copied.
        from: Operand,
    },
    /// `va_end`
    VaEnd(Operand),
    /// `alloca`, or the storage of a variable-length array: so many bytes until the function returns.
    Alloca {
        /// How many bytes, of `size_t`.
        size: Operand,
        /// Alignment in bytes.
        align: u64,
    },
    /// Inline assembly; its outputs are the `AsmOutput`s that name it.
    Asm(Box<Asm>),
    /// Output `index` of an `Asm`.
    AsmOutput {
        /// The `Asm`.
        asm: ValueId,
        /// Which output; for an `asm goto`, the index after the last output is the number of the label taken, 0 for none.
        index: u32,
    },
    /// A compiler builtin that computes from its operands alone.
    Intrinsic(Intrinsic, Vec<Operand>),
    /// A construct that is not modelled: its value, and the memory its operands reach, become arbitrary, depending on the
    /// operands. Listed in the assumptions and counted.
    StandIn {
        /// What it stands for.
        what: Box<str>,
        /// What it may depend on.
        operands: Vec<Operand>,
    },
}

/// What is called.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Callee {
    /// This function.
    Direct(FuncId),
    /// The function this pointer points to.
    Indirect(Operand),
}

/// How memory is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    /// The type of the value. For a bit-field its declared type.
    pub ty: TypeId,
    /// Through a volatile lvalue.
    pub volatile: bool,
    /// `_Atomic`, `__atomic_*` or `__sync_*`.
    pub atomic: bool,
    /// For a bit-field: which bits, counted from the address.
    pub bits: Option<Bits>,
}

/// Operations with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnOp {
    /// `-x`
    Neg,
    /// `~x`; on a complex number the conjugate
    Not,
}

/// Operations with two operands. Division and right shift are signed or unsigned as the type is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are C's")]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
}

/// Comparisons. On floats all but `Ne` are false if an operand is not a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are C's")]
pub enum CmpOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Builtins that compute from their operands alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Intrinsic {
    /// Leading zeros of the operand's type.
    Clz,
    /// Trailing zeros.
    Ctz,
    /// Leading redundant sign bits.
    Clrsb,
    /// One bits.
    Popcount,
    /// One bits modulo 2.
    Parity,
    /// Index of the least significant one bit plus 1, or 0.
    Ffs,
    /// Bytes in reverse order, in the instruction's type.
    Bswap,
    /// Whether `a op b`, exact, does not fit the given type.
    Overflows(BinOp, TypeId),
    /// The sign bit of a float, as `int`.
    SignBit,
    /// Real part of a complex number.
    Real,
    /// Imaginary part of a complex number.
    Imag,
    /// A complex number from its parts.
    Complex,
    /// `__builtin_frame_address`, `__builtin_return_address`: an arbitrary address.
    FrameAddress,
    /// `__builtin_shuffle` / `__builtin_shufflevector`: operands are one or two vectors and a mask vector.
    Shuffle,
    /// A vector converted lane by lane to the instruction's type.
    ConvertVector,
    /// All lanes of the instruction's vector type set to the operand.
    Splat,
    /// An instruction of the processor on 16 bytes, which C reaches by a builtin of its own.
    Machine(MachineOp),
}

/// Instructions of the processor, named for what they do. Operands are vectors of 16 bytes, and an `int` where one is said.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MachineOp {
    /// A round of AES: state and round key.
    AesEncrypt,
    /// The last round of AES: state and round key.
    AesEncryptLast,
    /// A round of the inverse cipher: state and round key.
    AesDecrypt,
    /// The last round of the inverse cipher: state and round key.
    AesDecryptLast,
    /// The inverse mixing of columns: a round key.
    AesInverseMix,
    /// A step of the key schedule: a key, and the round constant as `int`.
    AesKeyAssist,
    /// The product of two polynomials of 64 bits; bits 0 and 4 of an `int` choose the halves.
    CarrylessMultiply,
    /// The bytes of the first vector as the second numbers them, 0 where its number has the high bit.
    ByteShuffle,
}

/// Extended inline assembly.
#[derive(Clone, Debug)]
pub struct Asm {
    /// The template.
    pub template: String,
    /// Whether it is `volatile` or has no outputs.
    pub volatile: bool,
    /// Constraints of the outputs that are values, in order.
    pub outputs: Vec<String>,
    /// Input values with their constraints; a `+` output appears as an input of constraint `+N`, N the output's index.
    pub inputs: Vec<(String, Operand)>,
    /// Addresses of operands in memory, which may be read and written.
    pub memory: Vec<Operand>,
    /// Clobbers.
    pub clobbers: Vec<String>,
    /// Labels of an `asm goto`.
    pub labels: Vec<String>,
}

/// How a block ends.
#[derive(Clone, Debug)]
pub enum Terminator {
    /// Goes on there.
    Jump(BlockId),
    /// `cond` is an `int`: not 0 goes to `then`. `then` and `otherwise` differ.
    Branch {
        /// The condition.
        cond: Operand,
        /// Where to go if it is not 0.
        then: BlockId,
        /// Where to go if it is 0.
        otherwise: BlockId,
    },
    /// Goes to the case whose range holds `value`, else to `default`. Ranges do not overlap.
    Switch {
        /// The value, of a promoted integer type.
        value: Operand,
        /// The cases in source order.
        cases: Vec<Case>,
        /// Where to go if none fits.
        default: BlockId,
    },
    /// Computed goto; there is at most one per function, which all computed gotos share.
    IndirectJump {
        /// The address of a label.
        addr: Operand,
        /// Where each label whose address is taken leads.
        targets: Vec<(LabelId, BlockId)>,
    },
    /// Returns to the caller.
    Return(Option<Operand>),
    /// Not reached: after a call that does not return, or undefined behaviour (`__builtin_unreachable`).
    Unreachable,
}

/// A case of a switch: both ends included, as values of the switch's type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Case {
    /// The least value.
    pub low: i128,
    /// The greatest value.
    pub high: i128,
    /// Where it leads.
    pub target: BlockId,
}
