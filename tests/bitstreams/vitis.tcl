# Runs a script of a project as Vitis HLS would, as stub.tcl does for Vivado: commands and options are those of UG1399 ("Vitis HLS Tcl
# commands"), C simulation compiles and runs the test bench, and what is synthesised are the pins that kernel.py finds. Prints facts, a
# line each; an error ends it with 1.
# usage: tclsh vitis.tcl SCRIPT
set vitis_folder [file dirname [file normalize [info script]]]
source [file join $vitis_folder commands.tcl]

set project ""
set headers [file join $vitis_folder vitis]

command open_project {} {-reset -upgrade} 1 1 {
  if {$::project ne ""} { error "open_project: a project is open" }
  set ::project [lindex $arguments 0]
  if {[dict exists $options -reset]} { file delete -force $::project }
  file mkdir $::project
  array unset ::is
  array set ::is {top "" sources {} benches {} solution "" part "" clock "" control "" address64 0 synthesised 0}
}
proc needs {name what value} {
  if {$value eq ""} { error "$name: no $what" }
}
command close_project {} {} 0 0 {
  needs close_project "project is open" $::project
  set ::project ""
}
command set_top {} {} 1 1 {
  needs set_top "project is open" $::project
  set ::is(top) [lindex $arguments 0]
}
command add_files {-blackbox -cflags -csimflags} {-tb} 1 1 {
  needs add_files "project is open" $::project
  set kind [expr {[dict exists $options -tb] ? "benches" : "sources"}]
  foreach path [lindex $arguments 0] {
    must_exist $path
    if {$path in $::is(sources) || $path in $::is(benches)} { error "add_files: $path is there already" }
    lappend ::is($kind) $path
  }
}
command open_solution {-flow_target} {-reset} 1 1 {
  needs open_solution "project is open" $::project
  if {[option $options -flow_target vivado] ne "vivado"} { error "open_solution: the flow makes no IP of Vivado's" }
  set ::is(solution) [lindex $arguments 0]
}
command set_part {} {} 1 1 {
  needs set_part "solution is open" $::is(solution)
  if {![regexp {^xc[0-9a-z]+-[0-9a-zA-Z-]+$} [lindex $arguments 0]]} { error "set_part: no such part: [lindex $arguments 0]" }
  set ::is(part) [lindex $arguments 0]
}
command create_clock {-name -period} {} 0 1 {
  needs create_clock "solution is open" $::is(solution)
  if {![regexp {^[0-9]+(\.[0-9]+)?$} [option $options -period]]} { error "create_clock: -period wants ns" }
  set ::is(clock) [dict get $options -period]
}
command config_interface {-m_axi_addr64 -m_axi_latency -m_axi_max_widen_bitwidth -m_axi_alignment_byte_size -default_slave_interface -m_axi_offset} {} 0 0 {
  needs config_interface "solution is open" $::is(solution)
  set ::is(address64) [expr {[option $options -m_axi_addr64 false] eq "true"}]
}
command set_directive_interface {-mode -bundle -depth -offset -latency} {} 1 2 {
  needs set_directive_interface "solution is open" $::is(solution)
  if {[dict get $options -mode] ni {ap_ctrl_none ap_ctrl_hs ap_ctrl_chain}} { error "set_directive_interface: no mode [dict get $options -mode]" }
  if {$arguments ne $::is(top)} { error "set_directive_interface: [lindex $arguments 0] is not the top" }
  set ::is(control) [dict get $options -mode]
}
proc is_source {path} { expr {[file extension $path] in {.cc .cpp .cxx .c}} }
# The test bench beside its data, as the tool copies it.
command csim_design {-argv -ldflags -mflags} {-clean -setup -O -profile} 0 0 {
  needs csim_design "solution is open" $::is(solution)
  if {[info exists ::env(STUB_NO_CSIM)]} return
  set folder [file join $::project $::is(solution) csim build]
  file mkdir $folder
  set files {}
  foreach path [concat $::is(sources) $::is(benches)] {
    if {[is_source $path]} { lappend files [file normalize $path] } else { file copy -force $path $folder }
  }
  set program [file normalize [file join $folder csim.exe]]
  if {[catch { exec c++ -std=c++14 -w -O0 -I$::headers {*}$files -o $program 2>@1 } message]} { error "csim_design: $message" }
  set before [pwd]
  cd $folder
  set failed [catch { exec $program } message]
  cd $before
  if {$failed} { error "csim_design: $message" }
  foreach line [split $message \n] { fact csim {*}$line }
}
command csynth_design {} {-dump_cfg -dump_post_cfg -synthesis_check} 0 0 {
  foreach {what value} [list top $::is(top) "part is set" $::is(part) "clock is made" $::is(clock) "protocol of the block is set" $::is(control)] {
    needs csynth_design $what $value
  }
  if {!$::is(address64)} { error "csynth_design: addresses have 32 bits (config_interface -m_axi_addr64)" }
  set found [lsearch -all -inline $::is(sources) */$::is(top).cc]
  if {[llength $found] != 1} { error "csynth_design: no source of $::is(top)" }
  # A test that leaves the sources as they are has what they make.
  if {[info exists ::env(STUB_SHAPES)]} {
    set shape [read_text [file join $::env(STUB_SHAPES) $::is(top)]]
  } elseif {[catch { exec python3 -B [file join $::vitis_folder kernel.py] $found $::is(top) $::headers 2>@1 } shape]} {
    error "csynth_design: [lindex [split $shape \n] 0]"
  }
  set ::is(shape) $shape
  set ::is(synthesised) 1
}
# Source: UG1399, "Co-simulation Requirements for Interface Synthesis". These kernels have other ports than streams, and read without
# waiting.
command cosim_design {-argv -ldflags -mflags -rtl -tool -trace_level -user_stall -compiled_library_dir} {-O -setup -random_stall -coverage -wave_debug
    -disable_deadlock_detection -disable_dependency_check -enable_dataflow_profiling -enable_fifo_sizing -disable_binary_tv} 0 0 {
  if {!$::is(synthesised)} { error "cosim_design: nothing is synthesised" }
  if {$::is(control) eq "ap_ctrl_none"} { error "cosim_design: takes no ap_ctrl_none kernel that is neither combinational, nor of interval 1, nor all streams" }
  if {![llength [lsearch -all $::is(benches) */bench.cc]]} { error "cosim_design: no test bench" }
  fact cosim $::is(top)
}
command export_design {-description -display_name -flow -format -ipname -library -output -rtl -vendor -version -taxonomy -xo} {} 0 0 {
  if {!$::is(synthesised)} { error "export_design: nothing is synthesised" }
  if {[option $options -format] ne "ip_catalog"} { error "export_design: makes no IP" }
  foreach name {-vendor -library -ipname -version} {
    if {[option $options $name] eq ""} { error "export_design: $name is missing" }
  }
  set folder [file join $::project $::is(solution) impl ip]
  file mkdir $folder
  set out [open [file join $folder component.tcl] w]
  puts $out [list set ip [dict create kind hls vlnv [join [lmap name {-vendor -library -ipname -version} { dict get $options $name }] :] \
    pins [dict get $::is(shape) pins] buses [dict get $::is(shape) buses]]]
  close $out
  fact kernel $::is(top) $::is(part) $::is(clock) [llength [dict get $::is(shape) pins]] [llength [dict get $::is(shape) buses]]
}

run_script [lindex $argv 0] [lrange $argv 1 end]
if {$project ne ""} {
  puts stderr "[file tail [lindex $argv 0]]: the project is left open"
  exit 1
}
