#!/bin/sh
# Builds the bitstream, build/vta.bit, and the container that XRT loads, build/vta.xclbin. usage: build.sh [JOBS]
# With `xo` in place of JOBS, build/vta.xo for Vitis.
set -e
cd -- "$(dirname -- "$0")"
command -v vivado >/dev/null || { echo "build.sh: vivado is not in PATH: source its settings64.sh" >&2; exit 1; }
mkdir -p build
run() { vivado -mode batch -nojournal -log "build/${1%.tcl}.log" -source "$1" $2 $3; }
run package_ip.tcl
if [ "$1" = xo ]; then
  run package_xo.tcl
  exit
fi
run project.tcl ${1:+-tclargs "$1"}
vta hw xclbin -c config.json --bitstream build/vta.bit -o build/vta.xclbin
