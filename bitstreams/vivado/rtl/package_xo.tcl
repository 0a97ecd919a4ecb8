# Makes build/vta.xo of the IP, for platforms that Vitis links (v++ --link). usage: vivado -mode batch -source package_xo.tcl
set here [file dirname [file normalize [info script]]]
source [file join $here settings.tcl]
set build [file join $here build]

package_xo -force -xo_path [file join $build vta.xo] -kernel_name $ip_name -ip_directory [file join $build ip] \
  -kernel_xml [file join $here kernel.xml]
