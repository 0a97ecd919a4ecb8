"""The check of quoted lines takes what stands in the file, and names the first line that does not."""

import unittest

import code_blocks

SOURCE = ["a {", "b", "}", "a {", "c", "d", "}"]


class CodeBlocksTest(unittest.TestCase):
    def test_finds_blocks(self):
        text = "```cpp x.cc\n  a\n```\n```text x.txt\nb\n```\n```sh\nls\n```\n```c\nd\n```\n"
        self.assertEqual(code_blocks.blocks(text), [(1, "x.cc", ["a"]), (4, "x.txt", ["b"]), (10, None, ["d"])])

    def test_takes_lines_wherever_they_stand(self):
        for quoted in (["a {", "b"], ["a {", "c"], ["b", "...", "d", "}"], ["...", "c"], ["a {", "...", "}"]):
            with self.subTest(quoted):
                self.assertIsNone(code_blocks.first_missing(quoted, SOURCE))

    def test_names_the_first_line_that_is_missing(self):
        for quoted, missing in ((["a {", "c", "}"], 2), (["x"], 0), (["c", "...", "b"], 2), (["d", "}", "a {"], 2)):
            with self.subTest(quoted):
                self.assertEqual(code_blocks.first_missing(quoted, SOURCE), missing)


unittest.main(verbosity=2)
