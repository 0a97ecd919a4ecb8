# Verilator's lint of the IP of one config, inside the top for place and route. usage: lint.sh SOURCE PACKAGE.sv
# An accumulator row may be 32768 bits wide, which WIDTHCONCAT takes for a mistake.
set -e
files=$(sed -n "s|^rtl|$1/hw/rtl|p" "$1/hw/vta.f")
verilator --lint-only -Wall -Wno-WIDTHCONCAT --top-module vta_scan "$1/hw/synth/waivers.vlt" "$2" $files \
  "$1/hw/synth/vta_scan.sv"
