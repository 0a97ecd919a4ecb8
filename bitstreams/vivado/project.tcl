# The system of a board round the accelerator: block design, bitstream build/vta.bit, hardware platform build/vta.xsa.
# usage: vivado -mode batch -source project.tcl [-tclargs JOBS]
set here [file dirname [file normalize [info script]]]
source [file join $here settings.tcl]
source [file join $here processing_systems.tcl]
source [file join $here accelerator.tcl]
set build [file join $here build]
set jobs [expr {$argc > 0 ? [lindex $argv 0] : 4}]
set system [dict get $processing_systems $processing_system]

# Connects the first pin to each of the others.
proc connect {from args} {
  foreach to $args {
    connect_bd_net [get_bd_pins $from] [get_bd_pins $to]
  }
}

proc create_project_of_board {} {
  global part board_part build
  create_project -force -part $part project [file join $build project]
  # Its board file brings what Linux finds set up anyway: DDR, pins, clocks of the processing system.
  set known [lindex [get_board_parts -quiet -latest_file_version "$board_part:*"] end]
  if {$known eq ""} {
    puts "vta: no board file $board_part is installed: the processing system has its default settings, which suit a bitstream\
      that a running system loads, and no boot loader"
  } else {
    set_property board_part $known [current_project]
  }
  set_property ip_repo_paths [accelerator_ips] [current_project]
  update_ip_catalog -rebuild
  return $known
}

proc create_processing_system {known} {
  global system ps_clock_mhz control_port memory_port memory_ranges
  set ps [create_bd_cell -type ip -vlnv xilinx.com:ip:[dict get $system ip] ps]
  if {$known ne ""} {
    apply_bd_automation -rule xilinx.com:bd_rule:[dict get $system ip] -config {apply_board_preset "1"} $ps
  }
  set settings {}
  dict for {name value} [dict get $system settings] {
    dict set settings CONFIG.$name $value
  }
  dict set settings CONFIG.[dict get $system clock_mhz] $ps_clock_mhz
  # A port's width is a register of the processing system, too, which a bitstream that a running system loads does not set.
  foreach port [list $control_port $memory_port] {
    set names [dict get $system ports $port]
    dict set settings CONFIG.[dict get $names on] 1
    if {[dict exists $names width]} {
      dict set settings CONFIG.[dict get $names width] [dict get $names bits]
    }
  }
  # A board file says so by itself; without one the segments would not be there.
  foreach row $memory_ranges {
    if {[lindex $row 1] > 0xffffffff} { dict set settings CONFIG.[dict get $system high] 1 }
  }
  set_property -dict $settings $ps
  foreach pin [dict get $system external] {
    make_bd_intf_pins_external [get_bd_intf_pins ps/$pin]
  }
}

# One clock for everything, made of the processing system's, and its reset.
proc create_clock {} {
  global system clock_mhz control_port memory_port
  set clock [create_bd_cell -type ip -vlnv xilinx.com:ip:clk_wiz clock]
  set_property -dict [list CONFIG.PRIM_SOURCE Global_buffer CONFIG.CLKOUT1_REQUESTED_OUT_FREQ $clock_mhz \
    CONFIG.USE_RESET false CONFIG.USE_LOCKED true] $clock
  create_bd_cell -type ip -vlnv xilinx.com:ip:proc_sys_reset reset
  connect ps/[dict get $system clock] clock/clk_in1
  connect ps/[dict get $system reset] reset/ext_reset_in
  connect clock/locked reset/dcm_locked
  connect clock/clk_out1 reset/slowest_sync_clk vta/ap_clk control/aclk memory/aclk \
    ps/[dict get $system ports $control_port clock] ps/[dict get $system ports $memory_port clock]
  connect reset/peripheral_aresetn vta/ap_rst_n control/aresetn memory/aresetn
}

# From the host to the registers, and from the accelerator to memory; both convert protocols where the processing system has AXI3, and
# widths.
proc create_buses {} {
  global control_port memory_port
  foreach name {control memory} {
    set bus [create_bd_cell -type ip -vlnv xilinx.com:ip:smartconnect $name]
    set_property -dict {CONFIG.NUM_SI 1 CONFIG.NUM_MI 1} $bus
  }
  connect_bd_intf_net [get_bd_intf_pins ps/$control_port] [get_bd_intf_pins control/S00_AXI]
  connect_bd_intf_net [get_bd_intf_pins control/M00_AXI] [get_bd_intf_pins vta/s_axi_control]
  connect_bd_intf_net [get_bd_intf_pins vta/m_axi_gmem] [get_bd_intf_pins memory/S00_AXI]
  connect_bd_intf_net [get_bd_intf_pins memory/M00_AXI] [get_bd_intf_pins ps/$memory_port]
}

# The board's memory is the accelerator's; flash and what else lies behind the port is not.
proc assign_addresses {} {
  global system control_address control_bytes memory_port memory_ranges accelerator_spaces accelerator_registers
  assign_bd_address -target_address_space [get_bd_addr_spaces ps/Data] -offset $control_address -range $control_bytes \
    [get_bd_addr_segs $accelerator_registers]
  set segments ps/[dict get $system ports $memory_port segments]
  foreach name $accelerator_spaces {
    set space [get_bd_addr_spaces $name]
    set used {}
    foreach row $memory_ranges {
      lassign $row segment address bytes
      assign_bd_address -target_address_space $space -offset $address -range $bytes [get_bd_addr_segs $segments/$segment]
      lappend used [get_bd_addr_segs $segments/$segment]
    }
    foreach segment [get_bd_addr_segs $segments/*] {
      if {$segment ni $used} {
        exclude_bd_addr_seg -target_address_space $space $segment
      }
    }
  }
}

proc create_system {} {
  global interrupt_port
  set known [create_project_of_board]
  create_bd_design system
  create_processing_system $known
  create_accelerator
  create_buses
  create_clock
  connect vta/interrupt ps/$interrupt_port
  assign_addresses
  validate_bd_design
  save_bd_design
}

proc implement {} {
  global here build jobs
  set design [get_files system.bd]
  generate_target all $design
  make_wrapper -top -import $design
  set_property top system_wrapper [current_fileset]
  update_compile_order -fileset sources_1
  add_files -fileset constrs_1 -norecurse [list [file join $here system.xdc]]
  launch_runs impl_1 -to_step write_bitstream -jobs $jobs
  wait_on_run impl_1
  if {[get_property PROGRESS [get_runs impl_1]] ne "100%"} {
    error "implementation ended with [get_property STATUS [get_runs impl_1]]"
  }
  open_run impl_1
  report_utilization -file [file join $build utilization.txt]
  report_timing_summary -file [file join $build timing.txt]
  foreach {what slack} {{the clock is} STATS.WNS {hold times are} STATS.WHS} {
    set ns [get_property $slack [get_runs impl_1]]
    if {$ns < 0} { error "$what not met by $ns ns: see build/timing.txt" }
  }
  file copy -force [file join [get_property DIRECTORY [get_runs impl_1]] system_wrapper.bit] [file join $build vta.bit]
  write_hw_platform -fixed -include_bit -force [file join $build vta.xsa]
}

# How many of a kind the design takes. What a row is called goes by the part's family.
proc used {kind} {
  global build
  set in [open [file join $build utilization.txt]]
  set text [read $in]
  close $in
  if {![regexp -line "^\\| *($kind)\\*? *\\| *(\[0-9.\]+) *\\|" $text all row count]} {
    error "build/utilization.txt has no row $kind"
  }
  return $count
}

# What the manifest says of the bitstream in place of an estimate.
proc write_measured {} {
  global build arch_hash timing_hash
  foreach {name kind} {lut {(?:CLB|Slice) LUTs} ff {(?:CLB|Slice) Registers} dsp DSPs bram36 {Block RAM Tile}} {
    set $name [used $kind]
  }
  set out [open [file join $build measured.json] w]
  puts $out "{\"arch_hash\": \"$arch_hash\", \"timing_hash\": \"$timing_hash\", \"by\": \"Vivado [version -short]\",\
    \"lut\": $lut, \"ff\": $ff, \"dsp\": $dsp, \"bram36\": $bram36,\
    \"slack_ns\": [get_property STATS.WNS [get_runs impl_1]]}"
  close $out
}

create_system
implement
write_measured
close_project
