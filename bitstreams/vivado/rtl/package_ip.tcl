# Packages the RTL as an IP, in build/ip: ports m_axi_gmem and s_axi_control, clock, reset, interrupt, and the registers.
# usage: vivado -mode batch -source package_ip.tcl
set here [file dirname [file normalize [info script]]]
source [file join $here settings.tcl]
set build [file join $here build]

create_project -force -part $part package [file join $build package]
foreach name $rtl_files {
  add_files -norecurse [list [file join $here $name]]
}
set_property top vta_ip [current_fileset]
update_compile_order -fileset sources_1

ipx::package_project -root_dir [file join $build ip] -vendor $ip_vendor -library $ip_library -taxonomy /UserIP -import_files -force
set core [ipx::current_core]
set_property name $ip_name $core
set_property version $ip_version $core
set_property display_name "VTA, config $config" $core
set_property description "Tensor accelerator, config $config, arch hash $arch_hash" $core

# The design has the width of its config; no other elaborates.
set_property value $bus_bits [ipx::get_user_parameters C_M_AXI_GMEM_DATA_WIDTH -of_objects $core]
set_property value $bus_bits [ipx::get_hdl_parameters C_M_AXI_GMEM_DATA_WIDTH -of_objects $core]

foreach bus {m_axi_gmem s_axi_control} {
  ipx::associate_bus_interfaces -busif $bus -clock ap_clk $core
}
set memory [ipx::get_bus_interfaces m_axi_gmem -of_objects $core]
foreach {name value} [list \
  MAX_BURST_LENGTH $max_burst_beats \
  NUM_READ_OUTSTANDING $reads_outstanding \
  NUM_WRITE_OUTSTANDING $writes_outstanding \
  SUPPORTS_NARROW_BURST 0] {
  set parameter [ipx::add_bus_parameter -quiet $name $memory]
  set_property value $value $parameter
  set_property value_source constant $parameter
}

# The packager makes a map of its own for the port; -quiet takes it where it is there.
set map [ipx::add_memory_map -quiet s_axi_control $core]
set_property slave_memory_map_ref s_axi_control [ipx::get_bus_interfaces s_axi_control -of_objects $core]
set block [ipx::add_address_block -quiet reg0 $map]
set_property range $control_bytes $block
foreach row $registers {
  lassign $row name offset bits access is_address meaning
  set register [ipx::add_register -quiet $name $block]
  set_property address_offset $offset $register
  set_property size $bits $register
  set_property access $access $register
  set_property description $meaning $register
  if {$is_address} {
    set parameter [ipx::add_register_parameter -quiet ASSOCIATED_BUSIF $register]
    set_property value m_axi_gmem $parameter
  }
}

# For Vitis: a kernel whose host drives its registers itself, at whatever clock it is linked with.
set_property sdx_kernel true $core
set_property sdx_kernel_type rtl $core
set_property ipi_drc {ignore_freq_hz true} $core
set_property vitis_drc {ctrl_protocol user_managed} $core

ipx::create_xgui_files $core
ipx::update_checksums $core
ipx::check_integrity $core
ipx::save_core $core
close_project
