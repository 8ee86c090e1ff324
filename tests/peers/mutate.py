#!/usr/bin/env python3
"""Looks for dependences that a backward slice has lost, by changing C programs and running them.

If a change to one statement changes what is seen at a criterion, the statement influences it, so it has to be in the
backward slice of the criterion. This needs no other analysis: gcc and the processor are the oracle.

    mutate.py FOLDER                    every file below it that has a main is a program of its own
    mutate.py --one a.c b.c             these files are one program
    mutate.py --see NAME                the criteria are the calls NAME(integer); default test_assert
    mutate.py --random N --seed S       the criteria are N assignments to a variable, instead
    mutate.py --run 'ARGS' --stdin FILE what the program is run with (--run may be repeated)
    mutate.py --slicer 'COMMAND'        another slicer: it gets NAME:LINE, the files and flags, and prints FILE:LINE lines
    mutate.py --slicer none             slices without anything but the criterion: shows that the search finds what is lost
    mutate.py --inside                  changes the statements in the slices, too: how many of them really matter

What is not counted as a difference: runs that do not end, and runs that gcc's sanitizers stop, for the standard does not
say what they do. What is not changed: declarations of types, labels, jumps. A statement counts as being in the slice when one
of its lines is. Initialisers of variables that live as long as the program are counted apart: they are no statements.

The exit code is 1 if a dependence is lost or a slice could not be had, and 2 if nothing could be compared.
"""
import argparse
import json
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import tempfile

HEADER = """
extern void flowcheck_say(const char *file, int line, long long value);
#define flowcheck_see(x) \\
    flowcheck_say(__FILE__, __LINE__, __builtin_classify_type(x) == 5 ? (long long)((x) != 0) : (long long)(x))
"""
SAY = """
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
void flowcheck_say(const char *file, int line, long long value) {
    static int told = -1;
    if (told < 0) told = open(getenv("FLOWCHECK_SEEN"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dprintf(told, "%d %d %lld\\n", atoi(strrchr(file, '/') + 1), line, value);
}
"""
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fsanitize-undefined-trap-on-error"]
STOPPED = 99
SWAPS = {
    "<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
    "++": "--", "--": "++", "+=": "-=", "-=": "+=", "<<": ">>", ">>": "<<", "^": "|", "|": "^", "%": "/",
}
TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|\n[ \t]*\#(?:[^\n]|\\\n)*|\"(?:\\.|[^\"\\])*\"|L?'(?:\\.|[^'\\])+'"
    r"|(?:0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)[uUlLfF]*|[A-Za-z_$]\w*"
    r"|<<=|>>=|\.\.\.|<<|>>|->|\+\+|--|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[^\s\w]",
    re.S,
)


class Token:
    def __init__(self, match, line):
        self.text, self.start, self.end, self.line = match.group(), match.start(), match.end(), line


def tokens(text):
    """The tokens of C text, without comments and directives."""
    # A directive on the first line has a line break before it like all others.
    line, at, found = 1, 0, []
    for match in TOKEN.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        if match.group().startswith(("//", "/*")) or match.group().lstrip().startswith("#"):
            continue
        found.append(Token(match, line))
    return found


class Statement:
    """A piece of C that a slice contains or does not: an expression statement, a declaration, a condition."""

    def __init__(self, parts, inside, kept):
        self.parts, self.inside, self.kept = parts, inside, kept
        self.lines = range(parts[0].line, parts[-1].line + 1)


def statements(parts):
    """Cuts a file into statements. Conditions are apart from what they decide, initialisers belong to their declaration."""
    found, current, depth, braces, types = [], [], 0, [], 0
    head = None

    def cut():
        nonlocal current
        if current:
            static = current[0].text in ("static", "extern")
            found.append(Statement(current, "function" in braces, static or "function" not in braces))
        current = []

    for index, part in enumerate(parts):
        text = part.text
        if text == "{":
            before = current[-1].text if current else ""
            words = {t.text for t in current}
            if before in ("=", ",", "{", "(") and "initialiser" in braces + ["initialiser" if before == "=" else ""]:
                braces.append("initialiser")
                current.append(part)
                continue
            named = current and (before in ("struct", "union", "enum") or
                                 len(current) > 1 and current[-2].text in ("struct", "union", "enum"))
            if named or (words & {"typedef"} and words & {"struct", "union", "enum"}):
                braces.append("type")
                current = []
                continue
            # A compound literal or a statement expression: part of the statement around it.
            if depth > 0 or before == ")" and current and any(t.text in ("=", "return") for t in current):
                braces.append("initialiser")
                current.append(part)
                continue
            if "function" not in braces:
                current = []
            cut()
            braces.append("function")
            continue
        if text == "}":
            kind = braces.pop() if braces else "function"
            if kind == "initialiser":
                current.append(part)
                continue
            if kind == "type":
                current = []
                continue
            cut()
            continue
        if "type" in braces:
            continue
        if text in ("(", "["):
            depth += 1
        if text in (")", "]"):
            depth -= 1
        if text == ";" and depth == 0 and "initialiser" not in braces:
            current.append(part)
            cut()
            head = None
            continue
        if text in ("else", "do") and depth == 0:
            cut()
            continue
        if not current and text in ("if", "while", "for", "switch"):
            head = text
        current.append(part)
        if head and text == ")" and depth == 0:
            cut()
            head = None
        if text == ":" and depth == 0 and current and (
            current[0].text in ("case", "default") or len(current) == 2 and "?" not in {t.text for t in current}
        ):
            current = []
    cut()
    return found


class Change:
    """Text to put between two offsets of a file."""

    def __init__(self, start, end, text):
        self.start, self.end, self.text = start, end, text


def next_constant(text):
    """A literal with another value."""
    if text[-1] == "'":
        return None if text.startswith(("L", "'\\")) else "'b'" if text == "'a'" else "'a'"
    body = text.rstrip("uUlL") if text[:2].lower() == "0x" else text.rstrip("uUlLfF")
    suffix = text[len(body):]
    if re.fullmatch(r"0[xX][0-9a-fA-F]+|0[0-7]*|[1-9]\d*", body):
        value = int(body, 16 if body[:2].lower() == "0x" else 8 if body[0] == "0" and len(body) > 1 else 10)
        return f"{value + 1}{suffix}"
    return f"({text} + 1)"


def changes(statement, text):
    """Small changes to a statement that keep it C, most of the time."""
    parts, words = statement.parts, [t.text for t in statement.parts]
    if words[0] in ("case", "default", "goto", "break", "continue", "typedef", "struct", "union", "enum") and "=" not in words:
        return
    if words == [";"] or "asm" in words or "__asm__" in words:
        return
    equals = words.index("=") if "=" in words else None
    declares = len(words) > 2 and re.match(r"[A-Za-z_]", words[0]) and words[0] not in ("return", "if", "while", "for", "switch", "sizeof")
    declares = declares and (re.match(r"[A-Za-z_]", words[1]) or words[1] == "*" and equals is not None and equals > 2)
    if declares and equals is None:
        return
    first = equals if declares and equals is not None else 0
    for at in range(first, len(parts)):
        part = parts[at]
        if part.text[0].isdigit() or part.text[0] == "'" or part.text[0] == "." and len(part.text) > 1 and part.text[1].isdigit():
            other = next_constant(part.text)
            if other:
                yield Change(part.start, part.end, other)
                if part.text not in ("0", "0.0") and part.text[-1] != "'":
                    yield Change(part.start, part.end, "0")
        elif part.text in SWAPS:
            yield Change(part.start, part.end, SWAPS[part.text])
        elif part.text in ("+", "-") and at and re.match(r"[\w)\]]", words[at - 1]) and words[at - 1] != "return":
            yield Change(part.start, part.end, "-" if part.text == "+" else "+")
    if words[-1] == ";":
        end = parts[-1].start
        if words[0] == "return" and len(words) > 2:
            inner = text[parts[0].end:end]
            yield Change(parts[0].end, end, f" ({inner}) + 1")
            yield Change(parts[0].end, end, " 0")
        elif declares or statement.kept:
            if equals is not None and words[equals + 1] != "{" and "," not in words[equals:]:
                inner = text[parts[equals].end:end]
                yield Change(parts[equals].end, end, f" ({inner}) + 1")
        elif words[0] not in ("return", "if", "while", "for", "switch"):
            yield Change(parts[0].start, end, "")
    elif words[0] in ("if", "while") and words[-1] == ")":
        inner = text[parts[2].start:parts[-1].start]
        yield Change(parts[2].start, parts[-1].start, f"!({inner})" if words[0] == "if" else f"0 && ({inner})")


class Failed(Exception):
    pass


class Program:
    def __init__(self, files, options, scratch):
        self.files, self.options, self.scratch = [os.path.abspath(f) for f in files], options, scratch
        # A declaration of what is watched would be in the way of the macro of that name.
        declared = re.compile(rf"\b(?:extern\s+)?(?:void|int)\s+{options.see}\s*\([^;()]*\)\s*;")
        blank = lambda match: re.sub(r"\S", " ", match.group())
        self.texts = {f: declared.sub(blank, open(f, errors="surrogateescape").read()) for f in self.files}
        self.criteria = {}
        self.sanitize = SANITIZE
        self.header = os.path.join(scratch, "flowcheck_see.h")
        with open(self.header, "w") as out:
            out.write(HEADER)
            if not options.random:
                out.write(f"#define {options.see}(x) flowcheck_see(x)\n")
        self.say = os.path.join(scratch, "flowcheck_say.c")
        with open(self.say, "w") as out:
            out.write(SAY)

    def flags(self):
        return ["-include", self.header, *self.options.flag]

    def find_criteria(self):
        """Sets what is watched: file and line of each criterion, by the number of the file and the line."""
        for number, file in enumerate(self.files):
            parts = tokens(self.texts[file])
            if self.options.random:
                self.find_assignments(number, parts)
                continue
            for part, after in zip(parts, parts[1:]):
                if part.text == self.options.see and after.text == "(":
                    self.criteria[number, part.line] = (file, part.line)
        if self.options.random:
            chosen = self.options.generator.sample(sorted(self.criteria), min(self.options.random, len(self.criteria)))
            self.criteria = {key: self.criteria[key] for key in chosen}

    def find_assignments(self, number, parts):
        file = self.files[number]
        for statement in statements(parts):
            words = [t.text for t in statement.parts]
            plain = len(words) > 3 and re.fullmatch(r"[A-Za-z_]\w*", words[0]) and words[1] in ("=", "+=", "-=", "|=", "^=")
            if not plain or not statement.inside or len(statement.lines) > 1 or words[-1] != ";":
                continue
            line = statement.parts[0].line
            key, ends = (number, line), (statement.parts[0].start, statement.parts[-1].end, words[0])
            self.criteria.setdefault(key, (file, line, ends))

    def watched(self, file, change=None):
        """The text of a file as it is compiled: with what watches it, and a change."""
        edits = [(change.start, change.end, change.text)] if change else []
        for where in self.criteria.values():
            if where[0] == file and len(where) > 2:
                start, end, name = where[2]
                edits += [(start, start, "{ "), (end, end, f" flowcheck_see({name}); }}")]
        text = self.texts[file]
        for start, end, new in sorted(edits, key=lambda e: (-e[0], -e[1])):
            # Lines keep their numbers.
            new += "\n" * (text.count("\n", start, end) - new.count("\n"))
            text = text[:start] + new + text[end:]
        return text

    def write(self, name, file=None, change=None):
        """Writes all files to a folder, one of them with a change; returns their paths and where they find their headers."""
        folder = os.path.join(self.scratch, name)
        os.makedirs(folder, exist_ok=True)
        sources = []
        for number, path in enumerate(self.files):
            sources.append(os.path.join(folder, f"{number}_{os.path.basename(path)}"))
            with open(sources[-1], "w", errors="surrogateescape") as out:
                out.write(self.watched(path, change if path == file else None))
        return sources, [f"-I{d}" for d in dict.fromkeys(os.path.dirname(f) for f in self.files)]

    def build(self, file=None, change=None):
        sources, folders = self.write("build", file, change)
        binary = os.path.join(self.scratch, "program")
        command = ["gcc", "-w", "-g0", "-O0", "-ftrivial-auto-var-init=zero", *self.sanitize, *self.flags(), *folders, *sources,
                   self.say, "-o", binary, *self.options.library]
        made = subprocess.run(command, capture_output=True, text=True, errors="replace")
        return (binary, None) if made.returncode == 0 else (None, made.stderr)

    def observe(self, binary):
        """What is seen at each criterion in all runs, or `None` if a run does not count."""
        seen = []
        for number, words in enumerate(self.options.run or [""]):
            told = os.path.join(self.scratch, "seen")
            if os.path.exists(told):
                os.remove(told)
            env = dict(os.environ, FLOWCHECK_SEEN=told, ASAN_OPTIONS=f"detect_leaks=0:exitcode={STOPPED}")
            stdin = open(self.options.stdin) if self.options.stdin else subprocess.DEVNULL
            try:
                run = subprocess.run([binary, *shlex.split(words)], stdin=stdin, stdout=subprocess.DEVNULL, cwd=self.scratch,
                                     stderr=subprocess.DEVNULL, env=env, timeout=self.options.timeout)
            except subprocess.TimeoutExpired:
                return None
            if run.returncode == STOPPED or run.returncode < 0 and run.returncode != -signal.SIGABRT:
                return None
            lines = open(told).read().splitlines() if os.path.exists(told) else []
            for line in lines:
                where, at, value = line.split()
                seen.append(((int(where), int(at)), number, value))
        return {key: [s[1:] for s in seen if s[0] == key] for key in self.criteria}

    def reference(self):
        binary, error = self.build()
        if not binary:
            raise Failed("gcc: " + next((l for l in error.splitlines() if "error" in l or "undefined" in l), error[:200]))
        first = self.observe(binary)
        if first is None:
            # Undefined in itself: compare without the sanitizers, at some risk.
            self.sanitize = []
            binary, _ = self.build()
            first = self.observe(binary) if binary else None
            if first is None:
                raise Failed("the program itself does not end or crashes")
        again = self.observe(binary)
        for key in list(self.criteria):
            if again is None or first[key] != again[key]:
                del self.criteria[key]
            elif not first[key]:
                del self.criteria[key]
        if not self.criteria:
            raise Failed("no criterion is reached, or each run sees something else")
        return first

    def slice(self, file, line):
        """The lines of each file in the slice."""
        if self.options.slicer == "none":
            return {file: {line}}
        sources, folders = self.write("sliced")
        names = dict(zip(map(os.path.basename, sources), self.files))
        # The name alone: copies are numbered, so no two files end with it.
        point = f"{os.path.basename(sources[self.files.index(file)])}:{line}"
        command = shlex.split(self.options.slicer) if self.options.slicer else [self.options.flowcheck, "slice", "--format", "json", "--to"]
        command += [point, *sources, *self.flags(), *folders]
        made = subprocess.run(command, capture_output=True, text=True, errors="replace")
        if made.returncode != 0:
            raise Failed("slicer: " + " ".join(made.stderr.split())[:200])
        if self.options.slicer:
            places = re.findall(r"^\s*(\S.*?):(\d+)\b", made.stdout, re.M)
        else:
            places = [(place["file"], place["line"]) for place in json.loads(made.stdout)["lines"]]
        found = {}
        for name, at in places:
            if os.path.basename(name) in names:
                found.setdefault(names[os.path.basename(name)], set()).add(int(at))
        if line not in found.get(file, set()):
            raise Failed(f"the slice of {os.path.basename(file)}:{line} does not have its own criterion")
        return found


def with_missing(files, folder, options, scratch):
    """Adds files of the folder that define what the linker misses."""
    program = Program(files, options, scratch)
    binary, error = program.build()
    if binary:
        return files
    missing = set(re.findall(r"undefined reference to `(\w+)'", error))
    beside = []
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if not name.endswith(".c") or path in files:
            continue
        text = open(path, errors="replace").read()
        defines = {s for s in missing if re.search(rf"\b{s}\s*\([^;{{]*\)\s*\{{", text)}
        if defines and not re.search(r"\bmain\s*\(", text):
            # Several files may define the same name: those that are called like the program come first.
            beside.append((-len(os.path.commonprefix([name, os.path.basename(files[0])])), -len(defines), path))
    choices = [[path] for _, _, path in sorted(beside)] + [[path for _, _, path in beside]]
    for choice in choices:
        if Program(files + choice, options, scratch).build()[0]:
            return files + choice
    return files


def check(files, options, report):
    """Compares one program; returns what was counted."""
    with tempfile.TemporaryDirectory() as scratch:
        if not options.one:
            files = with_missing(files, os.path.dirname(files[0]), options, scratch)
        program = Program(files, options, scratch)
        program.find_criteria()
        if not program.criteria:
            raise Failed("no criterion")
        expected = program.reference()
        slices = {key: program.slice(*where[:2]) for key, where in program.criteria.items()}
        count = {"criteria": len(slices), "changes": 0, "lost": 0, "static": 0, "needed": 0, "in": 0, "statements": 0}
        for file in program.files:
            text = program.texts[file]
            for statement in statements(tokens(text)):
                if not statement.inside and "=" not in {t.text for t in statement.parts}:
                    continue
                outside = [k for k in slices if not slices[k].get(file, set()) & set(statement.lines)]
                within = [k for k in slices if k not in outside]
                count["statements"] += len(slices)
                count["in"] += len(within)
                look = outside + (within if options.inside else [])
                if not look:
                    continue
                differs = {}
                for change in changes(statement, text):
                    if not set(look) - set(differs):
                        break
                    binary, _ = program.build(file, change)
                    seen = program.observe(binary) if binary else None
                    if seen is None:
                        continue
                    count["changes"] += 1
                    for key in look:
                        if seen[key] != expected[key]:
                            differs.setdefault(key, change)
                for key, change in differs.items():
                    if key in within:
                        count["needed"] += 1
                        continue
                    count["static" if statement.kept else "lost"] += 1
                    line = text.count("\n", 0, change.start) + 1
                    where = program.criteria[key]
                    was = " ".join(text[change.start:change.end].split())
                    report.append(f"{'initialiser' if statement.kept else 'LOST'}: {file}:{line} influences "
                                  f"{os.path.basename(where[0])}:{where[1]}: `{was}` -> `{' '.join(change.text.split())}`")
        return count


def programs(options):
    if options.one:
        return [options.paths]
    found = []
    for path in options.paths:
        if os.path.isfile(path):
            found.append([path])
            continue
        for folder, _, names in sorted(os.walk(path)):
            for name in sorted(names):
                file = os.path.join(folder, name)
                if name.endswith(".c") and re.search(r"\bmain\s*\(", open(file, errors="replace").read()):
                    found.append([file])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--flowcheck", default="flowcheck")
    parser.add_argument("--slicer")
    parser.add_argument("--one", action="store_true")
    parser.add_argument("--see", default="test_assert")
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--run", action="append")
    parser.add_argument("--stdin")
    parser.add_argument("--flag", action="append", default=[], help="for gcc and for the slicer, such as --flag=-DX=1")
    parser.add_argument("--library", action="append", default=["-lpthread", "-lm"])
    parser.add_argument("--timeout", type=float, default=5)
    parser.add_argument("--inside", action="store_true")
    options = parser.parse_args()
    options.generator = random.Random(options.seed)
    total, failed, report = {}, 0, []
    keys = ["criteria", "statements", "in", "changes", "needed", "static", "lost"]
    print(f"{'program':<36}" + "".join(f"{k:>11}" for k in keys))
    for files in programs(options):
        name = os.path.basename(files[0])
        try:
            count = check(files, options, report)
        except Failed as error:
            failed += str(error).startswith(("slicer", "the slice"))
            print(f"{name:<36} {error}", flush=True)
            continue
        for key in keys:
            total[key] = total.get(key, 0) + count[key]
        print(f"{name:<36}" + "".join(f"{count[k]:>11}" for k in keys), flush=True)
    if total:
        print(f"{'all':<36}" + "".join(f"{total[k]:>11}" for k in keys))
    print("\n".join(report))
    sys.exit(2 if not total and not failed else 1 if failed or total.get("lost") else 0)


if __name__ == "__main__":
    main()
