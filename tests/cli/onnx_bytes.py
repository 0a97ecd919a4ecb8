"""Small ONNX models, byte by byte: what protobuf's own library would refuse to write is written too."""

FLOAT, INT8, STRING, FLOAT16 = 1, 3, 8, 10


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    value = value if isinstance(value, bytes) else value.encode()
    return varint(field << 3 | 2) + varint(len(value)) + value


def value_info(name, dims, element=FLOAT):
    """A dimension is a number, or a name that stands for one."""
    shape = b"".join(text(1, number(1, d) if isinstance(d, int) else text(2, d)) for d in dims)
    return text(1, name) + text(2, text(1, number(1, element) + text(2, shape)))


def node(kind, inputs, outputs, name="", domain=""):
    return (b"".join(text(1, i) for i in inputs) + b"".join(text(2, o) for o in outputs) + text(3, name) +
            text(4, kind) + text(7, domain))


def scalar(name, value, element):
    """An initializer of one small value: float 1.0 .. or an integer."""
    return number(2, element) + text(8, name) + (
        varint(4 << 3 | 2) + varint(4) + value if element == FLOAT else varint(5 << 3) + varint(value))


def model(nodes, inputs, outputs, opset=13, initializers=()):
    graph = (b"".join(text(1, n) for n in nodes) + text(2, "g") + b"".join(text(5, i) for i in initializers) +
             b"".join(text(11, i) for i in inputs) + b"".join(text(12, o) for o in outputs))
    return number(1, 8) + text(7, graph) + text(8, text(1, "") + number(2, opset))
