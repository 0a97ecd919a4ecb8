"""Where ./vta installs the packages of a group of tools/python.txt."""

import os


def programs_of(group):
    """The folder of the group's programs, python among them; it need not be there."""
    for variable, inner in (("VTA_CACHE_DIR", ""), ("XDG_CACHE_HOME", "vta"), ("HOME", ".cache/vta")):
        if os.environ.get(variable):
            return os.path.join(os.environ[variable], inner, "python-" + group, "bin")
    return ""
