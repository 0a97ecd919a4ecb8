# The accelerator in a block design: the IP that package_ip.tcl made of the RTL. What project.tcl wants of either kind:
# folders of IPs; the cell `vta` with ap_clk, ap_rst_n, interrupt, s_axi_control and m_axi_gmem; its address spaces; its registers.
proc accelerator_ips {} {
  global build
  return [list [file join $build ip]]
}

proc create_accelerator {} {
  global ip_vendor ip_library ip_name ip_version
  create_bd_cell -type ip -vlnv $ip_vendor:$ip_library:$ip_name:$ip_version vta
}

set accelerator_spaces vta/m_axi_gmem
set accelerator_registers vta/s_axi_control/reg0
