"""Published raw streams through vta exec leave the published memory; vta check proves them; their text
assembles to the same image.

Exit status 77 (skipped) where the streams are not there.
"""

import os
import sys

import tool

STREAMS = os.path.join(os.environ.get("VTA_CASES", os.path.join(tool.SOURCE, "..", "shared", "cases")), "streams")
NAMES = ("gemm", "s_gred3", "s_nest2", "s_pad_xy", "s_shr_3", "s_st2d")


class StreamsTest(tool.ToolTest):
    def each(self):
        for name in NAMES:
            with self.subTest(name):
                stem = os.path.join(STREAMS, name)
                with open(stem + ".txt", encoding="ascii") as file:
                    insn, count, output, size = file.read().split()
                where = ["-c", "vta_0.0.2", "--insn", "0x" + insn, "--count", count]
                yield stem, where, int(output, 16), int(size, 16)

    def test_exec(self):
        for stem, where, output, size in self.each():
            report = self.done("exec", stem + ".img", *where, "--engine", "functional", "-o", "after.img")
            self.assertTrue(report.startswith("proved\nfinished\n"), report)
            with open(stem + ".exp", "rb") as file:
                self.assertEqual(self.read("after.img")[output:output + size], file.read())

    def test_check(self):
        for stem, where, _, _ in self.each():
            self.assertTrue(self.done("check", stem + ".img", *where).startswith("proved\n"))

    def test_text(self):
        for stem, where, _, _ in self.each():
            self.write("p.s", self.done("dis", stem + ".img", *where))
            self.done("asm", "p.s", "-c", "vta_0.0.2", "-o", "p.img")
            image = self.read("p.img")
            with open(stem + ".img", "rb") as file:
                original = file.read()
            self.assertLessEqual(len(image), len(original))
            insn, count = int(where[3], 16), int(where[5])
            for begin, end in ((insn, insn + 16 * count), *self.tables(image, insn, count)):
                self.assertEqual(image[begin:end], original[begin:end])

    def tables(self, image, insn, count):
        """Byte ranges of the micro-op tables, decoded here by the published bit positions."""
        found = []
        for at in range(insn, insn + 16 * count, 16):
            word = int.from_bytes(image[at:at + 16], "little")
            if word & 7 == 0 and word >> 7 & 7 == 0 and word >> 80 & 0xFFFF:
                begin = 4 * (word >> 26 & 0xFFFFFFFF)
                found.append((begin, begin + 4 * (word >> 80 & 0xFFFF)))
        self.assertTrue(found)
        return found


if not os.path.isdir(STREAMS):
    print(f"skipped: no {STREAMS}")
    sys.exit(77)
tool.main()
