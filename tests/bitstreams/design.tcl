# Block designs: cells, what connects their pins and buses, addresses; and what must hold of a whole one.
array set cell {}
array set config {}
array set driver {}
array set partner {}
array set made_of {}
array set hierarchy {}
array set allowed {}
set ips {}
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
# Pins and buses, kept until a setting changes them.
array set shape {}
proc shape_of {cell} {
  if {![info exists ::shape($cell)]} { set ::shape($cell) [shape_$::cell($cell) $cell] }
  return $::shape($cell)
}
proc pins_of {cell} { lindex [shape_of $cell] 0 }
proc buses_of {cell} { lindex [shape_of $cell] 1 }
# "ps/pl_clk0" or "/ps/pl_clk0" to cell and name; a cell of a hierarchy is "vta/load".
proc halves {path} {
  set parts [split [string trimleft $path /] /]
  for {set i [llength $parts]} {$i > 0} {incr i -1} {
    set cell [join [lrange $parts 0 $i-1] /]
    if {[info exists ::cell($cell)]} { return [list $cell [join [lrange $parts $i end] /]] }
  }
  error "no cell [lindex $parts 0]"
}
proc parent_of {cell} { expr {[file dirname $cell] eq "." ? "" : [file dirname $cell]} }
# Where a pin or bus can be connected, and what it is there: one of a hierarchy is the opposite inside.
proc sides {path what} {
  lassign [halves $path] cell
  set sides [list [parent_of $cell] $what]
  if {$::cell($cell) eq "hier"} { lappend sides $cell [string map {input output output input master slave slave master} $what] }
  return $sides
}
# The hierarchy in which the first is `first` and the second is `second`.
proc common_side {from from_sides to to_sides first second} {
  foreach {scope is} $from_sides {
    if {$is eq $first && [option $to_sides $scope] eq $second} { return $scope }
  }
  error "none"
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
  foreach folder [get_property ip_repo_paths project:1] {
    set path [file join $folder component.tcl]
    must_exist $path
    uplevel #0 [list source $path]
    dict set ::ips [dict get $::ip vlnv] $::ip
  }
}
command create_bd_design {} {} 1 1 {
  needs_project create_bd_design
  set ::design [lindex $arguments 0]
}
command create_bd_cell {-type -vlnv -reference} {} 1 1 {
  needs_design create_bd_cell
  set name [lindex $arguments 0]
  if {[info exists ::cell($name)]} { error "create_bd_cell: $name is there already" }
  set parent [parent_of $name]
  if {$parent ne "" && (![info exists ::cell($parent)] || $::cell($parent) ne "hier")} { error "create_bd_cell: no hierarchy $parent" }
  switch [option $options -type] {
    ip {
      set vlnv [dict get $options -vlnv]
      lassign [split $vlnv :] vendor library block version
      if {[dict exists $::ips $vlnv]} {
        set block [dict get $::ips $vlnv kind]
        set ::made_of($name) $vlnv
      } elseif {$vendor ne "xilinx.com" || $library ne "ip" || $block in {vta hls hier} || ![info exists ::settings_of($block)]} {
        error "create_bd_cell: no IP $vlnv"
      }
      set settings $::settings_of($block)
    }
    module {
      set block module
      set module [dict get $options -reference]
      set files [lsearch -all -inline -glob $::sources(sources_1) */$module.v]
      if {[llength $files] != 1} { error "create_bd_cell: no Verilog file of module $module" }
      set ::made_of($name) $files
      set settings {}
      dict for {parameter value} [lindex [verilog_ports $files $module] 0] { lappend settings $parameter [list $value {[0-9]+}] }
    }
    hier {
      set block hier
      set ::hierarchy($name) {{} {}}
      set settings {}
    }
    default { error "create_bd_cell: wants -type ip, module or hier" }
  }
  set ::cell($name) $block
  foreach {setting row} $settings { lassign $row ::config($name,$setting) ::allowed($name,$setting) }
  return /$name
}
command create_bd_pin {-dir -from -to -type} {} 1 1 {
  lassign [halves [lindex $arguments 0]] cell name
  if {$::cell($cell) ne "hier"} { error "create_bd_pin: $cell is no hierarchy" }
  set direction [dict get {I input O output} [dict get $options -dir]]
  set kind [dict get {clk clock rst reset_n intr interrupt} [dict get $options -type]]
  unset -nocomplain ::shape($cell)
  lset ::hierarchy($cell) 0 end+1 [list $name $direction 1 $kind]
}
command create_bd_intf_pin {-mode -vlnv} {} 1 1 {
  lassign [halves [lindex $arguments 0]] cell name
  if {$::cell($cell) ne "hier"} { error "create_bd_intf_pin: $cell is no hierarchy" }
  if {[dict get $options -vlnv] ne "xilinx.com:interface:aximm_rtl:1.0"} { error "create_bd_intf_pin: no interface [dict get $options -vlnv]" }
  set mode [dict get {Master master Slave slave} [dict get $options -mode]]
  unset -nocomplain ::shape($cell)
  lset ::hierarchy($cell) 1 end+1 [dict create name $name mode $mode protocol any width any]
}
proc set_cell_property {name value path} {
  lassign [halves $path] cell rest
  if {$rest ne "" || ![regexp {^CONFIG\.(\w+)$} $name all setting] || ![info exists ::config($cell,$setting)]} {
    error "set_property: $path has no property $name"
  }
  set allowed $::allowed($cell,$setting)
  if {![regexp "^($allowed)\$" $value]} { error "set_property: $name of $path: $value is not one of $allowed" }
  set ::config($cell,$setting) $value
  unset -nocomplain ::shape($cell)
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
  if {[catch { common_side $from [sides $from $from_direction] $to [sides $to $to_direction] output input }]} {
    error "connect_bd_net: $from to $to: must be an output and an input of one hierarchy"
  }
  if {$from_width != $to_width} { error "connect_bd_net: $from to $to: widths $from_width and $to_width" }
  if {$from_kind ne $to_kind} { error "connect_bd_net: $from to $to: $from_kind on $to_kind" }
  if {[info exists ::driver($to)]} { error "connect_bd_net: $to is connected already, to $::driver($to)" }
  set ::driver($to) $from
}
# AXI of any kind is converted on the way; streams and memories are not.
proc is_like {one other} {
  expr {$one eq $other || ($one ni {AXIS BRAM} && $other ni {AXIS BRAM})}
}
command connect_bd_intf_net {-intf_net} {} 2 2 {
  lassign $arguments from to
  foreach path $arguments mode {master slave} {
    if {$mode ni [dict values [sides $path [dict get [bus_row $path] mode]]]} { error "connect_bd_intf_net: $path is no $mode" }
  }
  set sides {}
  foreach path $arguments { lappend sides [sides $path [dict get [bus_row $path] mode]] }
  if {[catch { set scope [common_side $from [lindex $sides 0] $to [lindex $sides 1] master slave] }]} {
    error "connect_bd_intf_net: $from and $to are not of one hierarchy"
  }
  foreach path $arguments {
    if {[info exists ::partner($scope,$path)]} { error "connect_bd_intf_net: $path is connected already, to $::partner($scope,$path)" }
  }
  if {![is_like [dict get [bus_row $from] protocol] [dict get [bus_row $to] protocol]]} { error "connect_bd_intf_net: $from and $to are of other kinds" }
  set ::partner($scope,$from) $to
  set ::partner($scope,$to) $from
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
  lappend ::excluded [list [dict get $options -target_address_space] [lindex $arguments 0]]
}

# Where a clock comes from, and how fast it is.
proc source_of {pin} {
  set from $::driver($pin)
  expr {$::cell([lindex [halves $from] 0]) eq "hier" ? [source_of $from] : $from}
}
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
# What a bus is connected to, through the walls of hierarchies; seen from outside of its cell unless `scope` says otherwise.
proc neighbour {path {scope outside}} {
  lassign [halves $path] cell
  if {$scope eq "outside"} { set scope [parent_of $cell] }
  if {![info exists ::partner($scope,$path)]} { error "validate: $path is not connected" }
  set there $::partner($scope,$path)
  lassign [halves $there] cell
  if {$::cell($cell) ne "hier"} { return $there }
  return [neighbour $there [expr {$scope eq $cell ? [parent_of $cell] : $cell}]]
}
# And through what carries it on.
proc other_end {path} {
  set there [neighbour $path]
  lassign [halves $there] cell name
  switch $::cell($cell) {
    smartconnect {
      regexp {^([SM])(\d\d)_AXI$} $name all side number
      if {[config_of $cell [expr {$side eq "S" ? "NUM_MI" : "NUM_SI"}]] == 1} { set number 00 }
      return [other_end /$cell/[expr {$side eq "S" ? "M" : "S"}]${number}_AXI]
    }
    axis_data_fifo { return [other_end /$cell/[expr {$name eq "S_AXIS" ? "M_AXIS" : "S_AXIS"}]] }
  }
  return $there
}
# The accelerator's own cells: the IP, or kernels and modules.
proc is_own {cell} { expr {$::cell($cell) in {vta hls module}} }
# Buses of a kind: {path row} of each.
proc buses_where {condition} {
  set found {}
  foreach cell [lsort [array names ::cell]] {
    foreach bus [buses_of $cell] {
      if $condition { lappend found /$cell/[dict get $bus name] $bus }
    }
  }
  return $found
}
proc accelerator_masters {} { buses_where {[is_own $cell] && [dict exists $bus space]} }
proc check_connections {} {
  foreach cell [lsort [array names ::cell]] {
    set is_hier [expr {$::cell($cell) eq "hier"}]
    foreach row [pins_of $cell] {
      lassign $row name direction
      if {($direction eq "input" || $is_hier) && ![info exists ::driver(/$cell/$name)]} { error "validate: /$cell/$name is not connected" }
    }
    foreach bus [buses_of $cell] {
      set path /$cell/[dict get $bus name]
      if {[dict get $bus mode] eq "external"} {
        if {$path ni $::external} { error "validate: $path is not external" }
      } else {
        neighbour $path
        if {$is_hier} { neighbour $path $cell }
      }
    }
  }
  # An output may have many readers, or none; those of the accelerator must have one.
  foreach cell [array names ::cell] {
    if {![is_own $cell] && $::cell($cell) ne "hier"} continue
    foreach row [pins_of $cell] {
      lassign $row name direction
      if {$direction ne "output"} continue
      set readers 0
      foreach {to from} [array get ::driver] { incr readers [expr {$from eq "/$cell/$name"}] }
      if {$readers != 1} { error "validate: /$cell/$name has $readers readers" }
    }
  }
}
proc check_clocks {} {
  foreach {path bus} [buses_where {[dict exists $bus clock]}] {
    set here [source_of /[lindex [halves $path] 0]/[dict get $bus clock]]
    set other [neighbour $path]
    set there [source_of /[lindex [halves $other] 0]/[dict get [bus_row $other] clock]]
    if {$here ne $there} { error "validate: $path and $other have different clocks" }
  }
  set clock [source_of /vta/ap_clk]
  foreach cell [array names ::cell] {
    if {$cell ne "vta" && ![string match vta/* $cell]} continue
    foreach row [pins_of $cell] {
      lassign $row name direction width kind
      if {$direction ne "input"} continue
      if {$kind eq "clock" && [source_of /$cell/$name] ne $clock} { error "validate: /$cell/$name has another clock than the accelerator" }
      if {$kind ne "reset_n"} continue
      set reset [lindex [halves [source_of /$cell/$name]] 0]
      if {$::cell($reset) ne "proc_sys_reset" || [source_of /$reset/slowest_sync_clk] ne $clock} { error "validate: the reset is not of the IP's clock" }
    }
  }
  fact clock [megahertz $clock]
}
# Streams and memories between kernels.
proc check_channels {} {
  foreach {path bus} [buses_where {$::cell($cell) eq "hls" && [dict get $bus protocol] in {AXIS BRAM}}] {
    set there [other_end $path]
    set other [bus_row $there]
    if {[dict get $bus width] != [dict get $other width]} {
      error "validate: $path has [dict get $bus width] bits, $there [dict get $other width]"
    }
    if {[dict get $bus protocol] eq "AXIS"} {
      set through [lindex [halves [neighbour $path]] 0]
      if {$::cell($through) ne "axis_data_fifo"} { error "validate: no FIFO between $path and $there" }
      if {[dict get $bus mode] eq "master"} { fact stream $path $there [config_of $through FIFO_DEPTH] }
      continue
    }
    foreach key {rows access} {
      if {[dict get $bus $key] ne [dict get $other $key]} { error "validate: $path: $key [dict get $bus $key], $there: [dict get $other $key]" }
    }
    fact scratchpad $path $there [dict get $bus width] [dict get $bus rows]
  }
}
proc check_memory {} {
  foreach {path bus} [accelerator_masters] {
    set port [other_end $path]
    set row [bus_row $port]
    set width [dict get $bus width]
    # After power-up a port has its full width (AFIFM of UltraScale+, AFI of Zynq-7000); what connects it makes it of a narrower bus.
    set full [expr {[dict get $row protocol] eq "AXI4" ? 128 : 64}]
    if {[dict get $row width] != $full} { error "validate: $port has not the $full bits that it has after power-up" }
    # The IP's bus is as wide as the config says; what joins kernels makes narrower ones of theirs.
    if {$width > $full && $::cell(vta) eq "vta"} { error "validate: the IP's bus has $width bits, $port $full" }
    if {[dict get $row protocol] eq "AXI3" && [dict get $bus beats] > 16} { error "validate: bursts of [dict get $bus beats] beats on AXI3" }
    foreach cache [dict get $bus cache] {
      # Of normal memory that is not cached, 0011; a coherent port would want a cached one.
      if {($cache eq "0011") == [dict get $row coherent]} { error "validate: $port does not take AxCACHE $cache" }
    }
    fact memory $port $width [lindex [dict get $bus cache] 0]
  }
  set control [other_end [accelerator_registers]]
  # What the boot loader of a running system left: of UltraScale+ the full width (FPD_SLCR.afi_fs), of Zynq-7000 there is one.
  set full [expr {[dict get [bus_row $control] protocol] eq "AXI4" ? 128 : 32}]
  if {[dict get [bus_row $control] width] != $full} { error "validate: $control has not the $full bits that it has after power-up" }
}
proc accelerator_registers {} {
  set found [buses_where {[is_own $cell] && [dict exists $bus segments]}]
  if {[llength $found] != 2} { error "validate: the accelerator has not one bus of registers" }
  return [lindex $found 0]
}
proc check_addresses {} {
  set registers [accelerator_registers]
  set routes [list [other_end $registers] $registers]
  foreach {path bus} [accelerator_masters] { lappend routes $path [other_end $path] }
  foreach {master slave} $routes {
    set space /[lindex [halves $master] 0]/[dict get [bus_row $master] space]
    lassign [halves $slave] cell
    foreach name [dict keys [dict get [bus_row $slave] segments]] {
      set rows [lsearch -all -inline $::assigned [list $space /$cell/$name *]]
      if {[llength $rows] + ([list $space /$cell/$name] in $::excluded) != 1} { error "validate: /$cell/$name is neither assigned nor excluded, or both" }
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
  check_channels
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
