"""What an ELF file is, by its headers."""

import struct

PROGRAM_DYNAMIC, PROGRAM_INTERPRETER = 2, 3
SECTION_SYMBOLS = 2


class Facts:
    def __init__(self, content):
        if content[:4] != b"\x7fELF" or content[5] != 1:
            raise ValueError("is no ELF of little endian")
        self.bits = 32 * content[4]
        self.machine, = struct.unpack_from("<H", content, 18)
        word, at = ("I", 28) if self.bits == 32 else ("Q", 32)
        programs, sections = struct.unpack_from(f"<2{word}", content, at)
        # After them: flags, the header's own size, then size and number of each table's entries.
        program_bytes, program_count, section_bytes, section_count = struct.unpack_from(
            "<4H", content, at + 2 * struct.calcsize(word) + 6)
        kinds = {struct.unpack_from("<I", content, programs + i * program_bytes)[0] for i in range(program_count)}
        self.is_dynamic = bool(kinds & {PROGRAM_DYNAMIC, PROGRAM_INTERPRETER})
        types = {struct.unpack_from("<I", content, sections + i * section_bytes + 4)[0] for i in range(section_count)}
        self.has_symbols = SECTION_SYMBOLS in types
