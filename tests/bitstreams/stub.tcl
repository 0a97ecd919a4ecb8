# Runs a script of a bitstream's project as Vivado would, as far as a script can be wrong: commands, options, properties and files are
# those of the documents (UG835 commands, UG994 block designs, UG1118 the packager, UG1393 kernels), and what is built is a model that
# is checked. Prints facts, a line each; an error ends it with 1.
# usage: tclsh stub.tcl SCRIPT [ARGUMENT...]
set stub_folder [file dirname [file normalize [info script]]]

source [file join $stub_folder commands.tcl]

# Objects are words "KIND:NAME" (block designs have their own, "/cell/pin"), with properties.
array set property {}
array set known_properties {
  project {board_part ip_repo_paths part target_language}
  fileset {top generic}
  core {name version vendor library display_name description taxonomy sdx_kernel sdx_kernel_type ipi_drc vitis_drc supported_families
    auto_family_support_level core_revision}
  user_parameter {value value_format value_resolve_type} hdl_parameter {value value_format}
  bus {slave_memory_map_ref} bus_parameter {value value_source value_resolve_type}
  block {range width usage} register {address_offset size access description} register_parameter {value}
  run {strategy} design {BITSTREAM.GENERAL.COMPRESS}
}
proc kind_of {object} { expr {[string match /* $object] ? "cell" : [lindex [split $object :] 0]} }
proc set_one_property {name value object} {
  set kind [kind_of $object]
  if {$kind eq "cell"} { return [set_cell_property $name $value $object] }
  if {![info exists ::known_properties($kind)] || $name ni $::known_properties($kind)} {
    error "set_property: $object has no property $name"
  }
  set ::property($object,$name) $value
}
command set_property {-dict} {} 1 3 {
  if {[dict exists $options -dict]} {
    set pairs [dict get $options -dict]
    set object [lindex $arguments 0]
  } else {
    lassign $arguments name value object
    set pairs [list $name $value]
  }
  if {$object eq ""} { error "set_property: no object" }
  if {[llength $pairs] % 2} { error "set_property: names and values are not pairs" }
  set seen {}
  foreach {name value} $pairs {
    if {$name in $seen} { error "set_property: $name stands twice" }
    lappend seen $name
    foreach one $object { set_one_property $name $value $one }
  }
}
command get_property {-min -max} {} 2 2 {
  lassign $arguments name object
  if {![info exists ::property($object,$name)]} { error "get_property: $object has no property $name" }
  return $::property($object,$name)
}

# Projects, files, runs.
set project ""
command create_project {-part} {-force -in_memory -ip -rtl_kernel} 1 2 {
  if {$::project ne ""} { error "create_project: a project is open" }
  if {![regexp {^xc[0-9a-z]+-[0-9a-zA-Z-]+$} [option $options -part]]} { error "create_project: no such part: [option $options -part]" }
  lassign $arguments name folder
  file mkdir $folder
  set ::project [file normalize $folder]
  set ::part [option $options -part]
  fact part $::part
}
command close_project {} {-delete} 0 0 {
  if {$::project eq ""} { error "close_project: no project is open" }
  set ::project ""
}
proc needs_project {name} {
  if {$::project eq ""} { error "$name: no project is open" }
}
command current_project {} {} 0 1 { needs_project current_project; return project:1 }
command current_fileset {} {-constrset -simset -srcset} 0 1 { needs_project current_fileset; return fileset:sources_1 }
array set sources {sources_1 {} constrs_1 {}}
command add_files {-fileset} {-norecurse -force -scan_for_includes} 1 1 {
  needs_project add_files
  set fileset [option $options -fileset sources_1]
  if {![info exists ::sources($fileset)]} { error "add_files: no fileset $fileset" }
  foreach path [lindex $arguments 0] {
    must_exist $path
    if {$path in $::sources($fileset)} { error "add_files: $path is there already" }
    if {$fileset eq "constrs_1" && [file extension $path] ne ".xdc"} { error "add_files: $path is no .xdc" }
    lappend ::sources($fileset) $path
  }
}
command update_compile_order {-fileset} {} 0 0 {
  needs_project update_compile_order
  if {![info exists ::property(fileset:sources_1,top)]} { error "update_compile_order: no top" }
  set top $::property(fileset:sources_1,top)
  foreach path $::sources(sources_1) {
    if {[file rootname [file tail $path]] eq $top} return
  }
  error "update_compile_order: no file of module $top"
}
command get_files {-of_objects} {} 0 1 {
  set path [file join $::project [lindex $arguments 0]]
  if {$path ni $::saved_designs} { error "get_files: no file [lindex $arguments 0]" }
  return $path
}
command get_board_parts {-filter} {-latest_file_version -latest_hw_revision} 0 1 {
  if {![regexp {^[a-z.]+:[a-z0-9_-]+:part0:\*$} [lindex $arguments 0]]} { error "get_board_parts: [lindex $arguments 0] is no name of a board file" }
  if {![info exists ::env(STUB_BOARDS)]} return
  return [string map {* 1.1} [lindex $arguments 0]]
}
command version {} {-short} 0 0 { return 2022.2 }

set implemented 0
command get_runs {} {} 0 1 {
  if {$arguments ne "impl_1" && $arguments ne "synth_1"} { error "get_runs: no run $arguments" }
  return run:$arguments
}
command launch_runs {-jobs -to_step} {-force -scripts_only} 1 1 {
  needs_project launch_runs
  if {$arguments ne "impl_1" || [option $options -to_step] ne "write_bitstream"} { error "launch_runs: does not write a bitstream" }
  if {![string is integer -strict [option $options -jobs 1]]} { error "launch_runs: -jobs wants a number" }
  if {$::property(fileset:sources_1,top) ne "system_wrapper"} { error "launch_runs: the top is not the wrapper" }
  if {!$::generated} { error "launch_runs: the block design is not generated" }
  foreach path $::sources(constrs_1) { run_constraints $path }
  set folder [file join $::project runs impl_1]
  file mkdir $folder
  # As a .bit file is: what it is of, and a length before the rest.
  set out [open [file join $folder system_wrapper.bit] wb]
  puts -nonewline $out [binary format H* 00090ff00ff00ff00ff0000001]
  foreach {letter text} [list a system_wrapper b $::part c 2022/10/13 d 12:34:56] {
    puts -nonewline $out [binary format aSa*x $letter [expr {[string length $text] + 1}] $text]
  }
  puts -nonewline $out [binary format aIa* e 4 bits]
  close $out
  array set ::property [list run:impl_1,PROGRESS 100% run:impl_1,STATUS "write_bitstream Complete!" run:impl_1,DIRECTORY $folder \
    run:impl_1,STATS.WNS [expr {[info exists ::env(STUB_WNS)] ? $::env(STUB_WNS) : 0.1}] \
    run:impl_1,STATS.WHS [expr {[info exists ::env(STUB_WHS)] ? $::env(STUB_WHS) : 0.01}]]
  set ::launched 1
}
proc waits {} {
  if {![info exists ::launched]} { error "wait_on_run: nothing was launched" }
  set ::implemented 1
}
command wait_on_run {-timeout} {} 1 1 { waits }
command open_run {-name} {} 1 1 { needs_run open_run }
proc needs_run {name} {
  if {!$::implemented} { error "$name: the run has not ended" }
}
command report_timing_summary {-file} {} 0 0 { needs_run report_timing_summary; close [open [dict get $options -file] w] }
# Zynq-7000 has slices, UltraScale+ has CLBs.
command report_utilization {-file} {} 0 0 {
  needs_run report_utilization
  set block [expr {[string match xc7* $::part] ? "Slice" : "CLB"}]
  set out [open [dict get $options -file] w]
  foreach {name used} [list "$block LUTs*" 39012 "  LUT as Logic" 36000 "  LUT as Memory" 3012 "$block Registers" 27345 \
    "Block RAM Tile" 61.5 "  RAMB36/FIFO*" 60 "  RAMB18" 3 DSPs 80 "  DSP48E2 only" 80] {
    puts $out [format "| %-26s | %5s |     0 |          0 | %9d | %5.2f |" $name $used 100000 1]
  }
  close $out
}
command write_hw_platform {} {-fixed -force -include_bit -minimal -hw} 1 1 {
  needs_run write_hw_platform
  set path [lindex $arguments 0]
  if {[file extension $path] ne ".xsa"} { error "write_hw_platform: $path is no .xsa" }
  close [open $path w]
} -file
proc run_constraints {path} {
  set child [interp create]
  foreach name {set_false_path get_pins set_property current_design} { interp alias $child $name {} xdc_$name }
  interp eval $child [list source $path]
  interp delete $child
}
command xdc_set_false_path {-from -to -through} {-setup -hold} 0 0 {}
command xdc_get_pins {-filter -of_objects} {-hierarchical} 0 1 { return pin }
command xdc_current_design {} {} 0 0 { return design:1 }
interp alias {} xdc_set_property {} set_property

source [file join $stub_folder ipx.tcl]
source [file join $stub_folder blocks.tcl]
source [file join $stub_folder design.tcl]

run_script [lindex $argv 0] [lrange $argv 1 end]
if {$project ne ""} {
  puts stderr "[file tail [lindex $argv 0]]: the project is left open"
  exit 1
}
