"""Random programs on the kernels of hw/hls as they are with Xilinx's own headers, and on the golden model.

usage: headers.py HLS_FUZZ ARGUMENT...

The headers are those of PyPI's hls4ml, in the environment python-hls beside the RTL models. Ends with 77 where it is missing.
"""

import glob
import os
import sys

SKIPPED = 77


def folder():
    """Where hls_stream.h lies, or None."""
    home = os.environ.get("HOME")
    cache = os.environ.get("VTA_CACHE_DIR") or f"{os.environ.get('XDG_CACHE_HOME') or f'{home}/.cache'}/vta"
    found = glob.glob(f"{cache}/python-hls/lib/python*/site-packages/hls4ml/templates/vivado/ap_types/hls_stream.h")
    return os.path.dirname(found[0]) if found else None


if __name__ == "__main__":
    headers = folder()
    if not headers:
        print("skipped: Xilinx's headers are not installed; ./vta test --proofs installs them")
        sys.exit(SKIPPED)
    os.execv(sys.argv[1], [sys.argv[1], "--headers", headers, *sys.argv[2:]])
