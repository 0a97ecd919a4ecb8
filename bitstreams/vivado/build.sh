#!/bin/sh
# Builds the bitstream, build/vta.bit, and what the board's Linux loads: build/vta.xclbin by XRT, build/vta.bit.bin without it.
# usage: build.sh [JOBS]
# With `xo` in place of JOBS, build/vta.xo for Vitis, of a project of the RTL; with `cosim`, co-simulation of the kernels of a project of
# HLS.
set -e
cd -- "$(dirname -- "$0")"
need() { command -v "$1" >/dev/null || { echo "build.sh: $1 is not in PATH: $2" >&2; exit 1; }; }
zynq7() { grep -q '"processing_system": "zynq7"' project.json; }
# Vitis HLS is called so from 2024.2 on, and vitis_hls before.
hls() { if command -v vitis-run >/dev/null; then vitis-run --mode hls --tcl hls.tcl; else vitis_hls -l build/hls.log -f hls.tcl; fi; }
[ ! -e hls.tcl ] || command -v vitis-run >/dev/null || need vitis_hls "source the settings64.sh of Vitis"
need vivado "source its settings64.sh"
[ -e project.json ] || { echo "build.sh: project.json is not beside it: it is of a project that vta hw package writes" >&2; exit 1; }
if [ "$1" != xo ] && [ "$1" != cosim ]; then
  if zynq7; then need bootgen "it comes with Vivado and with Vitis"; else need vta "it is in build/bin of this toolkit, and writes what XRT loads"; fi
fi
mkdir -p build
run() { vivado -mode batch -nojournal -log "build/${1%.tcl}.log" -source "$1" $2 $3; }
case $1 in
xo)
  [ -e package_xo.tcl ] || { echo "build.sh: xo: the project is of the HLS kernels, which Vitis does not link as one" >&2; exit 1; }
  run package_ip.tcl
  run package_xo.tcl
  exit ;;
cosim)
  [ -e hls.tcl ] || { echo "build.sh: cosim: the project is of the RTL" >&2; exit 1; }
  VTA_COSIM=1 hls
  exit ;;
esac
if [ -e hls.tcl ]; then hls; else run package_ip.tcl; fi
run project.tcl ${1:+-tclargs "$1"}
board=$(sed -n 's/^ *"board": "\(.*\)",$/\1/p' project.json)
if zynq7; then
  echo 'all: { build/vta.bit }' > build/vta.bif
  bootgen -image build/vta.bif -arch zynq -process_bitstream bin -w on
else
  vta hw xclbin -c config.json --board "$board" --bitstream build/vta.bit -o build/vta.xclbin
fi
