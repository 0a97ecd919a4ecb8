"""Pictures as inputs, held against Pillow and NumPy: every kind of file, size, colour and layout; and what each refusal says."""

import io
import json
import os
import struct
import zlib

import numpy
from PIL import Image, ImageOps

import onnx_bytes
import tool

RUNNER = os.path.join(os.path.dirname(tool.TOOL), "vta-run")
DEMO = os.path.join(tool.SOURCE, "tools/demo")
CASES = os.path.join(os.environ.get("VTA_CASES", os.path.join(tool.SOURCE, "../shared/cases")), "public")
FILTERS = {name: getattr(Image.Resampling, name.upper()) for name in ("nearest", "box", "bilinear", "bicubic", "lanczos")}
UINT8 = 2
RANDOM = numpy.random.default_rng(5)


def smooth(height, width, channels=3):
    """A picture with edges and slopes, as photographs have them."""
    coarse = RANDOM.integers(0, 256, (height // 8 + 2, width // 8 + 2, channels), numpy.uint8)
    picture = Image.fromarray(coarse.squeeze()).resize((width, height), Image.Resampling.BICUBIC)
    return Image.fromarray((numpy.asarray(picture) ^ RANDOM.integers(0, 8, 1, numpy.uint8)).astype(numpy.uint8))


def png(width, height, depth, kind, rows, interlaced=False, extra=b""):
    """A PNG of these packed rows, one list for each pass; Pillow writes neither 16-bit colours nor interlaced ones."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, interlaced)
    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + extra + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def interlaced(pixels):
    height, width, _ = pixels.shape
    passes = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
    rows = [row.tobytes() for x, y, dx, dy in passes for row in pixels[y::dy, x::dx] if row.size]
    return png(width, height, 8, 2, rows, interlaced=True)


def saved(picture, kind, **options):
    file = io.BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()


def oriented(picture, kind, orientation):
    exif = Image.Exif()
    exif[0x112] = orientation
    return saved(picture, kind, exif=exif.tobytes())


class PicturesTest(tool.ToolTest):
    def network(self, name, shape, element=onnx_bytes.FLOAT):
        """A package that gives back what it takes."""
        self.write("identity.onnx", onnx_bytes.model([onnx_bytes.node("Identity", ["x"], ["y"])], [onnx_bytes.value_info("x", shape, element)],
                                                     [onnx_bytes.value_info("y", shape, element)]))
        self.done("compile", "identity.onnx", "--target", "cpu", "-o", name)

    def runner(self, *arguments):
        return self.run_process([RUNNER, *arguments])

    def samples(self, network, *arguments):
        status, _, errors = self.runner(network, *arguments, "--output", "got.npy")
        self.assertEqual(status, 0, errors)
        return numpy.load(self.path("got.npy"))

    def refused(self, message, *arguments, status=1):
        result = self.runner(*arguments)
        self.assertEqual((result[0], result[2].splitlines()[0]), (status, f"vta-run: {message}"))

    def write_list(self, name, files):
        for file, content in files.items():
            self.write(file, content)
        self.write(name, "".join(f"{file}\n" for file in files))

    def assert_equal(self, got, wanted, names):
        self.assertEqual(len(got), len(names))
        for have, want, name in zip(got, wanted, names):
            self.assertEqual(have.shape, want.shape, name)
            self.assertEqual(int(abs(have.astype(int) - want).max()), 0, name)

    def png_files(self, width, height):
        picture, grey = smooth(height, width), smooth(height, width, 1)
        pixels = numpy.asarray(picture)
        alpha = Image.merge("RGBA", (*picture.split(), grey))
        wide = RANDOM.integers(0, 65536, (height, width, 3)).astype(">u2")
        colour_key = b"\0\0\0\6tRNS" + struct.pack(">HHH", *pixels[0, 0]) + struct.pack(
            ">I", zlib.crc32(b"tRNS" + struct.pack(">HHH", *pixels[0, 0])))
        files = {
            "rgb.png": saved(picture, "PNG"), "grey.png": saved(grey, "PNG"), "alpha.png": saved(alpha, "PNG"),
            "grey_alpha.png": saved(Image.merge("LA", (grey, picture.split()[0])), "PNG"),
            "palette.png": saved(picture.quantize(17), "PNG"), "clear.png": saved(picture.quantize(9), "PNG", transparency=3),
            "bits.png": saved(grey.convert("1"), "PNG"), "interlaced.png": interlaced(pixels),
            "wide.png": png(width, height, 16, 2, [row.tobytes() for row in wide]),
            "key.png": png(width, height, 8, 2, [row.tobytes() for row in pixels], extra=colour_key)}
        for depth in 2, 4:
            rows = RANDOM.integers(0, 256, (height, (width * depth + 7) // 8), numpy.uint8)
            files[f"grey{depth}.png"] = png(width, height, depth, 0, [row.tobytes() for row in rows])
        return files

    def jpeg_files(self, width, height):
        picture = smooth(height, width)
        files = {f"{quality}_{subsampling}_{progressive}.jpg":
                 saved(picture, "JPEG", quality=quality, subsampling=subsampling, progressive=progressive)
                 for quality in (40, 95) for subsampling in (0, 1, 2) for progressive in (False, True)}
        files["grey.JPEG"] = saved(smooth(height, width, 1), "JPEG")
        return files

    def ppm_files(self, width, height):
        picture = smooth(height, width)
        few = RANDOM.integers(0, 101, (height, width, 3), numpy.uint8)
        wide = RANDOM.integers(0, 1001, (height, width, 3)).astype(">u2")
        return {"rgb.ppm": saved(picture, "PPM"), "grey.pgm": saved(smooth(height, width, 1), "PPM"),
                "few.ppm": b"P6 # few\n%d\t%d 100\n" % (width, height) + few.tobytes(),
                "wide.ppm": b"P6\n%d %d\n1000\n" % (width, height) + wide.tobytes()}

    def test_every_kind_of_file_is_as_pillow_has_it(self):
        for width, height in (37, 53), (16, 9):
            for channels, mode in (3, "RGB"), (1, "L"):
                self.network("net.vta", [1, height, width, channels], UINT8)
                files = {**self.png_files(width, height), **self.jpeg_files(width, height), **self.ppm_files(width, height)}
                self.write_list("all.txt", files)
                got = self.samples("net.vta", "--input", "all.txt")
                wanted = [numpy.asarray(Image.open(self.path(name)).convert(mode)).reshape(height, width, channels) for name in files]
                self.assert_equal(got, wanted, list(files))
        # Pillow clips 16-bit grey where it makes codes of it: NumPy takes the high byte.
        grey = RANDOM.integers(0, 65536, (9, 16)).astype(">u2")
        self.write("grey16.png", png(16, 9, 16, 0, [row.tobytes() for row in grey]))
        self.assert_equal(self.samples("net.vta", "--input", "grey16.png"), [(grey >> 8)[..., None]], ["grey16.png"])

    def test_exif_turns_pictures_upright(self):
        self.network("net.vta", [1, 21, 13, 3], UINT8)
        files = {}
        for orientation in range(10):
            size = (13, 21) if 5 <= orientation <= 8 else (21, 13)
            for kind in "PNG", "JPEG":
                files[f"{orientation}.{kind.lower()}"] = oriented(smooth(*size), kind, orientation)
        # The other byte order, and a block that says nothing.
        big = b"Exif\0\0MM\0\x2a\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1\0\6\0\0\0\0\0\0"
        files["big.jpg"] = saved(smooth(13, 21), "JPEG", exif=big)
        files["none.jpg"] = saved(smooth(21, 13), "JPEG", exif=b"Exif\0\0MM\0\x2a\0\0\0\x08\0\0\0\0\0\0")
        self.write_list("all.txt", files)
        got = self.samples("net.vta", "--input", "all.txt")
        self.assert_equal(got, [numpy.asarray(ImageOps.exif_transpose(Image.open(self.path(name)))) for name in files], list(files))

    def test_sizes_are_as_pillow_makes_them(self):
        width, height = 37, 23
        self.network("net.vta", [1, height, width, 3], UINT8)
        sizes = (37, 23), (74, 46), (200, 31), (31, 200), (5, 7), (1, 1), (640, 11), (38, 23)
        pictures = [smooth(h, w) for w, h in sizes]
        names = [f"{w}x{h}.png" for w, h in sizes]
        self.write_list("all.txt", {name: saved(picture, "PNG") for name, picture in zip(names, pictures)})

        def covered(picture, across, down, method):
            w, h = picture.size
            size = (across, int(across * h / w)) if w * down <= across * h else (int(down * w / h), down)
            resized = picture.resize(size, method)
            left, top = (int(round((of - to) / 2.0)) for of, to in zip(size, (width, height)))
            return resized.crop((left, top, left + width, top + height))

        for name, method in FILTERS.items():
            for how, make in (("stretch", lambda p: p.resize((width, height), method)), ("pad", lambda p: ImageOps.pad(p, (width, height), method)),
                              ("crop", lambda p: covered(p, width, height, method))):
                got = self.samples("net.vta", "--input", "all.txt", "--resize", how, "--resize-filter", name)
                self.assert_equal(got, [numpy.asarray(make(picture)) for picture in pictures], [f"{how} {name} {n}" for n in names])
        got = self.samples("net.vta", "--input", "all.txt", "--resize", "crop", "--resize-size", "50")
        self.assert_equal(got, [numpy.asarray(covered(picture, 50, 50, FILTERS["bilinear"])) for picture in pictures], names)

    def test_values_are_as_numpy_computes_them(self):
        picture = smooth(11, 7)
        self.write("p.png", saved(picture, "PNG"))
        codes = numpy.asarray(picture).astype(numpy.float64)
        mean, std = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
        trained = ("--input-scale", "1/255", "--input-mean", "0.485,0.456,0.406", "--input-std", "0.229,0.224,0.225")
        normal = ((codes * (1 / 255) - mean) / std).astype(numpy.float32)
        blue = ((codes[..., ::-1] * (1 / 255) - mean) / std).astype(numpy.float32)
        for network, shape, move in ("last.vta", [1, 11, 7, 3], lambda v: v), ("first.vta", [1, 3, 11, 7], lambda v: v.transpose(2, 0, 1)):
            self.network(network, shape)
            for options, wanted in ((trained, normal), ((*trained, "--input-order", "bgr"), blue), ((), codes.astype(numpy.float32)),
                                    (("--input-mean", "127.5", "--input-std", "127.5"), ((codes - 127.5) / 127.5).astype(numpy.float32))):
                got = self.samples(network, "--input", "p.png", *options)[0]
                self.assertEqual(got.tobytes(), move(wanted).tobytes(), options)
        said = "vta-run: x takes pixels as 0 to 255; --input-scale, --input-mean and --input-std say what it was trained on\n"
        self.assertEqual(self.runner("last.vta", "--input", "p.png")[2], said)
        self.network("int8.vta", [1, 11, 7, 3], onnx_bytes.INT8)
        self.assertTrue((self.samples("int8.vta", "--input", "p.png")[0] == codes - 128).all())
        self.assertTrue((self.samples("int8.vta", "--input", "p.png", "--input-scale", "1/4")[0] == numpy.round(codes / 4)).all())
        # A batch takes its pictures together.
        self.network("two.vta", [2, 3, 11, 7], UINT8)
        self.write("two.txt", "p.png\n\np.png\n")
        self.assertEqual(self.samples("two.vta", "--input", "two.txt").shape, (2, 3, 11, 7))
        self.refused("p.png: pictures = 1: x takes 2 at a time", "two.vta", "--input", "p.png")

    def test_channels_are_where_the_shapes_say_or_it_is_refused(self):
        values = RANDOM.integers(0, 256, (2, 5, 4, 3), numpy.uint8)  # channels last
        first = values.transpose(0, 3, 1, 2)
        self.network("last.vta", [1, 5, 4, 3], UINT8)
        self.network("first.vta", [1, 3, 5, 4], UINT8)
        for name, array in (("last", values), ("first", first)):
            numpy.save(self.path(name + ".npy"), numpy.ascontiguousarray(array))
            self.write(name + ".bin", array.tobytes())
        for network, wanted, takes in (("last.vta", values, "last"), ("first.vta", first, "first")):
            for file, layout in ("last", "nhwc"), ("first", "nchw"):
                for options in ((f"{file}.npy",), (f"{file}.npy", "--input-layout", layout), (f"{file}.bin", "--input-layout", layout)):
                    self.assertTrue((self.samples(network, "--input", *options) == wanted).all(), (network, options))
                shape = "[1,5,4,3]" if takes == "last" else "[1,3,5,4]"
                self.refused(f"--input-layout: {file}.bin: does not say where it has channels, which x {shape} takes {takes}: "
                             "give nchw or nhwc, as the file has them", network, "--input", f"{file}.bin", status=2)
        self.assertEqual(self.runner("last.vta", "--input", "first.npy")[2],
                         "vta-run: first.npy: its channels, nchw by its shape [2,3,5,4], move to where x [1,5,4,3] has them\n")
        self.refused("none.bin: cannot open: No such file or directory", "first.vta", "--input", "none.bin")
        # All three axes alike: not even an array's shape tells.
        self.network("cube.vta", [1, 3, 3, 3], UINT8)
        cube = RANDOM.integers(0, 256, (3, 3, 3), numpy.uint8)
        numpy.save(self.path("cube.npy"), cube[None])
        self.write("cube.png", saved(Image.fromarray(cube), "PNG"))
        self.refused("--input-layout: cube.npy: does not say where it has channels, which x [1,3,3,3] takes either first or last: "
                     "give nchw or nhwc, as the file has them", "cube.vta", "--input", "cube.npy", status=2)
        self.refused("--input-layout: cube.png: the shape of x, [1,3,3,3], does not say where it has channels: give nchw or nhwc",
                     "cube.vta", "--input", "cube.png", status=2)
        for layout, wanted in ("nhwc", cube), ("nchw", cube.transpose(2, 0, 1)):
            self.assertTrue((self.samples("cube.vta", "--input", "cube.png", "--input-layout", layout)[0] == wanted).all())

    def test_a_trained_network_with_channels_last(self):
        """ResNet-8 on CIFAR-10: 7.7 % right where three channels are taken for the first axis."""
        case = os.path.join(CASES, "resnet8_cifar_qdq")
        if not os.path.exists(case):
            self.skipTest(f"no case {case}")
        raw, labels = os.path.join(case, "inputs_u8.bin"), os.path.join(case, "labels.txt")
        self.done("compile", os.path.join(case, "model.onnx"), "--target", "cpu", "-o", "net.vta")
        words = ["run", "net.vta"]
        self.fails(f"--input-layout: {raw}: does not say where it has channels, which input_1 [1,32,32,3] takes last: "
                   "give nchw or nhwc, as the file has them", *words, "--input", raw, "--input-type", "uint8", status=2)
        pixels = numpy.fromfile(raw, numpy.uint8).reshape(-1, 32, 32, 3)
        numpy.save(self.path("first.npy"), numpy.ascontiguousarray(pixels.transpose(0, 3, 1, 2)))
        os.makedirs(self.path("p"))
        for i, picture in enumerate(pixels):
            self.write(f"p/{i:03}.png", saved(Image.fromarray(picture), "PNG"))
        answers = {self.run_tool(*words, *given, "--labels", labels)[1].split("accuracy: ")[1]
                   for given in (["--input", raw, "--input-type", "uint8", "--input-layout", "nhwc"],
                                 ["--input", "first.npy", "--input-type", "uint8"], ["--input", "p"])}
        self.assertEqual(len(answers), 1, answers)
        self.assertGreater(float(answers.pop().split()[0]), 88)

    def test_what_is_no_picture_or_too_large_is_named(self):
        self.network("net.vta", [1, 3, 8, 8], UINT8)
        picture = smooth(8, 8)
        whole = {"a.png": saved(picture, "PNG"), "a.jpg": saved(picture, "JPEG"), "a.ppm": saved(picture, "PPM")}
        for name, content in whole.items():
            for size in (*range(0, len(content) - 1, 1 + len(content) // 40), len(content) - 1):
                self.write(name, content[:size])
                status, out, errors = self.runner("net.vta", "--input", name)
                self.assertEqual((status, out, errors.count("\n")), (1, "", 1), (name, size))
                self.assertTrue(errors.startswith(f"vta-run: {name}: "), errors)
        self.write("a.png", "GIF89a and more")
        self.refused("a.png: is no picture in PNG, JPEG, or PPM or PGM in bytes (P6, P5)", "net.vta", "--input", "a.png")
        self.write("a.png", whole["a.png"][:50] + b"\xff" + whole["a.png"][51:])
        self.assertRegex(self.runner("net.vta", "--input", "a.png")[2], r"^vta-run: a.png: PNG: [^\n]+\n$")
        self.write("huge.png", png(100000, 100000, 8, 2, [b""]))
        for name, content in (("empty.png", png(8000, 8000, 8, 2, [b""])), ("empty.ppm", b"P6 8000 8000 255\n"),
                              ("empty.jpg", whole["a.jpg"].replace(b"\0\x11\x08\0\x08\0\x08", b"\0\x11\x08\x1f\x40\x1f\x40"))):
            self.write(name, content)
            self.assertRegex(self.runner("net.vta", "--input", name)[2], rf"^vta-run: {name}: pixels = \d+ bytes: is cut off: 8000x8000 takes \d+ or more\n$")
        self.write("huge.ppm", b"P6 8193 8192 255\n")
        self.write("huge.jpg", whole["a.jpg"].replace(b"\0\x11\x08\0\x08\0\x08", b"\0\x11\x08\xff\x00\xff\x00"))
        for name, size in ("huge.png", "100000x100000"), ("huge.ppm", "8193x8192"), ("huge.jpg", "65280x65280"):
            self.refused(f"{name}: size = {size}: is more than the 67108864 pixels that a picture may have", "net.vta", "--input", name)
        self.write("cmyk.jpg", saved(picture.convert("CMYK"), "JPEG"))
        self.refused("cmyk.jpg: JPEG = 4 components: must be grey, or red, green and blue (1 or 3): CMYK is for print",
                     "net.vta", "--input", "cmyk.jpg")
        self.write("wide.png", saved(smooth(8, 9), "PNG"))
        self.refused("wide.png: size = 9x8: must be 8x8, as x [1,3,8,8] has it; --resize makes it fit", "net.vta", "--input", "wide.png")
        self.write("slim.ppm", b"P5 1 9000000 255\n" + bytes(9000000))
        self.refused("slim.ppm: size = 1x9000000: cannot become 8x8: that takes a picture of 8x9000000, and 67108864 pixels are the most",
                     "net.vta", "--input", "slim.ppm", "--resize", "stretch")
        self.refused("wide.png: size = 9x8: is 6x6 once resized: too small to cut 8x8 out of it",
                     "net.vta", "--input", "wide.png", "--resize", "crop", "--resize-size", "6")
        self.network("flat.vta", [1, 192], UINT8)
        self.refused("wide.png: a picture: is for an input [N,C,H,W] or [N,H,W,C] with 1 or 3 channels, and x is [1,192]",
                     "flat.vta", "--input", "wide.png")

    def test_folders_and_lists(self):
        self.network("net.vta", [1, 3, 8, 8], UINT8)
        os.makedirs(self.path("d/inner"))
        self.refused("d: pictures = 0: a folder must have some, .png, .jpg, .jpeg, .ppm, .pgm; folders in it are left alone",
                     "net.vta", "--input", "d")
        pictures = {name: smooth(8, 8) for name in ("b.png", "a 1.png", "c.png")}
        for name, picture in pictures.items():
            self.write(f"d/{name}", saved(picture, "PNG"))
        for name in ".hidden.png", "notes.md":
            self.write(f"d/{name}", "none")
        planes = {name: numpy.asarray(picture).transpose(2, 0, 1) for name, picture in pictures.items()}
        got = self.samples("net.vta", "--input", "d")
        self.assertTrue((got == numpy.stack([planes[name] for name in ("a 1.png", "b.png", "c.png")])).all())
        self.write("l.txt", "d/c.png 1\r\nd/a 1.png\t0\n")
        self.assertTrue((self.samples("net.vta", "--input", "l.txt") == numpy.stack([planes["c.png"], planes["a 1.png"]])).all())
        for text, message in (("d/c.png 1\nd/b.png\n", "l.txt:2: label: either all pictures have labels or none"),
                              ("d/c.png\nd/b.png 3\n", "l.txt:2: label = 3: either all pictures have labels or none"),
                              ("d/c.png x\n", "l.txt:1: label = x: must be an integer that is not negative"),
                              ("d/c.png -1\n", "l.txt:1: label = -1: must be an integer that is not negative"),
                              ("d/notes.md\n", "l.txt:1: picture = d/notes.md: must end in one of .png, .jpg, .jpeg, .ppm, .pgm"),
                              ("\n", "l.txt: pictures = 0: a list must have some, one a line"),
                              ("none.png\n", "none.png: cannot open: No such file or directory")):
            self.write("l.txt", text)
            self.refused(message, "net.vta", "--input", "l.txt")

    def test_wrong_values_of_options_are_usage_errors(self):
        self.network("net.vta", [1, 3, 8, 8])
        self.write("p.png", saved(smooth(8, 8), "PNG"))
        numpy.save(self.path("n.npy"), numpy.zeros((1, 3, 8, 8), numpy.float32))
        for words, message in ((("--input-std", "0"), "--input-std: 0 must be a finite number above 0"),
                               (("--input-scale", "1/0"), "--input-scale: 1/0 must be a finite number above 0"),
                               (("--input-scale", "1,2"), "--input-scale: takes one number"),
                               (("--input-mean", "1,,2"), "--input-mean:  must be a finite number"),
                               (("--input-mean", "1,2"), "--input-mean: 2 values: x has 3 channels: give one, or one for each"),
                               (("--input-order", "gbr"), "--input-order: gbr must be one of rgb, bgr; did you mean bgr?"),
                               (("--input-layout", "hwc"), "--input-layout: hwc must be one of nhwc, nchw; did you mean nhwc?"),
                               (("--input-type", "int16"), "--input-type: int16: pictures hold uint8"),
                               (("--resize", "fit"), "--resize: fit must be one of stretch, crop, pad"),
                               (("--resize", "pad", "--resize-filter", "cubic"),
                                "--resize-filter: cubic must be one of nearest, box, bilinear, bicubic, lanczos; did you mean bicubic?"),
                               (("--resize-filter", "box"), "--resize-filter requires --resize"),
                               (("--resize", "pad", "--resize-size", "8"), "--resize-size: is for --resize crop"),
                               (("--resize", "crop", "--resize-size", "0"), "--resize-size: 0 must be an integer, 1 to 65535")):
            self.refused(message, "net.vta", "--input", "p.png", *words, status=2)
        for words in ("--resize", "crop"), ("--input-order", "bgr"):
            self.refused(f"{words[0]}: is of pictures, and there are none", "net.vta", "--input", "n.npy", *words, status=2)

    def digits(self, count):
        """The demo's pictures and labels."""
        with open(os.path.join(DEMO, "images.bin"), "rb") as file:
            images = numpy.frombuffer(file.read(), numpy.uint8).reshape(-1, 8, 8)[:count]
        with open(os.path.join(DEMO, "labels.txt"), encoding="utf-8") as file:
            return images, file.read().split()[:count]

    def test_run_quantize_and_eval_take_them_too(self):
        """The demo's digits as pictures, their labels in the list: all is as of the raw file."""
        images, labels = self.digits(20)
        for i, image in enumerate(images):
            self.write(f"{i:03}.png", saved(Image.fromarray(image), "PNG"))
        self.write("raw.bin", images.tobytes())
        self.write("labels.md", "\n".join(labels))
        self.write("list.txt", "".join(f"{i:03}.png {label}\n" for i, label in enumerate(labels)))
        raw, listed = ["raw.bin", "--input-type", "uint8", "--input-scale", "1/16"], ["list.txt", "--input-scale", "1/16"]
        int8, real = (os.path.join(DEMO, f"digits_{kind}.onnx") for kind in ("int8", "f32"))
        self.done("run", int8, "--engine", "functional", "--input", *raw, "--output", "raw.npy")
        out = self.done("run", int8, "--engine", "functional", "--input", *listed, "--reference", "raw.npy")
        self.assertRegex(out, r"(?m)^accuracy: \d+[.]00 % \(\d+ of 20\)$")
        self.assertIn("20 of 20 samples equal", out)
        self.assertEqual(out.count("\n  0"), 20)  # each by the name of its file
        quick = ["--calibration", "minmax", "--equalise", "off", "--keep-biases"]
        for data, name in (raw, "a.onnx"), (listed, "b.onnx"):
            self.done("quantize", real, "--data", *data, *quick, "-o", name)
        self.assertEqual(self.read("a.onnx"), self.read("b.onnx"))
        # Of the pictures behind the first so many, no file is read.
        self.write("few.txt", "000.png 0\nnone.png 1\n")
        self.done("quantize", real, "--data", "few.txt", *listed[1:], *quick, "--samples", "1", "-o", "c.onnx")
        self.assertIn("1 sample,", self.done("eval", real, "--data", "few.txt", *listed[1:], "--samples", "1", "--no-trials"))
        self.fails("none.png: cannot open: No such file or directory", "quantize", real, "--data", "few.txt", *listed[1:], "-o", "c.onnx")
        self.assertEqual(self.done("eval", int8, "--data", *listed, "--no-trials"),
                         self.done("eval", int8, "--data", *raw, "--no-trials", "--labels", "labels.md"))
        self.fails("labels.md: labels: list.txt has labels, too", "run", int8, "--input", *listed, "--labels", "labels.md")
        self.write("list.txt", "000.png 10\n")
        self.fails("list.txt: label = 10: must be 0 to 9: the output has 10 classes", "run", int8, "--input", *listed)

    def test_the_answer_has_the_names_of_its_classes(self):
        images, labels = self.digits(1)
        self.write("five.png", saved(Image.fromarray(images[0]), "PNG"))
        names = [f"digit {i}" for i in range(10)]
        self.write("names.txt", "\n".join(names))
        words = ["--input", "five.png", "--input-scale", "1/16", "--class-names", "names.txt", "--output", "scores.npy"]
        self.done("compile", os.path.join(DEMO, "digits_int8.onnx"), "-o", "d.vta")
        out = self.done("run", "d.vta", "--engine", "functional", *words, "--report", "r.json")
        scores = numpy.load(self.path("scores.npy"))[0].astype(float)
        shares = numpy.exp(scores) / numpy.exp(scores).sum()
        best = sorted(range(10), key=lambda i: (-scores[i], i))[:5]
        self.assertEqual(str(best[0]), labels[0])
        wide = max(len(f"{scores[i]:.6g}") for i in best)
        answer = "logits [1,10] float32: the highest of 10 scores, and their softmax\n" + "".join(
            f"  {i} {names[i]}  {scores[i]:>{wide}.6g}  {100 * shares[i]:6.2f} %\n" for i in best)
        self.assertIn(answer, out)
        self.assertEqual(self.runner("d.vta", *words)[1].split("\n", 1)[1], answer)
        top = json.loads(self.read("r.json"))["answer"][0]["samples"][0]["top"]
        self.assertEqual([(entry["class"], entry["name"], entry["score"]) for entry in top], [(i, names[i], scores[i]) for i in best])
        for entry, i in zip(top, best):
            self.assertAlmostEqual(entry["softmax"], shares[i], delta=1e-12)
        self.write("names.txt", "\n".join(names[1:]))
        self.refused("names.txt: names = 9: logits scores 10 classes", "d.vta", *words)
        self.fails("names.txt: names = 9: logits scores 10 classes", "run", "d.vta", *words)
        # Of a network with a softmax its own numbers alone; of boxes, their range.
        for kind, line in ("Softmax", "y [1,4] float32: the highest of 4 scores\n  0  0.25\n  1  0.25\n  2  0.25\n  3  0.25\n"), ("Relu", None):
            shape = [1, 4] if kind == "Softmax" else [1, 2, 2]
            self.write("m.onnx", onnx_bytes.model([onnx_bytes.node(kind, ["x"], ["y"])], [onnx_bytes.value_info("x", shape)],
                                                  [onnx_bytes.value_info("y", shape)]))
            numpy.save(self.path("x.npy"), numpy.full(shape, 2, numpy.float32))
            out = self.done("run", "m.onnx", "--target", "cpu", "--input", "x.npy")
            self.assertTrue(out.endswith(line or "y [1,2,2] float32: 2 to 2, mean 2\n"), out)


if __name__ == "__main__":
    tool.main()
