"""The model files in installed packages, and pictures, as links in a folder.

usage: zoo_files.py     a line of stdin is {"folder": FOLDER}, which gets each model, where it lies in its package, and pictures/; the answer, a line of
stdout, is {"models": COUNT}, or {"error": WHY}
"""

import json
import os
import sys
import sysconfig
import zipfile

MODELS = (".onnx", ".tflite")
ARCHIVE = ".mltk.zip"
# What a camera, a scanner or a microscope saw.
PICTURES = ["astronaut.png", "coffee.png", "chelsea.png", "rocket.jpg", "camera.png", "coins.png", "motorcycle_left.png", "motorcycle_right.png",
            "hubble_deep_field.jpg", "gravel.png", "brick.png", "grass.png", "page.png", "text.png", "moon.png", "ihc.png", "retina.jpg",
            "microaneurysms.png", "clock_motion.png", "cell.png"]


def place(*path):
    path = os.path.join(*path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return path


def link(folder):
    """How many models there are."""
    models = 0
    packages = sysconfig.get_paths()["purelib"]
    for name in PICTURES:
        os.symlink(os.path.join(packages, "skimage/data", name), place(folder, "pictures", name))
    for at, _, files in sorted(os.walk(packages)):
        within = os.path.relpath(at, packages)
        for file in sorted(files):
            if file.endswith(MODELS):
                os.symlink(os.path.join(at, file), place(folder, within, file))
                models += 1
            elif file.endswith(ARCHIVE):
                with zipfile.ZipFile(os.path.join(at, file)) as archive:
                    for member in archive.namelist():
                        if member.endswith(MODELS):
                            with open(place(folder, within, file.removesuffix(ARCHIVE), os.path.basename(member)), "wb") as out:
                                out.write(archive.read(member))
                            models += 1
    return models


def main():
    for line in sys.stdin:
        try:
            answer = {"models": link(json.loads(line)["folder"])}
        except (OSError, zipfile.BadZipFile) as error:
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)


main()
