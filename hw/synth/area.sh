# Yosys' synthesis of the design of one config. usage: area.sh SOURCE PACKAGE.sv FAMILY OUT.json
set -e
files=$(sed -n "s|^rtl|$1/hw/rtl|p" "$1/hw/vta.f" | tr '\n' ' ')
yosys -q -p "read_verilog -sv $2 $files; synth_xilinx -family $3 -top vta_core; tee -q -o $4 stat -json"
