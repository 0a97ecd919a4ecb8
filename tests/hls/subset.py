"""Holds C++ to what a high-level synthesis tool takes, on clang's syntax tree.

usage: subset.py CLANG FLAG... FILE...

Prints "FILE:LINE: RULE" for each that is broken, in the files and what lies beside them, and for each warning of the compiler;
ends with 1 where there is one. Flags begin with "-".
"""

import json
import os
import re
import subprocess
import sys

HEAP, RECURSION, VIRTUAL, STD = "takes memory from the heap", "calls itself", "is virtual", "uses std"
FUNCTION_POINTER, POINTER_POINTER = "points to a function or a member", "points to a pointer"
EXCEPTION, RTTI, GOTO, ASSEMBLY = "throws or catches", "asks for a type at run time", "jumps", "has assembly"
OUTSIDE = "calls what is not among these files"
ALLOCATORS = {"malloc", "calloc", "realloc", "free", "aligned_alloc", "alloca", "__builtin_alloca", "strdup"}
# All of a stream that neither waits nor needs to.
STREAM = {"read_nb", "write_nb"}
KINDS = {"CXXNewExpr": HEAP, "CXXDeleteExpr": HEAP, "CXXThrowExpr": EXCEPTION, "CXXTryStmt": EXCEPTION, "CXXCatchStmt": EXCEPTION,
         "CXXDynamicCastExpr": RTTI, "CXXTypeidExpr": RTTI, "GotoStmt": GOTO, "IndirectGotoStmt": GOTO, "GCCAsmStmt": ASSEMBLY}
FUNCTIONS = {"FunctionDecl", "CXXMethodDecl", "CXXConstructorDecl", "CXXDestructorDecl", "CXXConversionDecl"}
TYPED = {"VarDecl", "ParmVarDecl", "FieldDecl", "TypedefDecl", "TypeAliasDecl"} | FUNCTIONS
WARNINGS = ["-Wall", "-Wextra", "-Wvla", "-Wno-unused-label", "-Wno-unused-function", "-Wno-unneeded-internal-declaration",
            "-Wno-unknown-pragmas"]


def type_rule(text, function):
    """Which rule a declaration's type breaks, or None; of a function what it returns, its parameters being declared for themselves."""
    if function:
        text = text.partition("(")[0]
    if re.search(r"\(\s*(\w+::)*[*&][^()]*\)\s*\(|::\s*\*", text):
        return FUNCTION_POINTER
    return POINTER_POINTER if re.search(r"\*(\s*(const|volatile|__restrict))*\s*\(?\s*\*", text) else None


class Tree:
    """One file's tree: where its nodes are, what they break, which function calls which."""

    def __init__(self, tree, folders):
        self.folders = folders
        self.file, self.line = "", 0
        self.functions, self.std = {}, set()  # by id: name to compare by, plain name, whether it is ours, class
        self.broken, self.calls = set(), {}
        self.place(tree, "", False)
        self.look(tree, None, None)

    def move(self, place):
        """A place says only what is other than in the one before it."""
        for key in ("spellingLoc", "expansionLoc"):
            if key in place:
                self.move(place[key])
        self.file, self.line = place.get("file", self.file), place.get("line", self.line)

    def place(self, node, parent, in_std):
        """Gives each node its place, and collects functions and what lies in std."""
        for part in (node.get("loc"), node.get("range", {}).get("begin")):
            if part:
                self.move(part)
        node["at"] = (self.file, self.line)
        self.move(node.get("range", {}).get("end", {}))
        kind, name = node.get("kind"), node.get("name", "")
        in_std = in_std or (kind == "NamespaceDecl" and name == "std")
        if in_std:
            self.std.add(node.get("id"))
        if kind in FUNCTIONS:
            builtin = kind == "FunctionDecl" and node.get("isImplicit")  # it stands where it is called first
            self.functions[node["id"]] = (node.get("mangledName", name), name, self.is_ours(node) and not builtin, parent)
        for child in node.get("inner", ()):
            self.place(child, name if kind and kind.startswith(("CXXRecord", "ClassTemplate")) else parent, in_std)

    def is_ours(self, node):
        return os.path.dirname(os.path.realpath(node["at"][0])) in self.folders

    def refuse(self, node, rule):
        if self.is_ours(node):
            self.broken.add((os.path.relpath(node["at"][0]), node["at"][1], rule))

    def called(self, node, target, function):
        """A function is called, or named."""
        if target not in self.functions:
            return
        mangled, name, ours, parent = self.functions[target]
        if ours:
            if function:
                self.calls.setdefault(function, {})[mangled] = node["at"]
        elif not (parent == "stream" and name in STREAM):
            self.refuse(node, HEAP if name in ALLOCATORS else STD if target in self.std else OUTSIDE)

    def look(self, node, parent, function):
        kind = node.get("kind")
        if kind in FUNCTIONS:
            if node.get("isImplicit"):
                return  # a struct's copy
            function = node.get("mangledName", node.get("name"))
        if kind in KINDS:
            self.refuse(node, KINDS[kind])
        if node.get("virtual") or any(base.get("isVirtual") for base in node.get("bases", ())):
            self.refuse(node, VIRTUAL)
        kinds = node.get("type", {})
        text = kinds.get("desugaredQualType", kinds.get("qualType", ""))
        target = node.get("referencedDecl", {}).get("id") or node.get("referencedMemberDecl")
        written = (kinds.get("qualType", "") + text).replace("std::nullptr_t", "")  # the type of nullptr
        if "std::" in written or (target and target in self.std and target not in self.functions) or \
                node.get("nominatedNamespace", {}).get("name") == "std" or (kind == "UsingDecl" and node.get("name", "").startswith("std::")):
            self.refuse(node, STD)
        if kind in TYPED and (rule := type_rule(text, kind in FUNCTIONS)):
            self.refuse(node, rule)
        # A name of a function decays to a pointer where it is called, and is one elsewhere.
        callee = parent and parent.get("kind", "").endswith("CallExpr") and parent["inner"][0] is node
        if (node.get("castKind") == "FunctionToPointerDecay" and not callee) or \
                (kind == "UnaryOperator" and node.get("opcode") == "&" and
                 node["inner"][0].get("referencedDecl", {}).get("kind") in FUNCTIONS):
            self.refuse(node, FUNCTION_POINTER)
        if target:
            self.called(node, target, function)
        for child in node.get("inner", ()):
            self.look(child, node, function)


def recursive(calls):
    """The place of each call by which a function comes back to itself."""
    for function, targets in calls.items():
        for target, at in targets.items():
            seen, left = set(), [target]
            while left:
                one = left.pop()
                if one not in seen:
                    seen.add(one)
                    left += calls.get(one, ())
            if function in seen:
                yield at


def problems(clang, flags, files):
    """(file, line, rule) of each, in order."""
    found, calls = set(), {}
    folders = {os.path.dirname(os.path.realpath(file)) for file in files}
    for file in files:
        run = subprocess.run([clang, "-std=c++14", *WARNINGS, *flags, "-fsyntax-only", "-Xclang", "-ast-dump=json", file],
                             capture_output=True, text=True, check=False)
        said = [(os.path.relpath(name), int(line), text)
                for name, line, text in re.findall(r"^(.*?):(\d+):\d+: (?:warning|(?:fatal )?error): (.*)$", run.stderr, re.M)]
        found.update(said)
        if run.returncode:
            if not said:
                sys.exit(run.stderr)
            continue
        tree = Tree(json.loads(run.stdout), folders)
        found |= tree.broken
        for function, targets in tree.calls.items():
            calls.setdefault(function, {}).update(targets)
    return sorted(found | {(os.path.relpath(at[0]), at[1], RECURSION) for at in recursive(calls)})


def main(arguments):
    flags = [word for word in arguments[1:] if word.startswith("-")]
    found = problems(arguments[0], flags, [word for word in arguments[1:] if not word.startswith("-")])
    for file, line, rule in found:
        print(f"{file}:{line}: {rule}")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
