//! C types, interned, with their layout.
//!
//! Types are C's own, not a machine's: later phases show them to the user and need fields by name. Qualifiers stand where C has
//! them ([`QualType`] inside pointers, arrays and members); the type of a value is unqualified, and what `volatile` means for an
//! access is written on the access.
//!
//! Invariant: equal types have equal ids, except records and enums, which are equal only to themselves (as in C).

use rustc_hash::FxHashMap;

use super::syntax::LocalId;
use crate::base::IdVec;
use crate::define_id;
use crate::source::DataModel;

define_id!(/// A type.
    TypeId, "t");
define_id!(/// A struct or union.
    RecordId, "rec");
define_id!(/// An enumeration.
    EnumId, "enum");

/// Qualifiers of an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Quals(u8);

impl Quals {
    /// No qualifier.
    pub const NONE: Quals = Quals(0);
    /// `const`
    pub const CONST: Quals = Quals(1);
    /// `volatile`
    pub const VOLATILE: Quals = Quals(2);
    /// `restrict`
    pub const RESTRICT: Quals = Quals(4);
    /// `_Atomic`
    pub const ATOMIC: Quals = Quals(8);
    /// Both sets together.
    #[must_use]
    pub fn with(self, other: Quals) -> Quals {
        Quals(self.0 | other.0)
    }
    /// Whether all of `other` are here.
    pub fn has(self, other: Quals) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A type with the qualifiers of the object that has it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct QualType {
    /// The type itself.
    pub ty: TypeId,
    /// Its outermost qualifiers.
    pub quals: Quals,
}

impl From<TypeId> for QualType {
    fn from(ty: TypeId) -> Self {
        QualType { ty, quals: Quals::NONE }
    }
}

/// The integer types. `Char` is a type of its own whose sign the data model knows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "the names are C's")]
pub enum IntKind {
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Int128,
    UInt128,
}

impl IntKind {
    /// All kinds, in the order of their preinterned ids.
    pub const ALL: [IntKind; 13] = [
        IntKind::Char,
        IntKind::SChar,
        IntKind::UChar,
        IntKind::Short,
        IntKind::UShort,
        IntKind::Int,
        IntKind::UInt,
        IntKind::Long,
        IntKind::ULong,
        IntKind::LongLong,
        IntKind::ULongLong,
        IntKind::Int128,
        IntKind::UInt128,
    ];
    /// The unsigned type of the same size.
    #[must_use]
    pub fn to_unsigned(self) -> IntKind {
        match self {
            IntKind::Char | IntKind::SChar | IntKind::UChar => IntKind::UChar,
            IntKind::Short | IntKind::UShort => IntKind::UShort,
            IntKind::Int | IntKind::UInt => IntKind::UInt,
            IntKind::Long | IntKind::ULong => IntKind::ULong,
            IntKind::LongLong | IntKind::ULongLong => IntKind::ULongLong,
            IntKind::Int128 | IntKind::UInt128 => IntKind::UInt128,
        }
    }
    /// The signed type of the same size.
    #[must_use]
    pub fn to_signed(self) -> IntKind {
        match self {
            IntKind::Char | IntKind::SChar | IntKind::UChar => IntKind::SChar,
            IntKind::Short | IntKind::UShort => IntKind::Short,
            IntKind::Int | IntKind::UInt => IntKind::Int,
            IntKind::Long | IntKind::ULong => IntKind::Long,
            IntKind::LongLong | IntKind::ULongLong => IntKind::LongLong,
            IntKind::Int128 | IntKind::UInt128 => IntKind::Int128,
        }
    }
    /// C's integer conversion rank.
    pub fn rank(self) -> u8 {
        match self {
            IntKind::Char | IntKind::SChar | IntKind::UChar => 1,
            IntKind::Short | IntKind::UShort => 2,
            IntKind::Int | IntKind::UInt => 3,
            IntKind::Long | IntKind::ULong => 4,
            IntKind::LongLong | IntKind::ULongLong => 5,
            IntKind::Int128 | IntKind::UInt128 => 6,
        }
    }
    /// The C spelling.
    pub fn name(self) -> &'static str {
        match self {
            IntKind::Char => "char",
            IntKind::SChar => "signed char",
            IntKind::UChar => "unsigned char",
            IntKind::Short => "short",
            IntKind::UShort => "unsigned short",
            IntKind::Int => "int",
            IntKind::UInt => "unsigned int",
            IntKind::Long => "long",
            IntKind::ULong => "unsigned long",
            IntKind::LongLong => "long long",
            IntKind::ULongLong => "unsigned long long",
            IntKind::Int128 => "__int128",
            IntKind::UInt128 => "unsigned __int128",
        }
    }
}

/// The floating types.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "the names are C's")]
pub enum FloatKind {
    Float16,
    Float,
    Double,
    LongDouble,
    Float128,
}

impl FloatKind {
    /// All kinds, in the order of their preinterned ids.
    pub const ALL: [FloatKind; 5] =
        [FloatKind::Float16, FloatKind::Float, FloatKind::Double, FloatKind::LongDouble, FloatKind::Float128];
    /// The C spelling.
    pub fn name(self) -> &'static str {
        match self {
            FloatKind::Float16 => "_Float16",
            FloatKind::Float => "float",
            FloatKind::Double => "double",
            FloatKind::LongDouble => "long double",
            FloatKind::Float128 => "_Float128",
        }
    }
}

/// How long an array is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Length {
    /// So many elements.
    Fixed(u64),
    /// Not known here: `extern int a[];`, a flexible array member.
    Unknown,
    /// A variable length array; the count is in this local of the function (of `size_t`), which lowering defines once, where
    /// the type is written.
    Variable(LocalId),
}

/// A type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `void`
    Void,
    /// `_Bool`
    Bool,
    /// An integer type.
    Int(IntKind),
    /// A floating type.
    Float(FloatKind),
    /// `_Complex`: real part, then imaginary part.
    Complex(FloatKind),
    /// An enumeration; computes as its underlying integer type.
    Enum(EnumId),
    /// A struct or union.
    Record(RecordId),
    /// A pointer.
    Pointer(QualType),
    /// An array.
    Array {
        /// What it is an array of.
        element: QualType,
        /// How many.
        length: Length,
    },
    /// A GNU vector (`vector_size`): operations work lane by lane.
    Vector {
        /// The type of a lane.
        element: TypeId,
        /// How many lanes.
        lanes: u32,
    },
    /// A function.
    Function(FunctionType),
}

/// The type of a function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FunctionType {
    /// What it returns.
    pub result: TypeId,
    /// Its parameters after adjustment (arrays and functions are pointers).
    pub params: Vec<TypeId>,
    /// Whether `...` follows.
    pub variadic: bool,
    /// False for `f()` and K&R definitions: calls are not checked against `params`, arguments are promoted.
    pub prototype: bool,
}

/// Struct or union.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are C's")]
pub enum RecordKind {
    Struct,
    Union,
}

/// A struct or union.
#[derive(Clone, Debug)]
pub struct Record {
    /// Which of the two.
    pub kind: RecordKind,
    /// The tag, or the typedef name that an untagged one was first given, or empty.
    pub name: String,
    /// Members in order. Empty while incomplete.
    pub members: Vec<Member>,
    /// Size in bytes. A flexible array member adds nothing.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// Whether the members are known.
    pub complete: bool,
    /// `transparent_union`: an argument of any member's type is accepted.
    pub transparent: bool,
}

/// A member of a record.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name; empty for an anonymous struct or union and for an unnamed bit-field.
    pub name: String,
    /// Its type.
    pub ty: QualType,
    /// Byte offset in the record; for a bit-field, of the byte that holds its first bit.
    pub offset: u64,
    /// Set for a bit-field.
    pub bits: Option<Bits>,
}

/// Which bits an access touches, counted from the addressed byte: from the least significant bit on little-endian
/// targets, from the most significant one on big-endian targets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bits {
    /// The first bit, below 8.
    pub offset: u8,
    /// How many bits, 1 to 128.
    pub width: u8,
}

impl Bits {
    /// How many bytes the access touches.
    pub fn bytes(self) -> u64 {
        (u64::from(self.offset) + u64::from(self.width)).div_ceil(8)
    }
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct Enum {
    /// The tag, or the typedef name that an untagged one was first given, or empty.
    pub name: String,
    /// The integer type it computes as.
    pub underlying: IntKind,
    /// Constants in order.
    pub constants: Vec<(String, i128)>,
    /// Whether the constants are known.
    pub complete: bool,
}

/// The table of all types of a program.
#[derive(Clone, Debug)]
pub struct Types {
    /// Sizes and signs of the target.
    pub model: DataModel,
    all: IdVec<TypeId, Type>,
    ids: FxHashMap<Type, TypeId>,
    /// Structs and unions.
    pub records: IdVec<RecordId, Record>,
    /// Enumerations.
    pub enums: IdVec<EnumId, Enum>,
}

impl Types {
    /// `void`
    pub const VOID: TypeId = TypeId(0);
    /// `_Bool`
    pub const BOOL: TypeId = TypeId(1);
    /// `char`
    pub const CHAR: TypeId = Types::int(IntKind::Char);
    /// `int`
    pub const INT: TypeId = Types::int(IntKind::Int);
    /// `unsigned int`
    pub const UINT: TypeId = Types::int(IntKind::UInt);
    /// `double`
    pub const DOUBLE: TypeId = Types::float(FloatKind::Double);
    /// `void *`
    pub const VOID_PTR: TypeId = TypeId(20);
    /// `char *`
    pub const CHAR_PTR: TypeId = TypeId(21);

    /// The id of an integer type.
    pub const fn int(kind: IntKind) -> TypeId {
        TypeId(2 + kind as u32)
    }
    /// The id of a floating type.
    pub const fn float(kind: FloatKind) -> TypeId {
        TypeId(15 + kind as u32)
    }

    /// A table with the basic types.
    pub fn new(model: DataModel) -> Types {
        let mut types =
            Types { model, all: IdVec::new(), ids: FxHashMap::default(), records: IdVec::new(), enums: IdVec::new() };
        types.intern(Type::Void);
        types.intern(Type::Bool);
        for kind in IntKind::ALL {
            types.intern(Type::Int(kind));
        }
        for kind in FloatKind::ALL {
            types.intern(Type::Float(kind));
        }
        assert_eq!(types.pointer_to(Types::VOID.into()), Types::VOID_PTR);
        assert_eq!(types.pointer_to(Types::CHAR.into()), Types::CHAR_PTR);
        types
    }

    /// The id of a type.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.ids.get(&ty) {
            return id;
        }
        let id = self.all.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }
    /// The type of an id.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.all[id]
    }
    /// All types, in the order they were made: a type's parts come before it, except through records.
    pub fn iter(&self) -> impl Iterator<Item = (TypeId, &Type)> {
        self.all.enumerate()
    }
    /// A pointer to `target`.
    pub fn pointer_to(&mut self, target: QualType) -> TypeId {
        self.intern(Type::Pointer(target))
    }
    /// An array of `length` elements.
    pub fn array_of(&mut self, element: QualType, length: Length) -> TypeId {
        self.intern(Type::Array { element, length })
    }
    /// The unsigned type of `sizeof`.
    pub fn size_t(&self) -> TypeId {
        Types::int(self.model.size_type)
    }
    /// The signed type of pointer differences.
    pub fn ptrdiff_t(&self) -> TypeId {
        Types::int(self.model.ptrdiff_type)
    }

    /// The size in bytes; `None` for incomplete, function and variable-length types. `void` and functions count 1 in GNU
    /// pointer arithmetic: see [`Types::stride`].
    pub fn size_of(&self, id: TypeId) -> Option<u64> {
        match self.get(id) {
            Type::Void | Type::Function(_) | Type::Array { length: Length::Unknown | Length::Variable(_), .. } => None,
            Type::Bool => Some(1),
            Type::Int(kind) => Some(self.model.int_size(*kind)),
            Type::Float(kind) => Some(self.model.float_size(*kind)),
            Type::Complex(kind) => Some(2 * self.model.float_size(*kind)),
            Type::Enum(id) => {
                let e = &self.enums[*id];
                e.complete.then(|| self.model.int_size(e.underlying))
            }
            Type::Record(id) => {
                let record = &self.records[*id];
                record.complete.then_some(record.size)
            }
            Type::Pointer(_) => Some(self.model.pointer_size),
            Type::Array { element, length: Length::Fixed(n) } => self.size_of(element.ty)?.checked_mul(*n),
            Type::Vector { element, lanes } => Some(self.size_of(*element)? * u64::from(*lanes)),
        }
    }
    /// The alignment in bytes; 1 where there is none.
    pub fn align_of(&self, id: TypeId) -> u64 {
        match self.get(id) {
            Type::Void | Type::Function(_) | Type::Bool => 1,
            Type::Int(kind) => self.model.int_align(*kind),
            Type::Float(kind) | Type::Complex(kind) => self.model.float_align(*kind),
            Type::Enum(id) => self.model.int_align(self.enums[*id].underlying),
            Type::Record(id) => self.records[*id].align.max(1),
            Type::Pointer(_) => self.model.pointer_size.min(self.model.max_align),
            Type::Array { element, .. } => self.align_of(element.ty),
            Type::Vector { element, lanes } => {
                (self.size_of(*element).unwrap_or(1) * u64::from(*lanes)).next_power_of_two()
            }
        }
    }
    /// The step of pointer arithmetic on a pointer to `target`.
    pub fn stride(&self, target: TypeId) -> Option<u64> {
        match self.get(target) {
            Type::Void | Type::Function(_) => Some(1),
            _ => self.size_of(target),
        }
    }

    /// The integer type that `id` computes as (integers, enums, `_Bool`), if it is one. `_Bool` answers `UChar`.
    pub fn as_int(&self, id: TypeId) -> Option<IntKind> {
        match self.get(id) {
            Type::Bool => Some(IntKind::UChar),
            Type::Int(kind) => Some(*kind),
            Type::Enum(id) => Some(self.enums[*id].underlying),
            _ => None,
        }
    }
    /// Whether this integer kind is signed on the target.
    pub fn is_signed_kind(&self, kind: IntKind) -> bool {
        match kind {
            IntKind::Char => self.model.char_signed,
            IntKind::SChar | IntKind::Short | IntKind::Int | IntKind::Long | IntKind::LongLong | IntKind::Int128 => {
                true
            }
            IntKind::UChar
            | IntKind::UShort
            | IntKind::UInt
            | IntKind::ULong
            | IntKind::ULongLong
            | IntKind::UInt128 => false,
        }
    }
    /// Width in bits and sign of an integer-like type (integers, enums, `_Bool`, pointers).
    pub fn int_shape(&self, id: TypeId) -> Option<(u32, bool)> {
        if let Type::Pointer(_) = self.get(id) {
            return Some((self.model.pointer_size as u32 * 8, false));
        }
        let kind = self.as_int(id)?;
        Some((self.model.int_size(kind) as u32 * 8, self.is_signed_kind(kind)))
    }
    /// The pointee of a pointer.
    pub fn pointee(&self, id: TypeId) -> Option<QualType> {
        match self.get(id) {
            Type::Pointer(target) => Some(*target),
            _ => None,
        }
    }
    /// The function type, if it is one.
    pub fn as_function(&self, id: TypeId) -> Option<&FunctionType> {
        match self.get(id) {
            Type::Function(f) => Some(f),
            _ => None,
        }
    }
    /// Whether values of this type are aggregates (moved as blocks of bytes).
    pub fn is_aggregate(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Record(_) | Type::Array { .. })
    }

    /// The C spelling of a type.
    pub fn show(&self, id: TypeId) -> String {
        self.declare(id.into(), "")
    }
    /// The C declaration of `name` with this type (`int (*name)(char)`).
    pub fn declare(&self, ty: QualType, name: &str) -> String {
        fn quals(q: Quals) -> String {
            let mut s = String::new();
            for (flag, word) in [
                (Quals::CONST, "const "),
                (Quals::VOLATILE, "volatile "),
                (Quals::RESTRICT, "restrict "),
                (Quals::ATOMIC, "_Atomic "),
            ] {
                if q.has(flag) {
                    s.push_str(word);
                }
            }
            s
        }
        let base = |word: String| {
            let q = quals(ty.quals);
            if name.is_empty() { format!("{q}{word}") } else { format!("{q}{word} {name}") }
        };
        let tagged = |word: &str, tag: &str, id: String| {
            if tag.is_empty() { base(format!("{word} <{id}>")) } else { base(format!("{word} {tag}")) }
        };
        match self.get(ty.ty) {
            Type::Void => base("void".into()),
            Type::Bool => base("_Bool".into()),
            Type::Int(kind) => base(kind.name().into()),
            Type::Float(kind) => base(kind.name().into()),
            Type::Complex(kind) => base(format!("_Complex {}", kind.name())),
            Type::Enum(id) => tagged("enum", &self.enums[*id].name, id.to_string()),
            Type::Record(id) => {
                let record = &self.records[*id];
                let word = match record.kind {
                    RecordKind::Struct => "struct",
                    RecordKind::Union => "union",
                };
                tagged(word, &record.name, id.to_string())
            }
            Type::Vector { element, lanes } => base(format!("{} __vector({lanes})", self.show(*element))),
            Type::Pointer(target) => {
                let inner = format!("*{}{name}", quals(ty.quals));
                let inner = match self.get(target.ty) {
                    Type::Array { .. } | Type::Function(_) => format!("({inner})"),
                    _ => inner,
                };
                self.declare(*target, inner.trim_end())
            }
            Type::Array { element, length } => {
                let n = match length {
                    Length::Fixed(n) => n.to_string(),
                    Length::Unknown => String::new(),
                    Length::Variable(local) => local.to_string(),
                };
                self.declare(*element, &format!("{name}[{n}]"))
            }
            Type::Function(f) => {
                let mut params: Vec<String> = f.params.iter().map(|p| self.show(*p)).collect();
                if f.variadic {
                    params.push("...".into());
                } else if params.is_empty() && f.prototype {
                    params.push("void".into());
                }
                self.declare(f.result.into(), &format!("{name}({})", params.join(", ")))
            }
        }
    }
    /// How many types there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }
    /// Never: the basic types are always there.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

/// The last preinterned id must fit the constants above.
const _: () = assert!(Types::VOID_PTR.0 == 2 + 13 + 5);
