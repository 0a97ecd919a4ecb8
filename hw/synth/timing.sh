# Yosys' synthesis of the design of one config, flattened, as a netlist. usage: timing.sh SOURCE PACKAGE.sv FAMILY OUT.json
# The ports have no buffers: what is measured lies between them. Names of the source stay, its places go: they are half of the file.
# Shift registers stay flip-flops: in lookup tables their outputs are three times as slow, and Vivado's srl_reg style leaves a flip-flop there.
set -e
files=$(sed -n "s|^rtl|$1/hw/rtl|p" "$1/hw/vta.f" | tr '\n' ' ')
case $3 in
  ecp5) synthesis="synth_ecp5" ;;
  *) synthesis="synth_xilinx -flatten -noiopad -noclkbuf -nosrl -family $3" ;;
esac
yosys -q -p "read_verilog -sv $2 $files; $synthesis -top vta_core; setattr -mod -unset keep_hierarchy *; flatten; clean; setattr -unset src */*; write_json $4"
yosys -V
