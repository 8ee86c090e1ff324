//! Library functions that compilers know without a declaration: their types.
//!
//! `__builtin_memcpy` is `memcpy`. If the unit declares that, its type is the declared one; else the table below gives it. A
//! function with a parameter whose type only a header has (`FILE *`, `jmp_buf`) gets no prototype, so that any later declaration
//! agrees with it.

use super::super::Lower;
use super::float;
use crate::ir::types::{FloatKind, FunctionType, IntKind, QualType, Quals, Type, TypeId, Types};

/// Types in letters, the result first, then the names that have them.
///
/// `v` void, `i` int, `u` unsigned, `l` long, `q` long long, `j` the widest signed type, `z` `size_t`, `d` double, `f` float,
/// `D` long double, `C` complex double, `p` `void *`, `P` `const void *`, `A` `void **`, `s` `char *`, `S` `const char *`,
/// `I` `int *`, `e` `double *`, `x` `wint_t`, `V` `va_list`, `.` variadic, `?` no prototype.
const FUNCTIONS: &[(&str, &str)] = &[
    ("v", "abort"),
    ("vi", "exit _exit _Exit quick_exit"),
    ("i?", "setjmp _setjmp sigsetjmp __sigsetjmp"),
    ("v?", "longjmp _longjmp siglongjmp"),
    ("ii", "abs isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper"),
    ("ii", "isxdigit toascii tolower toupper putchar"),
    ("ll", "labs"),
    ("qq", "llabs"),
    ("jj", "imaxabs"),
    (
        "ix",
        "iswalnum iswalpha iswblank iswcntrl iswdigit iswgraph iswlower iswprint iswpunct iswspace iswupper iswxdigit",
    ),
    ("xx", "towlower towupper"),
    ("zS", "strlen"),
    ("zSz", "strnlen"),
    ("iSS", "strcmp strcasecmp strcoll"),
    ("iSSz", "strncmp strncasecmp"),
    ("sSi", "strchr strrchr index rindex"),
    ("sSS", "strstr strpbrk strcasestr"),
    ("zSS", "strspn strcspn"),
    ("ssS", "strcpy strcat stpcpy strtok"),
    ("ssSz", "strncpy strncat stpncpy"),
    ("zsSz", "strlcpy strlcat strxfrm"),
    ("sS", "strdup getenv gettext"),
    ("sSz", "strndup"),
    ("sSSi", "dcgettext"),
    ("iPPz", "memcmp bcmp"),
    ("pPiz", "memchr memrchr"),
    ("ppPz", "memcpy memmove mempcpy"),
    ("ppiz", "memset"),
    ("ppPiz", "memccpy"),
    ("vPpz", "bcopy"),
    ("vpz", "bzero"),
    ("pz", "malloc valloc"),
    ("pzz", "calloc aligned_alloc memalign"),
    ("ppz", "realloc"),
    ("vp", "free"),
    ("iAzz", "posix_memalign"),
    ("iS.", "printf scanf"),
    ("isS.", "sprintf"),
    ("iszS.", "snprintf"),
    ("iSS.", "sscanf execl execlp"),
    ("iSV", "vprintf vscanf"),
    ("isSV", "vsprintf"),
    ("iszSV", "vsnprintf"),
    ("iSSV", "vsscanf"),
    ("iS", "puts"),
    ("i?", "fprintf vfprintf fscanf vfscanf fputc fputs putc fflush execle execv execve execvp"),
    ("z?", "fwrite fread strftime"),
    ("i", "fork"),
];

/// The same for functions on `double`, which come with an `f` for `float`, an `l` for `long double`, and so on.
const MATH: &[(&str, &str)] = &[
    ("dd", "acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp10 exp2 expm1 fabs floor gamma j0 j1"),
    ("dd", "lgamma log log10 log1p log2 logb nearbyint pow10 rint round roundeven significand sin sinh sqrt tan tanh"),
    ("dd", "tgamma trunc y0 y1"),
    ("ddd", "atan2 copysign drem fdim fmax fmaximum fmaximum_num fmin fminimum fminimum_num fmod hypot nextafter pow"),
    ("ddd", "remainder scalb"),
    ("dddd", "fma"),
    ("ddi", "ldexp scalbn"),
    ("ddl", "scalbln"),
    ("ddD", "nexttoward"),
    ("ddI", "frexp lgamma_r gamma_r"),
    ("dde", "modf"),
    ("id", "ilogb"),
    ("ld", "lrint lround"),
    ("qd", "llrint llround"),
    ("did", "jn yn"),
    ("dddI", "remquo"),
    ("vdee", "sincos"),
    ("dS", "nan"),
    ("dC", "cabs carg"),
    ("CC", "cacos cacosh casin casinh catan catanh ccos ccosh cexp clog clog10 cproj csin csinh csqrt ctan ctanh"),
    ("CCC", "cpow"),
];

fn find(table: &'static [(&str, &str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(_, names)| names.split(' ').any(|n| n == name)).map(|(letters, _)| *letters)
}

/// The letters of a function, and what `d` stands for in them.
fn lookup(name: &str) -> Option<(&'static str, FloatKind)> {
    if let Some(letters) = find(FUNCTIONS, name).or_else(|| find(MATH, name)) {
        return Some((letters, FloatKind::Double));
    }
    ["f128", "f64x", "f32x", "f64", "f32", "f16", "f", "l"].into_iter().find_map(|suffix| {
        let letters = find(MATH, name.strip_suffix(suffix)?)?;
        Some((letters, float::suffix(suffix)?))
    })
}

/// Whether compilers know a library function of this name.
pub(super) fn knows(name: &str) -> bool {
    lookup(name).is_some()
}

/// Library functions known never to return.
pub(in super::super) fn never_returns(name: &str) -> bool {
    matches!(
        name,
        "abort" | "exit" | "_exit" | "_Exit" | "quick_exit" | "longjmp" | "_longjmp" | "siglongjmp" | "__assert_fail"
    )
}

/// Library functions that return a second time.
pub(in super::super) fn returns_twice(name: &str) -> bool {
    matches!(name, "setjmp" | "_setjmp" | "__setjmp" | "sigsetjmp" | "__sigsetjmp" | "savectx" | "getcontext" | "vfork")
}

/// `__memcpy_chk` is `memcpy` without the arguments at these positions: the size of the object, and flags.
pub(super) fn checked(name: &str) -> Option<(&str, &'static [usize])> {
    let plain = name.strip_prefix("__")?.strip_suffix("_chk")?;
    let without: &[usize] = match plain {
        "memcpy" | "memmove" | "mempcpy" | "memset" | "strncpy" | "strncat" | "stpncpy" | "strlcpy" | "strlcat" => &[3],
        "strcpy" | "strcat" | "stpcpy" => &[2],
        "sprintf" | "vsprintf" => &[1, 2],
        "snprintf" | "vsnprintf" => &[2, 3],
        "printf" | "vprintf" => &[0],
        "fprintf" | "vfprintf" => &[1],
        _ => return None,
    };
    Some((plain, without))
}

impl Lower<'_> {
    /// The type of a library function that compilers know.
    pub(in super::super) fn library_type(&mut self, name: &str) -> Option<TypeId> {
        let (letters, float) = lookup(name)?;
        let mut types = Vec::new();
        let (mut variadic, mut prototype) = (false, true);
        for letter in letters.chars() {
            match letter {
                '.' => variadic = true,
                '?' => prototype = false,
                _ => types.push(self.letter(letter, float)?),
            }
        }
        let result = types.remove(0);
        let f = FunctionType { result, params: types, variadic, prototype };
        Some(self.types.intern(Type::Function(f)))
    }

    fn letter(&mut self, letter: char, float: FloatKind) -> Option<TypeId> {
        let constant = |ty| QualType { ty, quals: Quals::CONST };
        Some(match letter {
            'v' => Types::VOID,
            'i' => Types::INT,
            'u' | 'x' => Types::UINT,
            'l' => Types::int(IntKind::Long),
            'j' if self.types.model.long_size == self.types.model.long_long_size => Types::int(IntKind::Long),
            'j' | 'q' => Types::int(IntKind::LongLong),
            'z' => self.types.size_t(),
            'd' => Types::float(float),
            'D' => Types::float(FloatKind::LongDouble),
            'C' => self.types.intern(Type::Complex(float)),
            'p' => Types::VOID_PTR,
            'P' => self.types.pointer_to(constant(Types::VOID)),
            'A' => self.types.pointer_to(Types::VOID_PTR.into()),
            's' => Types::CHAR_PTR,
            'S' => self.types.pointer_to(constant(Types::CHAR)),
            'I' => self.types.pointer_to(Types::INT.into()),
            'e' => self.types.pointer_to(Types::float(float).into()),
            'V' => {
                let list = self.va_list_type();
                self.adjust_parameter(list.into()).ty
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_choose_the_floating_type() {
        assert_eq!(lookup("sin"), Some(("dd", FloatKind::Double)));
        assert_eq!(lookup("sinf"), Some(("dd", FloatKind::Float)));
        assert_eq!(lookup("fmal"), Some(("dddd", FloatKind::LongDouble)));
        assert_eq!(lookup("copysignf128"), Some(("ddd", FloatKind::Float128)));
        // These end like a suffix and are not.
        assert_eq!(lookup("ceil"), Some(("dd", FloatKind::Double)));
        assert_eq!(lookup("erf"), Some(("dd", FloatKind::Double)));
        assert_eq!(lookup("modff"), Some(("dde", FloatKind::Float)));
        assert_eq!(lookup("memcpyf"), None);
        assert_eq!(lookup("frobnicate"), None);
    }

    #[test]
    fn every_letter_has_a_meaning() {
        let known = "viuljqzdDCpPAsSIexV.?";
        for (letters, names) in FUNCTIONS.iter().chain(MATH) {
            assert!(letters.chars().all(|c| known.contains(c)), "{letters}");
            assert!(!names.split(' ').any(str::is_empty), "{names}");
        }
    }

    #[test]
    fn checked_functions_lose_what_the_check_added() {
        assert_eq!(checked("__memcpy_chk"), Some(("memcpy", [3].as_slice())));
        assert_eq!(checked("__snprintf_chk"), Some(("snprintf", [2, 3].as_slice())));
        assert_eq!(checked("memcpy"), None);
        assert_eq!(checked("__unknown_chk"), None);
    }
}
