# Verilator's lint of the IP of one config, inside the top for place and route or that of a board.
# usage: lint.sh SOURCE PACKAGE.sv [BOARD]
# An accumulator row may be 32768 bits wide, which WIDTHCONCAT takes for a mistake.
set -e
files=$(sed -n "s|^rtl|$1/hw/rtl|p" "$1/hw/vta.f")
top=vta_scan tops=$1/hw/synth/vta_scan.sv
if [ -n "$3" ]; then
  top=vta_$3 tops=$(sed -n "s|^check|$1/hw/check|p" "$1/hw/vta.f"; sed "/^#/d; s|^|$1/|" "$1/bitstreams/boards/$3/board.f")
fi
verilator --lint-only -Wall -Wno-WIDTHCONCAT --top-module $top "$1/hw/synth/waivers.vlt" "$2" $files $tops
