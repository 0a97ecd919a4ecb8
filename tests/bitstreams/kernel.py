"""What Vitis HLS makes of a kernel's source, as far as its documents (UG1399) say: pragmas and their options are theirs, name what there is,
and lie in functions; loops without a constant bound say how often they run; and the pins of the IP.

usage: kernel.py SOURCE TOP HEADERS_FOLDER
Prints the pins and buses, a Tcl list a line each; or what is wrong, and ends with 1. HEADERS_FOLDER has hls_stream.h.
"""

import os
import re
import subprocess
import sys
import tempfile

# Of a pragma: its options, with what they may be: a pattern, a name of something in the source, or a number between two.
VARIABLE, PORT, BYTES = "variable", "port", (1, 1 << 31)
PRAGMAS = {
    "INTERFACE": {"mode": "ap_none|ap_vld|ap_ovld|axis|m_axi|s_axilite|bram|ap_memory|ap_fifo", "port": PORT, "bundle": r"\w+",
                  "offset": "off|direct|slave", "depth": BYTES, "max_read_burst_length": (1, 256), "max_write_burst_length": (1, 256),
                  "num_read_outstanding": (1, 256), "num_write_outstanding": (1, 256), "latency": (1, 1024),
                  "storage_type": "ram_1p|ram_2p|ram_t2p|ram_1wnr|ram_s2p|rom_1p|rom_2p", "register": None, "name": r"\w+"},
    "AGGREGATE": {"variable": VARIABLE, "compact": "bit|byte|none|auto"},
    "ARRAY_PARTITION": {"variable": VARIABLE, "type": "complete|cyclic|block", "dim": (0, 3), "factor": (1, 1024)},
    "ARRAY_RESHAPE": {"variable": VARIABLE, "type": "complete|cyclic|block", "dim": (0, 3), "factor": (1, 1024)},
    "DEPENDENCE": {"variable": VARIABLE, "type": "inter|intra", "direction": "RAW|WAR|WAW", "distance": (1, 1024), "true": None,
                   "false": None},
    "INLINE": {"off": None, "recursive": None},
    "LOOP_TRIPCOUNT": {"min": (0, 1 << 31), "max": (0, 1 << 31), "avg": (0, 1 << 31)},
    "PIPELINE": {"II": (1, 64), "off": None, "rewind": None, "style": "stp|frp|flp"},
    "RESET": {"variable": VARIABLE, "off": None},
    "UNROLL": {"factor": (1, 1024), "skip_exit_check": None},
}
# What must be there: of a pragma, and of a mode of INTERFACE.
NEEDED = {"INTERFACE": {"mode", "port"}, "AGGREGATE": {"variable"}, "ARRAY_PARTITION": {"variable", "type"},
          "ARRAY_RESHAPE": {"variable", "type"}, "DEPENDENCE": {"variable", "type"}, "RESET": {"variable"}, "LOOP_TRIPCOUNT": {"max"}}
NEEDED_OF_MODE = {"m_axi": {"bundle", "offset", "depth"}, "bram": {"storage_type"}}
OF_MODE = {"m_axi": {"bundle", "offset", "depth", "max_read_burst_length", "max_write_burst_length", "num_read_outstanding",
                     "num_write_outstanding", "latency"}, "bram": {"storage_type", "latency"}, "axis": {"register", "depth"}}
# A port of such a name gets another one: keywords of Verilog and VHDL, and what the tool's own interfaces are called.
KEYWORDS = set("""always and assign automatic begin buf case cell config deassign default defparam design disable edge else end endcase
endmodule event for force fork function generate if initial inout input instance integer join library localparam module nand negedge nor not
or output parameter posedge primitive real reg release repeat scalared signed specify table task time tri unsigned use vectored wait wand
while wire wor xnor xor abs access after alias all architecture array attribute block body buffer bus component configuration constant
disconnect downto elsif entity exit file generic group guarded impure in inertial is label linkage literal loop map mod new next null of on
open others out package port postponed procedure process pure range record register reject rem report return rol ror select severity shared
signal sla sll sra srl subtype then to transport type unaffected units until variable when with start length""".split())


class Wrong(Exception):
    pass


def without_comments(text):
    """Nor lines that go on in the next one."""
    return re.sub(r"//[^\n]*", "", re.sub(r"\\\n\s*", "", text))


def constants_of(source, top, headers, names, types):
    """Values of constants and bits of types, by a program that has the source in it; a type with padding is refused."""
    lines = [f'#include "{os.path.basename(source)}"', "#include <cstdio>", "int main() {"]
    lines += [f'std::printf("%s %lld\\n", "{name}", (long long)({name}));' for name in sorted(names)]
    for kind in sorted(types):
        lines.append(f'std::printf("%s %zu\\n", "{kind}", __has_unique_object_representations({kind}) ? 8 * sizeof({kind}) : 0);')
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "probe.cc")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines + ["}"]))
        build = subprocess.run(["c++", "-std=c++14", "-w", "-O0", "-I" + headers, "-I" + os.path.dirname(source), path, "-o", folder + "/probe"],
                               capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"})
        if build.returncode:
            error = re.search(r"error: (.*)", build.stderr)
            raise Wrong(f"{top}: {error[1] if error else build.stderr}")
        out = subprocess.run([folder + "/probe"], capture_output=True, text=True, check=True).stdout
    return {name: int(value) for name, value in (line.rsplit(" ", 1) for line in out.splitlines())}


class Source:
    """A file with those of its folder that it includes: pragmas are the same in all."""

    def __init__(self, path):
        self.path = path
        self.files = {}
        self.read(path)

    def read(self, path):
        if path in self.files:
            return
        with open(path, encoding="utf-8") as file:
            self.files[path] = file.read()
        for name in re.findall(r'(?m)^#include "(\w+\.h)"', self.files[path]):
            self.read(os.path.join(os.path.dirname(path), name))

    @property
    def all(self):
        return "\n".join(without_comments(text) for text in self.files.values())


def parse_pragma(line):
    name, *words = line.split()
    if name not in PRAGMAS:
        raise Wrong(f"pragma {name}: is not documented")
    options = {}
    for word in words:
        key, _, value = word.partition("=")
        if key not in PRAGMAS[name]:
            raise Wrong(f"pragma {name}: has no option {key}")
        if key in options:
            raise Wrong(f"pragma {name}: {key} stands twice")
        if (PRAGMAS[name][key] is None) != ("=" not in word):
            raise Wrong(f"pragma {name}: {word}: {'takes no' if PRAGMAS[name][key] is None else 'wants a'} value")
        options[key] = value
    for key in sorted(NEEDED.get(name, set()) - set(options)):
        raise Wrong(f"pragma {name}: wants {key}")
    return name, options


def functions_of(text):
    """Name, parameters and body of each function of a file, by its braces."""
    found = []
    for match in re.finditer(r"(?m)^[ ]{0,2}(?:template <[^\n]*>\n[ ]{0,2})?(?:inline )?[\w:<>\*&]+ (\w+)\(([^;{}]*?)\)(?: const)? \{", text):
        depth, at = 1, match.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
        found.append((match[1], match[2], text[match.end():at - 1]))
    return found


def check_names(name, parameters, body, pragma, options, everything):
    rest = re.sub(r"#pragma[^\n]*", "", body)
    for key, value in options.items():
        rule = PRAGMAS[pragma][key]
        if rule == PORT:
            if not re.search(rf"\b{re.escape(value)}(\[[^,]*\])*\s*(,|$)", parameters):
                raise Wrong(f"{name}: pragma {pragma}: no argument {value}")
        elif rule == VARIABLE:
            first, *members = value.split(".")
            if not re.search(rf"\b{first}\b", parameters + rest) and not re.search(rf"(?m)^\w+ (?:[^;(){{}}\n]*, )?{first}[\[;]", everything):
                raise Wrong(f"{name}: pragma {pragma}: no variable {first}")
            for member in members:
                if not re.search(rf"[\w\]>]\*?&? {member}(\[|;|,)", everything):
                    raise Wrong(f"{name}: pragma {pragma}: no member {member}")
        elif isinstance(rule, str) and not re.fullmatch(rule, value):
            raise Wrong(f"{name}: pragma {pragma}: {key}={value}: must be one of {rule}")


CONSTANT = r"(\d+|VTA_\w+|k[A-Z]\w*)"
BOUND = re.compile(rf"{CONSTANT}( [*+-] {CONSTANT})*")


def parenthesised(text, at):
    """What stands between the parenthesis that opens before `at` and its end, and where that is."""
    depth, end = 1, at
    while depth:
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        end += 1
    return text[at:end - 1], end


def check_loops(name, body):
    for match in re.finditer(r"\b(for|while) \(", body):
        head, end = parenthesised(body, match.end())
        if match[1] == "for":
            first, condition, _ = (part.strip() for part in head.split(";"))
            begin, limit = re.fullmatch(r"\w+ \w+ = (.*)", first), re.fullmatch(r"\w+ (?:<|<=|>=|>) (.*)", condition)
            if begin and limit and BOUND.fullmatch(begin[1]) and BOUND.fullmatch(limit[1]):
                continue
        if "#pragma HLS LOOP_TRIPCOUNT" not in re.match(r"[^;}]*", body[end:])[0]:
            raise Wrong(f"{name}: the loop '{' '.join(head.split())}' has a variable bound and no LOOP_TRIPCOUNT")


def arguments_of(parameters):
    """Type, kind of reference and dimensions of each argument by name."""
    found = {}
    for text in parameters.split(","):
        match = re.fullmatch(r"\s*(const )?(\w+)\s*([&*]?) ?(\w+)((?:\[\w+\])*)\s*", text)
        if not match:
            raise Wrong(f"cannot read the argument '{text.strip()}'")
        found[match[4]] = (match[2], match[3], re.findall(r"\[(\w+)\]", match[5]), bool(match[1]))
    return found


def read_kernel(path, top, headers):
    source = Source(path)
    everything = source.all
    pragmas, numbers = [], set()
    for text in source.files.values():
        clean = without_comments(text)
        known = 0
        for name, parameters, body in functions_of(clean):
            check_loops(name, body)
            for line in re.findall(r"#pragma HLS ([^\n]*)", body):
                known += 1
                pragma, options = parse_pragma(line)
                check_names(name, parameters, body, pragma, options, everything)
                numbers |= {value for key, value in options.items()
                            if isinstance(PRAGMAS[pragma][key], tuple) and not re.search(rf"const int {value} =", body)
                            and not re.search(rf"template <[^>]*\bint {value}\b", clean)}  # a template's have several values
                pragmas.append((name, pragma, options))
        if known != clean.count("#pragma HLS"):
            raise Wrong(f"{os.path.basename(path)}: a pragma lies in no function, or twice")
    tops = [parameters for name, parameters, _ in functions_of(everything) if name == top]
    if len(tops) != 1:
        raise Wrong(f"no top function {top}")
    arguments = arguments_of(tops[0])
    streams = dict(re.findall(r"typedef hls::stream<(\w+)> (\w+);", everything))
    streams = {alias: word for word, alias in streams.items()}
    types = {streams.get(kind, kind) for kind, *_ in arguments.values()}
    sizes = {size for _, _, dimensions, _ in arguments.values() for size in dimensions}
    values = constants_of(path, top, headers, {name for name in numbers if not name.isdigit()} | sizes, types)
    number = lambda text: int(text) if text.isdigit() else values[text]  # noqa: E731
    for name, pragma, options in pragmas:
        for key, value in options.items():
            rule = PRAGMAS[pragma][key]
            if isinstance(rule, tuple) and value in numbers and not rule[0] <= number(value) <= rule[1]:
                raise Wrong(f"{name}: pragma {pragma}: {key}={value} is {number(value)}: must be in {rule[0]} to {rule[1]}")
    of_top = [(pragma, options) for name, pragma, options in pragmas if name == top]
    return pins_of(top, arguments, of_top, streams, values, number)


def bits_of(top, kind, values):
    bits = values[kind]
    if bits == 0:
        raise Wrong(f"{top}: {kind} has bytes between its members, or behind them: how wide it is depends on the tool")
    return bits


def pins_of(top, arguments, pragmas, streams, values, number):
    modes = {}
    for pragma, options in pragmas:
        if pragma == "INTERFACE":
            if options["port"] in modes:
                raise Wrong(f"{top}: port {options['port']} has two modes")
            modes[options["port"]] = options
    aggregated = {options["variable"] for pragma, options in pragmas if pragma == "AGGREGATE"}
    whole = {options["variable"] for pragma, options in pragmas
             if pragma == "ARRAY_RESHAPE" and options["type"] == "complete" and options.get("dim") == "2"}
    pins, buses, memories = [], [], set()
    for name, (kind, reference, dimensions, is_const) in arguments.items():
        if name in KEYWORDS:
            raise Wrong(f"{top}: port {name} is a keyword, or the tool's: it would be called {name}_r")
        if name not in modes:
            raise Wrong(f"{top}: port {name} has no mode")
        options = modes[name]
        mode = options["mode"]
        extra = set(options) - {"mode", "port"} - OF_MODE.get(mode, set())
        if extra:
            raise Wrong(f"{top}: port {name}: {sorted(extra)[0]} is not an option of {mode}")
        for key in sorted(NEEDED_OF_MODE.get(mode, set()) - set(options)):
            raise Wrong(f"{top}: port {name}: {mode} wants {key}")
        if (mode == "axis") != (kind in streams):
            raise Wrong(f"{top}: port {name}: {mode} is no mode of {kind}")
        if mode == "axis":
            buses.append(f"name {name} protocol AXIS width {bits_of(top, streams[kind], values)}")
        elif mode == "m_axi":
            bits = bits_of(top, kind, values)
            if reference != "*" or bits & (bits - 1) or not 8 <= bits <= 1024:
                raise Wrong(f"{top}: port {name}: m_axi wants a pointer to 8 to 1024 bits, a power of two; has {bits}")
            if options["bundle"] in memories:
                raise Wrong(f"{top}: port {name}: bundle {options['bundle']} has a port already")
            memories.add(options["bundle"])
            beats = max([number(options[key]) for key in ("max_read_burst_length", "max_write_burst_length") if key in options], default=16)
            buses.append(f"name m_axi_{options['bundle']} protocol AXI4 mode master width {bits} beats {beats} space "
                         f"Data_m_axi_{options['bundle']} cache 0011 addresses {{{{0x0 0x10000000000000000}}}}")
        elif mode == "bram":
            if len(dimensions) != 2 or name not in whole:
                raise Wrong(f"{top}: port {name}: rows are not reshaped into one word")
            rows, lanes = (number(size) for size in dimensions)
            if options["storage_type"] != "ram_1p":
                raise Wrong(f"{top}: port {name}: has two ports unless it is a ram_1p")
            writes = "read" if is_const else "write"
            buses.append(f"name {name}_PORTA protocol BRAM mode master width {lanes * bits_of(top, kind, values)} rows {rows} access {writes}")
        else:
            if kind.startswith("vta_") and name not in aggregated:
                raise Wrong(f"{top}: port {name}: a struct on wires wants AGGREGATE")
            output = reference == "&" and not is_const
            if (mode == "ap_vld") != output or mode not in ("ap_vld", "ap_none"):
                raise Wrong(f"{top}: port {name}: {mode}: an output is valid at times, an input always")
            pins.append(f"{name} {'output' if output else 'input'} {bits_of(top, kind, values)} data")
            if output:
                pins.append(f"{name}_ap_vld output 1 data")
    for name in modes:
        if name not in arguments:
            raise Wrong(f"{top}: no argument {name}")
    return pins, buses


def uses_of(source):
    """By function: which of its parameters it reads and writes as streams, itself or in what it calls."""
    functions = {}
    for text in source.files.values():
        for name, parameters, body in functions_of(without_comments(text)):
            names = [re.sub(r"\[.*", "", text).split()[-1].lstrip("&*") if text.strip() else "" for text in parameters.split(",")]
            uses = {(parameter, use) for parameter, use in re.findall(r"\b(\w+)\.(read|write)_nb\(", body) if parameter in names}
            functions[name] = (names, body, uses)
    grows = True
    while grows:
        grows = False
        for names, body, uses in functions.values():
            for match in re.finditer(r"\b(\w+)(?:<[\w, ]*>)?\(", body):
                if match[1] not in functions:
                    continue
                called, _, inside = functions[match[1]]
                given = [argument.strip() for argument in parenthesised(body, match.end())[0].split(",")]
                more = {(argument, use) for argument, parameter in zip(given, called) if argument in names
                        for own, use in inside if own == parameter} - uses
                uses |= more
                grows |= bool(more)
    return functions


def main(path, top, headers):
    try:
        pins, buses = read_kernel(os.path.abspath(path), top, headers)
    except Wrong as wrong:
        sys.exit(f"{os.path.basename(path)}: {wrong}")
    uses = uses_of(Source(os.path.abspath(path)))[top][2]
    print("pins {" + " ".join(f"{{{pin}}}" for pin in pins) + "}")
    rows = []
    for bus in buses:
        if "protocol AXIS" in bus:
            name = bus.split()[1]
            found = [use for stream, use in uses if stream == name]
            if len(found) != 1:
                sys.exit(f"{os.path.basename(path)}: {top}: stream {name} must be read or written, and not both")
            bus += f" mode {'master' if found == ['write'] else 'slave'}"
        rows.append(f"{{{bus} clock ap_clk}}" if "BRAM" not in bus else f"{{{bus}}}")
    print("buses {" + " ".join(rows) + "}")


main(*sys.argv[1:])
