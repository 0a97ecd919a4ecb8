# The kernels in Vitis HLS: simulation of all together in C, then each as an IP, in build/hls/KERNEL/solution/impl/ip.
# usage: vitis_hls -f hls.tcl
# With VTA_COSIM in the environment: co-simulation of each in its place.
set here [file dirname [file normalize [info script]]]
source [file join $here settings.tcl]
set build [file join $here build hls]

# `control` is the protocol of the kernel's block: in the system it is called again and again, which co-simulation does not take of
# a kernel that reads without waiting.
proc open_kernel {kernel project control} {
  global here part clock_mhz kernels
  open_project -reset $project
  set_top $kernel
  add_files [file join $here hls $kernel.cc]
  add_files -tb [file join $here bench.cc]
  add_files -tb [file join $here launches.txt]
  foreach other $kernels {
    if {$other ne $kernel} { add_files -tb [file join $here hls $other.cc] }
  }
  open_solution -reset -flow_target vivado solution
  set_part $part
  create_clock -period [format %.3f [expr {1000.0 / $clock_mhz}]] -name default
  config_interface -m_axi_addr64=true
  set_directive_interface -mode $control $kernel
}

proc build_kernels {} {
  global kernels ip_vendor ip_library ip_version
  foreach kernel $kernels {
    open_kernel $kernel $kernel ap_ctrl_none
    if {$kernel eq [lindex $kernels 0]} { csim_design }
    csynth_design
    export_design -format ip_catalog -rtl verilog -vendor $ip_vendor -library $ip_library -ipname $kernel -version $ip_version
    close_project
  }
}

proc cosimulate_kernels {} {
  global kernels
  foreach kernel $kernels {
    open_kernel $kernel ${kernel}_cosim ap_ctrl_hs
    csynth_design
    cosim_design
    close_project
  }
}

file mkdir $build
cd $build
# Left to itself, the tool asks for another command where one fails.
if {[catch { if {[info exists env(VTA_COSIM)]} { cosimulate_kernels } else { build_kernels } } message]} {
  puts stderr $message
  exit 1
}
exit
