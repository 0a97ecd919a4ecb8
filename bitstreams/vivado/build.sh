#!/bin/sh
# Builds the bitstream, build/vta.bit, and what the board's Linux loads: build/vta.xclbin by XRT, build/vta.bit.bin without it.
# usage: build.sh [JOBS]
# With `xo` in place of JOBS, build/vta.xo for Vitis.
set -e
cd -- "$(dirname -- "$0")"
need() { command -v "$1" >/dev/null || { echo "build.sh: $1 is not in PATH: $2" >&2; exit 1; }; }
zynq7() { grep -q '"processing_system": "zynq7"' project.json; }
need vivado "source its settings64.sh"
[ -e project.json ] || { echo "build.sh: project.json is not beside it: it is of a project that vta hw package writes" >&2; exit 1; }
if [ "$1" != xo ]; then
  if zynq7; then need bootgen "it comes with Vivado and with Vitis"; else need vta "it is in build/bin of this toolkit, and writes what XRT loads"; fi
fi
mkdir -p build
run() { vivado -mode batch -nojournal -log "build/${1%.tcl}.log" -source "$1" $2 $3; }
run package_ip.tcl
if [ "$1" = xo ]; then
  run package_xo.tcl
  exit
fi
run project.tcl ${1:+-tclargs "$1"}
board=$(sed -n 's/^ *"board": "\(.*\)",$/\1/p' project.json)
if zynq7; then
  echo 'all: { build/vta.bit }' > build/vta.bif
  bootgen -image build/vta.bif -arch zynq -process_bitstream bin -w on
else
  vta hw xclbin -c config.json --board "$board" --bitstream build/vta.bit -o build/vta.xclbin
fi
