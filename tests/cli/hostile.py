"""Packages whose kernels do what no compiler's do: the code of a compiled package, written over."""

import struct

HEAD, ROW, NAME = 8, 40, 16  # of a package: its magic, then a row a section: name, offset, bytes, hash
MODULES = 3
DYNAMIC_SYMBOLS, FUNCTION = 11, 2

X86_64, AARCH64, ARM = 62, 183, 40  # e_machine


def words(*code):
    return struct.pack(f"<{len(code)}I", *code)


# By what it does, for each architecture.
LOOP = {X86_64: b"\xeb\xfe", AARCH64: words(0x14000000), ARM: words(0xeafffffe)}
NULL = {X86_64: b"\x31\xc0\x88\x40\x10",  # xorl %eax, %eax; movb %al, 16(%rax)
        AARCH64: words(0xd2800008, 0xf9000908),  # mov x8, #0; str x8, [x8, #16]
        ARM: words(0xe3a00000, 0xe5800010)}  # mov r0, #0; str r0, [r0, #16]
ILLEGAL = {X86_64: b"\x0f\x0b", AARCH64: words(0), ARM: words(0xe7f000f0)}


def system_call(number):
    """On x86-64: makes it, and returns."""
    return {X86_64: b"\xb8" + struct.pack("<I", number) + b"\x0f\x05\xc3"}


def fnv(content):
    value = 0xcbf29ce484222325
    for byte in content:
        value = (value ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return value


def functions(elf):
    """Name, address and place in the file of each function that a module defines."""
    wide = elf[4] == 2
    at, = struct.unpack_from("<Q" if wide else "<I", elf, 40 if wide else 32)
    size, count = struct.unpack_from("<2H", elf, 58 if wide else 46)
    form, row = ("<IIQQQQIIQQ", "<IBBHQQ") if wide else ("<10I", "<IIIBBH")
    sections = [struct.unpack_from(form, elf, at + i * size) for i in range(count)]
    symbols = next(section for section in sections if section[1] == DYNAMIC_SYMBOLS)
    names = sections[symbols[6]][4]
    for place in range(symbols[4], symbols[4] + symbols[5], struct.calcsize(row)):
        fields = struct.unpack_from(row, elf, place)
        name, value, info = (fields[0], fields[4], fields[1]) if wide else (fields[0], fields[1], fields[3])
        if info & 15 == FUNCTION:
            section = next(s for s in sections if s[3] <= value & ~1 < s[3] + s[5] and s[2] & 2)
            end = elf.index(b"\0", names + name)
            yield elf[names + name:end].decode(), value, section[4] + (value & ~1) - section[3]


def package(content, code):
    """The package with that code at the beginning of each kernel."""
    content = bytearray(content)
    row = HEAD + MODULES * ROW
    offset, size = struct.unpack_from("<2Q", content, row + NAME)
    modules = content[offset:offset + size]
    at = modules.find(b"\x7fELF")
    while at >= 0:
        machine, = struct.unpack_from("<H", modules, at + 18)
        for _, _, place in functions(bytes(modules[at:])):
            modules[at + place:at + place + len(code[machine])] = code[machine]
        at = modules.find(b"\x7fELF", at + 4)
    content[offset:offset + size] = modules
    struct.pack_into("<Q", content, row + NAME + 16, fnv(modules))
    return bytes(content)
