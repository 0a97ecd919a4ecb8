"""The kernels of hw/hls keep to what a synthesis tool takes, and each rule of that refuses what breaks it.

usage: subset_test.py CLANG VTA SOURCE_FOLDER
"""

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

import subset

CLANG, TOOL, SOURCE = sys.argv[1:4]
# One that has everything, one that has nothing.
CONFIGS = ("extended", "vta_0.0.2")

# Each line with a comment breaks that rule, no other does.
BROKEN = """
#include <initializer_list>
#include <stddef.h>
#include <stdlib.h>
#include <typeinfo>
#include "vta_module.h"
int* New() { return new int(1); }                      // HEAP
void Delete(int* p) { delete p; }                      // HEAP
void* Allocated() { return malloc(4); }                // HEAP
void* Stack(int n) { return __builtin_alloca(n); }     // HEAP
int Itself(int n) { return n == 0 ? 0 : Itself(n - 1); }  // RECURSION
int Pong(int n);
int Ping(int n) { return n == 0 ? 0 : Pong(n - 1); }   // RECURSION
int Pong(int n) { return Ping(n - 1); }                // RECURSION
template <int kN> int Deeper(int n) { return n == 0 ? kN : Deeper<kN>(n - 1); }  // RECURSION
int AskDeeper() { return Deeper<3>(2); }
struct Method { int Again(int n) { return n == 0 ? 0 : Again(n - 1); } };  // RECURSION
struct Virtual { virtual int Value() const { return 1; } };  // VIRTUAL
struct Plain { int value; };
struct Shared : virtual Plain {};                      // VIRTUAL
void List(std::initializer_list<int>) {}               // STD
using namespace std;                                   // STD
using std::initializer_list;                           // STD
int Absolute(int n) { return abs(n); }                 // OUTSIDE
void Command() { system("true"); }                     // OUTSIDE
int Bits(unsigned n) { return __builtin_popcount(n); }  // OUTSIDE
bool Full(vta_tokens& tokens) { return tokens.size() > 1; }  // OUTSIDE
int (*pointer)(int);                                   // FUNCTION_POINTER
typedef int (*Pointer)(int);                           // FUNCTION_POINTER
void Takes(int (&function)(int)) { function(1); }      // FUNCTION_POINTER
int Plain::* member;                                   // FUNCTION_POINTER
int (Method::* method)(int);                           // FUNCTION_POINTER
bool IsThere(int n) { return n && &Pong; }             // FUNCTION_POINTER
int** both;                                            // POINTER_POINTER
void Rows(int* rows[4]) { rows[0] = nullptr; }         // POINTER_POINTER
int* const* Returned() { return nullptr; }             // POINTER_POINTER
void Throw() { throw 1; }                              // EXCEPTION
void Type(int n) { (void)typeid(n); }                  // RTTI, STD
bool IsVirtual(Plain* p) { return dynamic_cast<void*>((Virtual*)p); }  // RTTI
void Jump() { again: goto again; }                     // GOTO
void Assembly() { asm("nop"); }                        // ASSEMBLY
int Variable(int n) { int array[n]; array[0] = n; return array[0]; }  // variable length array
int Unused(int n) { int never; return n; }             // unused variable
"""
# What looks like it, and may be.
SOUND = """
#include "vta_module.h"
typedef int8_t (*Rows)[16];
int8_t First(Rows rows) { return rows[0][0]; }
int8_t Second(const int8_t rows[][16]) { return rows[1][0]; }
template <class To> void Each(To& to) { to.Put(1); }
struct Sum { int value; void Put(int n) { value += n; } };
int Total() { Sum sum = Sum(); Each(sum); outer: for (int i = 0; i < 3; ++i) Each(sum); return sum.value; }
bool Pass(vta_tokens& from, vta_tokens& to) { uint8_t token; return from.read_nb(token) && to.write_nb(token); }
"""


class SubsetTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def problems(self, config, files):
        header = subprocess.run([TOOL, "isa", "--c", "-c", config], capture_output=True, text=True, check=True).stdout
        with open(f"{self.folder}/vta_config.h", "w", encoding="utf-8") as file:
            file.write(header)
        return subset.problems(CLANG, [f"-I{self.folder}", f"-I{SOURCE}/sim/hls/model", f"-I{SOURCE}/hw/hls"], files)

    def problems_of(self, text):
        path = f"{self.folder}/planted.cc"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return [(line, rule) for name, line, rule in self.problems(CONFIGS[0], [path]) if os.path.realpath(name) == os.path.realpath(path)]

    def test_the_kernels_keep_to_it(self):
        kernels = sorted(glob.glob(f"{SOURCE}/hw/hls/vta_*.cc"))
        self.assertGreaterEqual(len(kernels), 5)
        for config in CONFIGS:
            self.assertEqual(self.problems(config, kernels), [])

    def test_each_rule_refuses_what_breaks_it(self):
        wanted = [(number, word) for number, line in enumerate(BROKEN.split("\n"), 1) if (match := re.search(r"// (.*)", line))
                  for word in match[1].split(", ")]
        found = [(line, next((word for at, word in wanted if at == line and getattr(subset, word, word) in rule), rule))
                 for line, rule in self.problems_of(BROKEN)]
        self.assertEqual(sorted(found), sorted(wanted))

    def test_nothing_else_is_refused(self):
        self.assertEqual(self.problems_of(SOUND), [])

    def test_what_does_not_compile(self):
        self.assertEqual(self.problems_of('#include "vta.h"\nint f() { return g; }\n'), [(2, "use of undeclared identifier 'g'")])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
