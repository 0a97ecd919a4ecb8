# Block designs: cells, what connects their pins and buses, addresses; and what must hold of a whole one.
array set cell {}
array set config {}
array set driver {}
array set partner {}
set external {}
set assigned {}
set excluded {}
set saved_designs {}
set generated 0
set design ""

proc needs_design {name} {
  if {$::design eq ""} { error "$name: no block design is open" }
}
proc config_of {cell name} { return $::config($cell,$name) }
proc pins_of {cell} { lindex [shape_$::cell($cell) $cell] 0 }
proc buses_of {cell} { lindex [shape_$::cell($cell) $cell] 1 }
# "ps/pl_clk0" or "/ps/pl_clk0" to cell and name.
proc halves {path} {
  set parts [split [string trimleft $path /] /]
  if {![info exists ::cell([lindex $parts 0])]} { error "no cell [lindex $parts 0]" }
  list [lindex $parts 0] [join [lrange $parts 1 end] /]
}
proc pin_row {path} {
  lassign [halves $path] cell name
  foreach row [pins_of $cell] {
    if {[lindex $row 0] eq $name} { return $row }
  }
  error "cell $cell has no pin $name"
}
proc bus_row {path} {
  lassign [halves $path] cell name
  foreach row [buses_of $cell] {
    if {[dict get $row name] eq $name} { return $row }
  }
  error "cell $cell has no bus $name"
}

command update_ip_catalog {} {-rebuild} 0 0 {
  needs_project update_ip_catalog
  set path [file join [get_property ip_repo_paths project:1] component.tcl]
  must_exist $path
  uplevel #0 [list source $path]
}
command create_bd_design {} {} 1 1 {
  needs_project create_bd_design
  set ::design [lindex $arguments 0]
}
command create_bd_cell {-type -vlnv} {} 1 1 {
  needs_design create_bd_cell
  set name [lindex $arguments 0]
  if {[info exists ::cell($name)]} { error "create_bd_cell: $name is there already" }
  if {[option $options -type] ne "ip"} { error "create_bd_cell: wants -type ip" }
  lassign [split [dict get $options -vlnv] :] vendor library block version
  if {[info exists ::ip] && [dict get $options -vlnv] eq [dict get $::ip vlnv]} {
    set block vta
  } elseif {$vendor ne "xilinx.com" || $library ne "ip" || $block eq "vta" || ![info exists ::settings_of($block)]} {
    error "create_bd_cell: no IP [dict get $options -vlnv]"
  }
  set ::cell($name) $block
  foreach {setting row} $::settings_of($block) { set ::config($name,$setting) [lindex $row 0] }
  return /$name
}
proc set_cell_property {name value path} {
  lassign [halves $path] cell rest
  if {$rest ne "" || ![regexp {^CONFIG\.(\w+)$} $name all setting] || ![info exists ::config($cell,$setting)]} {
    error "set_property: $path has no property $name"
  }
  set allowed [lindex [dict get $::settings_of($::cell($cell)) $setting] 1]
  if {![regexp "^($allowed)\$" $value]} { error "set_property: $name of $path: $value is not one of $allowed" }
  set ::config($cell,$setting) $value
}
command apply_bd_automation {-rule -config} {} 1 1 {
  lassign [halves [lindex $arguments 0]] cell
  if {[dict get $options -rule] ne "xilinx.com:bd_rule:$::cell($cell)"} { error "apply_bd_automation: no rule [dict get $options -rule]" }
  get_property board_part project:1
}
command get_bd_cells {} {} 1 1 { return /[lindex [halves [lindex $arguments 0]] 0] }
command get_bd_pins {-of_objects -filter} {} 1 1 { pin_row [lindex $arguments 0]; return /[string trimleft [lindex $arguments 0] /] }
command get_bd_intf_pins {-of_objects -filter} {} 1 1 { bus_row [lindex $arguments 0]; return /[string trimleft [lindex $arguments 0] /] }

command connect_bd_net {-net} {} 2 2 {
  lassign $arguments from to
  lassign [pin_row $from] name from_direction from_width from_kind
  lassign [pin_row $to] name to_direction to_width to_kind
  if {$from_direction ne "output" || $to_direction ne "input"} { error "connect_bd_net: $from to $to: must be an output and an input" }
  if {$from_width != $to_width} { error "connect_bd_net: $from to $to: widths $from_width and $to_width" }
  if {$from_kind ne $to_kind} { error "connect_bd_net: $from to $to: $from_kind on $to_kind" }
  if {[info exists ::driver($to)]} { error "connect_bd_net: $to is connected already, to $::driver($to)" }
  set ::driver($to) $from
}
command connect_bd_intf_net {-intf_net} {} 2 2 {
  lassign $arguments from to
  foreach path $arguments mode {master slave} {
    if {[dict get [bus_row $path] mode] ne $mode} { error "connect_bd_intf_net: $path is no $mode" }
    if {[info exists ::partner($path)]} { error "connect_bd_intf_net: $path is connected already, to $::partner($path)" }
  }
  set ::partner($from) $to
  set ::partner($to) $from
}
command make_bd_intf_pins_external {-name} {} 1 1 {
  if {[dict get [bus_row [lindex $arguments 0]] mode] ne "external"} { error "make_bd_intf_pins_external: [lindex $arguments 0] stays inside" }
  if {$arguments in $::external} { error "make_bd_intf_pins_external: $arguments is external already" }
  lappend ::external [lindex $arguments 0]
}

command get_bd_addr_spaces {-of_objects} {} 1 1 {
  lassign [halves [lindex $arguments 0]] cell name
  foreach bus [buses_of $cell] {
    if {[dict exists $bus space] && [dict get $bus space] eq $name} { return /$cell/$name }
  }
  error "get_bd_addr_spaces: no $arguments"
}
command get_bd_addr_segs {-of_objects -excluded} {} 1 1 {
  lassign [halves [lindex $arguments 0]] cell pattern
  set found {}
  foreach bus [buses_of $cell] {
    if {![dict exists $bus segments]} continue
    foreach name [dict keys [dict get $bus segments] $pattern] { lappend found /$cell/$name }
  }
  if {$found eq ""} { error "get_bd_addr_segs: no $arguments" }
  return $found
}
# Offset and bytes that a segment has by itself.
proc segment_limits {path} {
  lassign [halves $path] cell name
  foreach bus [buses_of $cell] {
    if {[dict exists $bus segments] && [dict exists [dict get $bus segments] $name]} { return [dict get $bus segments $name] }
  }
}
command assign_bd_address {-target_address_space -offset -range} {-force} 1 1 {
  foreach name {-target_address_space -offset -range} {
    if {[option $options $name] eq ""} { error "assign_bd_address: $name is missing" }
  }
  set space [dict get $options -target_address_space]
  set offset [expr {[dict get $options -offset]}]
  set range [expr {[dict get $options -range]}]
  set segment [lindex $arguments 0]
  lassign [segment_limits $segment] base bytes
  if {$range & ($range - 1) || $offset % $range} { error "assign_bd_address: $segment: $offset and $range are not aligned" }
  if {$range > $bytes || ($base ne "any" && ($offset < $base || $offset + $range > $base + $bytes))} {
    error "assign_bd_address: $segment: [format 0x%llx+0x%llx $offset $range] is not in it"
  }
  foreach row $::assigned {
    lassign $row other_space other other_offset other_range
    if {$other_space ne $space} continue
    if {$other eq $segment} { error "assign_bd_address: $segment is assigned already" }
    if {$offset < $other_offset + $other_range && $other_offset < $offset + $range} { error "assign_bd_address: $segment overlaps $other" }
  }
  lappend ::assigned [list $space $segment $offset $range]
  fact address $segment [format 0x%llx $offset] [format 0x%llx $range]
}
command exclude_bd_addr_seg {-target_address_space} {} 1 1 {
  segment_limits [lindex $arguments 0]
  lappend ::excluded [lindex $arguments 0]
}

# Where a clock comes from, and how fast it is.
proc source_of {pin} { return $::driver($pin) }
proc megahertz {pin} {
  lassign [halves $pin] cell name
  switch $::cell($cell) {
    zynq_ultra_ps_e { return [config_of $cell PSU__CRL_APB__PL0_REF_CTRL__FREQMHZ] }
    processing_system7 { return [config_of $cell PCW_FPGA0_PERIPHERAL_FREQMHZ] }
    clk_wiz {
      if {[config_of $cell PRIM_SOURCE] ni {Global_buffer No_buffer}} { error "validate: $cell takes its clock from a pin of the part" }
      if {![string match /ps/* [source_of /$cell/clk_in1]]} { error "validate: $cell has no clock of the processing system" }
      return [config_of $cell CLKOUT1_REQUESTED_OUT_FREQ]
    }
  }
  error "validate: $pin is no clock"
}
proc other_end {path} {
  if {![info exists ::partner($path)]} { error "validate: $path is not connected" }
  set there $::partner($path)
  lassign [halves $there] cell name
  if {$::cell($cell) ne "smartconnect"} { return $there }
  regexp {^([SM])(\d\d)_AXI$} $name all side number
  return [other_end /$cell/[expr {$side eq "S" ? "M" : "S"}]${number}_AXI]
}
proc check_connections {} {
  foreach cell [lsort [array names ::cell]] {
    foreach row [pins_of $cell] {
      lassign $row name direction
      if {$direction eq "input" && ![info exists ::driver(/$cell/$name)]} { error "validate: /$cell/$name is not connected" }
    }
    foreach bus [buses_of $cell] {
      set path /$cell/[dict get $bus name]
      if {[dict get $bus mode] eq "external"} {
        if {$path ni $::external} { error "validate: $path is not external" }
      } elseif {![info exists ::partner($path)]} {
        error "validate: $path is not connected"
      }
    }
  }
  # An output may have many readers, or none; those of the IP must have one.
  foreach row [pins_of vta] {
    lassign $row name direction
    if {$direction ne "output"} continue
    set readers 0
    foreach {to from} [array get ::driver] { incr readers [expr {$from eq "/vta/$name"}] }
    if {$readers != 1} { error "validate: /vta/$name has $readers readers" }
  }
}
proc check_clocks {} {
  foreach cell [array names ::cell] {
    foreach bus [buses_of $cell] {
      if {[dict get $bus mode] eq "external"} continue
      set here [source_of /$cell/[dict get $bus clock]]
      set path $::partner(/$cell/[dict get $bus name])
      set there [source_of /[lindex [halves $path] 0]/[dict get [bus_row $path] clock]]
      if {$here ne $there} { error "validate: /$cell/[dict get $bus name] and $path have different clocks" }
    }
  }
  set clock [source_of /vta/ap_clk]
  set reset [lindex [halves [source_of /vta/ap_rst_n]] 0]
  if {$::cell($reset) ne "proc_sys_reset" || [source_of /$reset/slowest_sync_clk] ne $clock} { error "validate: the reset is not of the IP's clock" }
  fact clock [megahertz $clock]
}
proc check_memory {} {
  set port [other_end /vta/m_axi_gmem]
  set bus [bus_row $port]
  set width [dict get [bus_row /vta/m_axi_gmem] width]
  # After power-up a port has its full width (AFIFM of UltraScale+, AFI of Zynq-7000); what connects it makes it of a narrower bus.
  set full [expr {[dict get $bus protocol] eq "AXI4" ? 128 : 64}]
  if {[dict get $bus width] != $full} { error "validate: $port has not the $full bits that it has after power-up" }
  if {$width > $full} { error "validate: the IP's bus has $width bits, $port $full" }
  if {[dict get $bus protocol] eq "AXI3" && [dict get $::ip beats] > 16} { error "validate: bursts of [dict get $::ip beats] beats on AXI3" }
  foreach cache [dict get $::ip cache] {
    # Of normal memory that is not cached, 0011; a coherent port would want a cached one.
    if {($cache eq "0011") == [dict get $bus coherent]} { error "validate: $port does not take AxCACHE $cache" }
  }
  fact memory $port $width [lindex [dict get $::ip cache] 0]
  set control [other_end /vta/s_axi_control]
  # What the boot loader of a running system left: of UltraScale+ the full width (FPD_SLCR.afi_fs), of Zynq-7000 there is one.
  set full [expr {[dict get [bus_row $control] protocol] eq "AXI4" ? 128 : 32}]
  if {[dict get [bus_row $control] width] != $full} { error "validate: $control has not the $full bits that it has after power-up" }
}
proc check_addresses {} {
  foreach {master slave} [list [other_end /vta/s_axi_control] /vta/s_axi_control /vta/m_axi_gmem [other_end /vta/m_axi_gmem]] {
    lassign [halves $slave] cell
    foreach name [dict keys [dict get [bus_row $slave] segments]] {
      set rows [lsearch -all -inline -index 1 $::assigned /$cell/$name]
      if {[llength $rows] + (("/$cell/$name") in $::excluded) != 1} { error "validate: /$cell/$name is neither assigned nor excluded, or both" }
      foreach row $rows {
        lassign $row space segment offset range
        set inside 0
        foreach piece [dict get [bus_row $master] addresses] {
          lassign $piece base bytes
          incr inside [expr {$offset >= $base && $offset + $range <= $base + $bytes}]
        }
        if {!$inside} { error "validate: $master does not reach [format 0x%llx $offset]" }
      }
    }
  }
}
command validate_bd_design {} {-force} 0 0 {
  needs_design validate_bd_design
  check_connections
  check_clocks
  check_memory
  check_addresses
  fact cells {*}[lsort [array names ::cell]]
  set ::validated 1
}
command save_bd_design {} {} 0 0 {
  needs_design save_bd_design
  if {![info exists ::validated]} { error "save_bd_design: the design is not validated" }
  lappend ::saved_designs [file join $::project $::design.bd]
}
command generate_target {} {-force} 2 2 {
  if {[lindex $arguments 0] ne "all" || [lindex $arguments 1] ni $::saved_designs} { error "generate_target: no design [lindex $arguments 1]" }
  set ::generated 1
}
command make_wrapper {} {-top -testbench -import -force} 1 1 {
  if {![option $options -top 0] || [lindex $arguments 0] ni $::saved_designs} { error "make_wrapper: wants -top and a design" }
  set path [file join $::project ${::design}_wrapper.v]
  close [open $path w]
  if {[option $options -import 0]} { lappend ::sources(sources_1) $path }
  return $path
} -files
