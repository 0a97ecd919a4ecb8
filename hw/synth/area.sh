# Yosys' synthesis of the IP of one config. usage: area.sh SOURCE PACKAGE.sv FAMILY OUT.json
set -e
files=$(sed -n "s|^rtl|$1/hw/rtl|p" "$1/hw/vta.f" | tr '\n' ' ')
bus=$(sed -n 's|.* int BusBits = \(.*\);|\1|p' "$2")
case $3 in
  ecp5) synthesis="synth_ecp5 -noflatten" ;;
  *) synthesis="synth_xilinx -family $3" ;;
esac
yosys -q -p "read_verilog -sv $2 $files; hierarchy -top vta_ip -chparam C_M_AXI_GMEM_DATA_WIDTH $bus; $synthesis; tee -q -o $4 stat -json"
yosys -V
