# The packager: what it finds in a Verilog top by its own reading, what a script adds, and the IP that comes of it.

# Ports of module `top`: name, direction, width with the parameter's value in it. Reads the Verilog of 2001 that a packager takes.
proc verilog_ports {path top} {
  set text [read_text $path]
  regsub -all {//[^\n]*} $text "" text
  regsub -all {\(\*.*?\*\)} $text "" text
  # The head of the module, to the end of its ports, without a line of its own for either parenthesis.
  set start [string first "module $top " $text]
  set end [string first ");" $text $start]
  set middle [string first ") (" $text $start]
  if {$start < 0 || $middle < 0 || $end < $middle} { error "$path: no module $top with parameters and ports" }
  set parameters [string range $text $start $middle]
  set ports [string range $text $middle+3 $end-1]
  set values {}
  foreach {all name value} [regexp -all -inline {parameter\s+integer\s+(\w+)\s*=\s*(\d+)} $parameters] { dict set values $name $value }
  set rows {}
  foreach line [split $ports ,] {
    if {![regexp {^\s*(input|output)\s+wire\s+(?:\[(.*):0\]\s*)?(\w+)\s*$} $line all direction high name]} { error "$path: cannot read the port '$line'" }
    lappend rows [list $name $direction $high]
  }
  return [list $values $rows]
}
proc width_of {high values} {
  if {$high eq ""} { return 1 }
  expr "[string map $values $high] + 1"
}
# The value that the Verilog gives to what is always on an output: {0011} for 4'b0011.
proc constant_of {path port} {
  set in [open $path]
  set text [read $in]
  close $in
  if {![regexp "assign\\s+$port\\s*=\\s*(\\w+)\\s*;" $text all name]} { error "$path: $port is not constant" }
  if {![regexp "localparam\\s*\\\[3:0\\]\\s*$name\\s*=\\s*4'b(\[01]{4})\\s*;" $text all bits]} { error "$path: $name is no constant of 4 bits" }
  return $bits
}

# What belongs to which interface, by prefix, as UG1118 says names are inferred.
array set interface_of {ap_clk clock ap_rst_n reset interrupt interrupt}
proc interface_of_port {name} {
  if {[info exists ::interface_of($name)]} { return $::interface_of($name) }
  if {[regexp {^(m_axi_gmem|s_axi_control)_[a-z]+$} $name all bus]} { return $bus }
  error "packager: port $name belongs to no interface"
}
array set signals {
  s_axi_control {awaddr awprot awvalid awready wdata wstrb wvalid wready bresp bvalid bready araddr arprot arvalid arready rdata rresp
    rvalid rready}
  m_axi_gmem {awid awaddr awlen awsize awburst awlock awcache awprot awqos awvalid awready wdata wstrb wlast wvalid wready bid bresp
    bvalid bready arid araddr arlen arsize arburst arlock arcache arprot arqos arvalid arready rid rdata rresp rlast rvalid rready}
}

namespace eval ipx {}
command ipx::package_project {-root_dir -vendor -library -taxonomy -name -version -module -component -set_current} \
    {-import_files -force -archive_source_project -generated_files} 0 0 {
  needs_project ipx::package_project
  foreach name {-root_dir -vendor -library} {
    if {![dict exists $options $name]} { error "ipx::package_project: $name is missing" }
  }
  set top $::property(fileset:sources_1,top)
  set ::top_file ""
  foreach path $::sources(sources_1) {
    if {[file tail $path] eq "$top.v"} { set ::top_file $path }
  }
  # Source: UG1118, "Top-Level HDL Requirements".
  if {$::top_file eq ""} { error "ipx::package_project: the top must be Verilog or VHDL" }
  lassign [verilog_ports $::top_file $top] ::parameters ::ports
  set found {}
  foreach row $::ports { lappend found [lindex $row 0] }
  foreach {bus names} [array get ::signals] {
    foreach name $names {
      if {"${bus}_$name" ni $found} { error "packager: interface $bus has no port ${bus}_$name" }
    }
  }
  foreach name $found { interface_of_port $name }
  array set ::property [list core:1,vendor [dict get $options -vendor] core:1,library [dict get $options -library] core:1,name $top core:1,version 1.0]
  set ::root_dir [dict get $options -root_dir]
  set ::is_saved 0
  set ::clock_of {}
  set ::registers_of_map {}
}
command ipx::current_core {} {} 0 1 {
  if {![info exists ::root_dir]} { error "ipx::current_core: nothing is packaged" }
  return core:1
}
foreach {name kind} {ipx::get_user_parameters user_parameter ipx::get_hdl_parameters hdl_parameter} {
  command $name {-of_objects -filter} {} 0 1 [string map [list @KIND@ $kind] {
    if {![dict exists $::parameters $arguments]} { error "packager: no parameter $arguments" }
    return @KIND@:$arguments
  }]
}
command ipx::get_bus_interfaces {-of_objects -filter} {} 0 1 {
  if {![info exists ::signals($arguments)]} { error "ipx::get_bus_interfaces: no interface $arguments" }
  return bus:$arguments
}
command ipx::associate_bus_interfaces {-busif -clock -reset} {-clear} 1 1 {
  set bus [dict get $options -busif]
  ipx::get_bus_interfaces $bus
  if {[dict get $options -clock] ne "ap_clk"} { error "ipx::associate_bus_interfaces: no clock [dict get $options -clock]" }
  dict set ::clock_of $bus [dict get $options -clock]
}
set bus_parameters {MAX_BURST_LENGTH NUM_READ_OUTSTANDING NUM_WRITE_OUTSTANDING SUPPORTS_NARROW_BURST DATA_WIDTH PROTOCOL FREQ_HZ}
command ipx::add_bus_parameter {} {} 2 2 {
  lassign $arguments name bus
  if {$name ni $::bus_parameters} { error "ipx::add_bus_parameter: no parameter $name of AXI" }
  return bus_parameter:$name
}
command ipx::add_memory_map {} {} 2 2 { return map:[lindex $arguments 0] }
command ipx::add_address_block {} {} 2 2 {
  if {[kind_of [lindex $arguments 1]] ne "map"} { error "ipx::add_address_block: wants a memory map" }
  return block:[lindex $arguments 0]
}
command ipx::add_register {} {} 2 2 {
  lassign $arguments name block
  if {[kind_of $block] ne "block"} { error "ipx::add_register: wants an address block" }
  if {$name in $::registers_of_map} { error "ipx::add_register: $name stands twice" }
  lappend ::registers_of_map $name
  return register:$name
}
command ipx::add_register_parameter {} {} 2 2 {
  if {[lindex $arguments 0] ne "ASSOCIATED_BUSIF"} { error "ipx::add_register_parameter: no parameter [lindex $arguments 0]" }
  return register_parameter:[lindex $arguments 1]
}
foreach name {ipx::create_xgui_files ipx::update_checksums} { command $name {} {} 0 1 { ipx::current_core } }
command ipx::check_integrity {} {} 0 1 { check_registers }

proc check_registers {} {
  set end 0
  foreach name $::registers_of_map {
    set offset [get_property address_offset register:$name]
    set bytes [expr {[get_property size register:$name] / 8}]
    if {$offset < $end} { error "packager: register $name overlaps the one before it" }
    set end [expr {$offset + $bytes}]
    if {[get_property access register:$name] ni {read-only write-only read-write}} { error "packager: register $name: no such access" }
    fact register $name [format 0x%x $offset] $bytes [get_property access register:$name] \
      [info exists ::property(register_parameter:register:$name,value)]
  }
  if {$end > [get_property range block:reg0]} { error "packager: registers do not fit their block" }
}
command ipx::save_core {} {} 0 1 {
  foreach {bus} [array names ::signals] {
    if {![dict exists $::clock_of $bus]} { error "packager: $bus has no clock" }
  }
  set width [get_property value user_parameter:C_M_AXI_GMEM_DATA_WIDTH]
  if {$width ne [get_property value hdl_parameter:C_M_AXI_GMEM_DATA_WIDTH]} { error "packager: the parameters differ" }
  foreach {name want} {sdx_kernel true sdx_kernel_type rtl vitis_drc {ctrl_protocol user_managed}} {
    if {[get_property $name core:1] ne $want} { error "packager: $name must be $want for Vitis" }
  }
  if {[get_property slave_memory_map_ref bus:s_axi_control] ne "s_axi_control"} { error "packager: s_axi_control has no memory map" }
  # The design has the width of its package.
  foreach path $::sources(sources_1) {
    if {[file tail $path] eq "vta_pkg.sv"} { set package $path }
  }
  if {![info exists package]} { error "packager: no vta_pkg.sv" }
  set in [open $package]
  regexp {int BusBits = (\d+);} [read $in] all bits
  close $in
  if {$bits ne $width} { error "packager: the parameter is $width, the design's bus $bits bits" }
  file mkdir $::root_dir
  set out [open [file join $::root_dir component.tcl] w]
  set values [dict replace $::parameters C_M_AXI_GMEM_DATA_WIDTH $width]
  set ports {}
  foreach row $::ports {
    lassign $row name direction high
    lappend ports [list $name $direction [width_of $high $values] [interface_of_port $name]]
  }
  puts $out [list set ip [dict create kind vta \
    vlnv "[get_property vendor core:1]:[get_property library core:1]:[get_property name core:1]:[get_property version core:1]" \
    ports $ports range [get_property range block:reg0] beats [get_property value bus_parameter:MAX_BURST_LENGTH] \
    cache [list [constant_of $::top_file m_axi_gmem_awcache] [constant_of $::top_file m_axi_gmem_arcache]]]]
  close $out
  set ::is_saved 1
  fact ip [get_property name core:1] ports [llength $ports] bus $width
}
command package_xo {-xo_path -kernel_name -kernel_xml -output_kernel_xml -ip_directory -ctrl_protocol} {-force} 0 0 {
  foreach name {-xo_path -kernel_name -ip_directory} {
    if {![dict exists $options $name]} { error "package_xo: $name is missing" }
  }
  must_exist [file join [dict get $options -ip_directory] component.tcl]
  must_exist [dict get $options -kernel_xml]
  source [file join [dict get $options -ip_directory] component.tcl]
  set name [lindex [split [dict get $ip vlnv] :] 2]
  if {[dict get $options -kernel_name] ne $name} { error "package_xo: the kernel is not called $name" }
  if {[file extension [dict get $options -xo_path]] ne ".xo"} { error "package_xo: [dict get $options -xo_path] is no .xo" }
  set in [open [dict get $options -kernel_xml]]
  set text [read $in]
  close $in
  if {![string match "*vlnv=\"[dict get $ip vlnv]\"*" $text]} { error "package_xo: the kernel's vlnv is not the IP's, [dict get $ip vlnv]" }
  close [open [dict get $options -xo_path] w]
  fact xo [file tail [dict get $options -xo_path]]
}
