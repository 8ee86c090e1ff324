#!/usr/bin/env python3
"""Compares points-to sets with what alias tests say of pairs of pointers.

    alias.py [--flowcheck BINARY] [--run] [--flag=-IFOLDER]... FOLDER...

Every C file below the folders that has calls such as MAYALIAS(p, q) is read with a header `aliascheck.h` of our own, in which each of
these calls is a call of a function of its own, so that the two pointers are its parameters.

MUSTALIAS, MAYALIAS, PARTIALALIAS: the sets have to overlap. NOALIAS: they should not; where they do, points-to is coarser than the
test would like, which costs precision and is no mistake. The names EXPECTEDFAIL_… are for what the tests' own tool cannot do, and are
counted apart. Some MAYALIAS are true only for a tool that takes the elements of an array for one: with --run the files are compiled with
gcc and run, and pointers that are equal there have to overlap, whatever the label says.

The exit code is 1 if pointers that may be equal do not overlap, or a file is not read, and 2 if there is no test.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

CALL = re.compile(r"\b(?:EXPECTEDFAIL_)?(?:MUSTALIAS|MAYALIAS|PARTIALALIAS|NOALIAS)\b")
KINDS = ["MUSTALIAS", "MAYALIAS", "PARTIALALIAS", "NOALIAS", "EXPECTEDFAIL_MAYALIAS", "EXPECTEDFAIL_NOALIAS"]
REST = """
#include <stdio.h>
#include <stdlib.h>
static void RC_ACCESS(int id, int flags) {}
static void CXT_THREAD(int thread, char *context) {}
static void TCT_ACCESS(int thread, char *context) {}
static void INTERLEV_ACCESS(int thread, char *context, char *level) {}
static void LOCK(char *name) {}
static void PAUSE(char *text) {}
#define ALIAS_JOIN_(line) alias_##line
#define ALIAS_JOIN(line) ALIAS_JOIN_(line)
"""
# A function without body could do anything to what the pointers reach, so points-to is asked about one that only compares what is there: pointers
# that nothing is reached through are not followed.
COMPARE = "static int flowcheck_equal;\n#define flowcheck_pair(line, p, q) if (*(char *)p == *(char *)q) flowcheck_equal = line"
RUN = '#define flowcheck_pair(line, p, q) if (p == q && p) fprintf(stderr, "flowcheck_pair %d\\n", line)'


def calls(text):
    """Line and kind of each test. Two on a line cannot be told apart and are left out."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: re.sub(r"\S", " ", m.group()), text, flags=re.S)
    found = {}
    for number, line in enumerate(text.split("\n"), 1):
        kinds = CALL.findall(line)
        if len(kinds) == 1 and not line.lstrip().startswith(("#", "void ", "extern ")):
            found[number] = kinds[0]
    return found


def write_header(folder, lines, pair):
    out = [REST, pair]
    out += [f"static void alias_{n}(void *p, void *q) {{ flowcheck_pair({n}, p, q); }}" for n in lines]
    out += [f"#define {kind}(p, q) ALIAS_JOIN(__LINE__)((void *)(p), (void *)(q))" for kind in KINDS]
    with open(os.path.join(folder, "aliascheck.h"), "w") as file:
        file.write("\n".join(out) + "\n")


def points_to(options, file, folder):
    """What the pointers of each function point to: {function: {variable: [name]}}."""
    command = [options.flowcheck, "--emit", "points-to", "--format", "json", file, f"-I{folder}", f"-I{os.path.dirname(file)}", *options.flag]
    made = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=options.timeout)
    if made.returncode != 0:
        raise RuntimeError(" ".join(made.stderr.split())[:160])
    found = {}
    for pointer in json.loads(made.stdout)["pointers"]:
        function, _, name = pointer["name"].rpartition("::")
        found.setdefault(function, {}).setdefault(name, pointer["points_to"])
    return found


def overlap(one, other):
    """Whether two places may be the same: `s.a` and `s.a`, `s.*` and `s.a`, and `s` and `s.a`, which may start where it starts."""
    def same(a, b):
        if a.endswith(".*"):
            base = a[:-2]
            return b == base or b.startswith((base + ".", base + "["))
        return a == b or b.startswith((a + ".", a + "["))
    return any(same(a, b) or same(b, a) for a in one for b in other)


def really(file, folder, options):
    """Lines where a run saw the same pointer twice; `None` if there was no run."""
    binary = os.path.join(folder, "program")
    command = ["gcc", "-w", f"-I{folder}", f"-I{os.path.dirname(file)}", *options.flag, file, "-o", binary, "-lpthread", "-lm"]
    if subprocess.run(command, capture_output=True).returncode != 0:
        return None
    try:
        run = subprocess.run([binary], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=5, cwd=folder)
    except subprocess.TimeoutExpired:
        return None
    return {int(n) for n in re.findall(r"flowcheck_pair (\d+)", run.stderr)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--flowcheck", default="flowcheck")
    parser.add_argument("--flag", action="append", default=[])
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--timeout", type=float, default=60)
    options = parser.parse_args()
    files = []
    for path in options.paths:
        for folder, _, names in sorted(os.walk(path)):
            files += [os.path.join(folder, n) for n in sorted(names) if n.endswith(".c")]
    table, notes, bad = {}, [], 0
    columns = ["as labelled", "LOST", "not confirmed", "coarse", "not reached"]
    for file in files:
        tests = calls(open(file, errors="replace").read())
        if not tests:
            continue
        group = os.path.basename(os.path.dirname(file))
        with tempfile.TemporaryDirectory() as folder:
            write_header(folder, tests, COMPARE)
            try:
                found = points_to(options, os.path.abspath(file), folder)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                notes.append(f"not read: {file}: {error}")
                bad += 1
                continue
            write_header(folder, tests, RUN)
            equal = really(os.path.abspath(file), folder, options) if options.run else None
        for line, kind in tests.items():
            row = table.setdefault((group, kind), dict.fromkeys(columns, 0))
            sets = found.get(f"alias_{line}")
            if sets is None:
                row["not reached"] += 1
                if equal and line in equal:
                    row["LOST"] += 1
                    bad += 1
                    notes.append(f"LOST: {file}:{line}: {kind} is executed but not reached")
                continue
            p, q = sets.get("p", []), sets.get("q", [])
            may = overlap(p, q)
            says_no = "NOALIAS" in kind
            shown = f"{file}:{line}: {kind} {p} {q}"
            if not may and equal is not None and line in equal:
                result = "LOST"
            elif may:
                result = "coarse" if says_no else "as labelled"
            elif says_no:
                result = "as labelled"
            else:
                result = "LOST" if equal is None and kind == "MUSTALIAS" else "not confirmed"
            row[result] += 1
            bad += result == "LOST"
            if result != "as labelled":
                notes.append(f"{result}: {shown}")
    print(f"{'tests':<20} {'label':<22}" + "".join(f"{c:>15}" for c in columns))
    for (group, kind), row in sorted(table.items()):
        print(f"{group:<20} {kind:<22}" + "".join(f"{row[c]:>15}" for c in columns))
    print("\n".join(notes))
    sys.exit(2 if not table and not bad else 1 if bad else 0)


if __name__ == "__main__":
    main()
