# The accelerator in a block design: a hierarchy of the kernels that hls.tcl made, as rtl/ has it as one IP. What project.tcl wants of
# either kind: folders of IPs; the cell `vta` with ap_clk, ap_rst_n, interrupt, s_axi_control and m_axi_gmem; its address spaces; its
# registers.
proc accelerator_ips {} {
  global build kernels
  return [lmap kernel $kernels { file join $build hls $kernel solution impl ip }]
}

# Streams: from, to, and how many words the FIFO between them holds. A writer counts the space behind it, so the shortest carries
# orders and space.
set streams [list \
  monitor/fetch_orders fetch/orders 16 \
  monitor/load_orders load/orders 16 \
  monitor/compute_orders compute/orders 16 \
  monitor/store_orders store/orders 16 \
  fetch/load load/commands $command_fifo_words \
  fetch/compute compute/commands $command_fifo_words \
  fetch/store store/commands $command_fifo_words \
  load/command_space fetch/load_space 16 \
  compute/command_space fetch/compute_space 16 \
  store/command_space fetch/store_space 16 \
  load/to_next compute/from_prev $token_fifo_words \
  compute/to_prev load/from_next $token_fifo_words \
  compute/to_next store/from_prev $token_fifo_words \
  store/to_prev compute/from_next $token_fifo_words \
  compute/from_prev_space load/to_next_space 16 \
  load/from_next_space compute/to_prev_space 16 \
  store/from_prev_space compute/to_next_space 16 \
  compute/from_next_space store/to_prev_space 16]
# Scratchpads: which kernel writes, which reads, and what they call it; bytes of a row, rows.
set scratchpads [list \
  inp load/inp compute/inp $inp_row_bytes $inp_rows \
  wgt load/wgt compute/wgt $wgt_row_bytes $wgt_rows \
  out compute/outputs store/outputs $out_row_bytes $out_rows]

# A cell of a Verilog module of the project, as the project knows it once its files are added.
proc create_module {module name args} {
  set cell [create_bd_cell -type module -reference $module vta/$name]
  set_property -dict $args $cell
  connect vta/ap_clk vta/$name/ap_clk
  connect vta/ap_rst_n vta/$name/ap_rst_n
}

proc create_kernels {} {
  global kernels ip_vendor ip_library ip_version memory_mib
  foreach kernel $kernels {
    set name [string range $kernel 4 end]
    create_bd_cell -type ip -vlnv $ip_vendor:$ip_library:$kernel:$ip_version vta/$name
    connect vta/ap_clk vta/$name/ap_clk
    connect vta/ap_rst_n vta/$name/ap_rst_n
  }
  create_module vta_host_ip host CONFIG.MEMORY_MIB $memory_mib
}

# What a kernel published last, to who reads it.
proc hold {kernel port to} {
  global published_bits
  create_module vta_hold held_$kernel CONFIG.WIDTH [dict get $published_bits $kernel]
  connect vta/$kernel/$port vta/held_$kernel/value
  connect vta/$kernel/${port}_ap_vld vta/held_$kernel/value_ap_vld
  connect vta/held_$kernel/held vta/$to
}

proc create_wires {} {
  foreach kernel {fetch load compute store} { hold $kernel state monitor/$kernel }
  hold monitor result host/result
  foreach name {start_number stop_number launch} { connect vta/host/$name vta/monitor/$name }
}

proc create_streams {} {
  global streams
  foreach {from to words} $streams {
    set name fifo_[string map {/ _} $to]
    set fifo [create_bd_cell -type ip -vlnv xilinx.com:ip:axis_data_fifo vta/$name]
    set_property CONFIG.FIFO_DEPTH $words $fifo
    connect vta/ap_clk vta/$name/s_axis_aclk
    connect vta/ap_rst_n vta/$name/s_axis_aresetn
    connect_bd_intf_net [get_bd_intf_pins vta/$from] [get_bd_intf_pins vta/$name/S_AXIS]
    connect_bd_intf_net [get_bd_intf_pins vta/$name/M_AXIS] [get_bd_intf_pins vta/$to]
  }
}

proc create_scratchpads {} {
  global scratchpads
  foreach {name writer reader bytes rows} $scratchpads {
    set cell [create_bd_cell -type module -reference vta_scratchpad vta/$name]
    set_property -dict [list CONFIG.ROW_BYTES $bytes CONFIG.ROWS $rows] $cell
    connect_bd_intf_net [get_bd_intf_pins vta/${writer}_PORTA] [get_bd_intf_pins vta/$name/BRAM_PORTA]
    connect_bd_intf_net [get_bd_intf_pins vta/${reader}_PORTA] [get_bd_intf_pins vta/$name/BRAM_PORTB]
  }
}

# The kernels' ways to memory in one.
proc create_join {} {
  set join [create_bd_cell -type ip -vlnv xilinx.com:ip:smartconnect vta/join]
  set_property -dict {CONFIG.NUM_SI 4 CONFIG.NUM_MI 1} $join
  connect vta/ap_clk vta/join/aclk
  connect vta/ap_rst_n vta/join/aresetn
  set port 0
  foreach kernel {fetch load compute store} {
    connect_bd_intf_net [get_bd_intf_pins vta/$kernel/m_axi_gmem] [get_bd_intf_pins vta/join/S0${port}_AXI]
    incr port
  }
  connect_bd_intf_net [get_bd_intf_pins vta/join/M00_AXI] [get_bd_intf_pins vta/m_axi_gmem]
}

proc create_accelerator {} {
  global here rtl_files
  foreach name $rtl_files {
    add_files -norecurse [list [file join $here $name]]
  }
  create_bd_cell -type hier vta
  create_bd_pin -dir I -type clk vta/ap_clk
  create_bd_pin -dir I -type rst vta/ap_rst_n
  create_bd_pin -dir O -type intr vta/interrupt
  create_bd_intf_pin -mode Slave -vlnv xilinx.com:interface:aximm_rtl:1.0 vta/s_axi_control
  create_bd_intf_pin -mode Master -vlnv xilinx.com:interface:aximm_rtl:1.0 vta/m_axi_gmem
  create_kernels
  create_wires
  create_streams
  create_scratchpads
  create_join
  connect vta/host/interrupt vta/interrupt
  connect_bd_intf_net [get_bd_intf_pins vta/s_axi_control] [get_bd_intf_pins vta/host/s_axi_control]
}

set accelerator_spaces [lmap kernel {fetch load compute store} { string cat vta/ $kernel /Data_m_axi_gmem }]
set accelerator_registers vta/host/s_axi_control/reg0
