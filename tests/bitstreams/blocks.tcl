# The blocks of a system: their settings (default, what is allowed), and the pins and buses that a cell has with its settings.
# A pin: name, direction, width, kind. A bus: name, master or slave, protocol, width, pin of its clock, and for the buses of a
# processing system more: the addresses that a master reaches, or a slave's segments. Source: PG201 and UG1085 (zynq_ultra_ps_e), PG082 and
# UG585 (processing_system7), PG065 (clk_wiz), PG164 (proc_sys_reset), PG247 (smartconnect), PG085
# (axis_data_fifo).
set bit {0|1}
set number {[0-9]+(\.[0-9]+)?}
array set settings_of [list \
  zynq_ultra_ps_e [list PSU__USE__M_AXI_GP0 [list 1 $bit] PSU__USE__M_AXI_GP1 [list 1 $bit] PSU__USE__M_AXI_GP2 [list 0 $bit] \
    PSU__USE__S_AXI_GP0 [list 0 $bit] PSU__USE__S_AXI_GP2 [list 0 $bit] PSU__USE__S_AXI_GP3 [list 0 $bit] \
    PSU__MAXIGP0__DATA_WIDTH {128 32|64|128} PSU__MAXIGP1__DATA_WIDTH {128 32|64|128} PSU__MAXIGP2__DATA_WIDTH {32 32|64|128} \
    PSU__SAXIGP0__DATA_WIDTH {128 32|64|128} PSU__SAXIGP2__DATA_WIDTH {128 32|64|128} PSU__SAXIGP3__DATA_WIDTH {128 32|64|128} \
    PSU__FPGA_PL0_ENABLE [list 1 $bit] PSU__USE__IRQ0 [list 1 $bit] PSU__HIGH_ADDRESS__ENABLE [list 0 $bit] \
    PSU__CRL_APB__PL0_REF_CTRL__FREQMHZ [list 100 $number]] \
  processing_system7 [list PCW_USE_M_AXI_GP0 [list 1 $bit] PCW_USE_M_AXI_GP1 [list 0 $bit] PCW_USE_S_AXI_HP0 [list 0 $bit] \
    PCW_S_AXI_HP0_DATA_WIDTH {64 32|64} PCW_EN_CLK0_PORT [list 1 $bit] PCW_EN_RST0_PORT [list 1 $bit] \
    PCW_FPGA0_PERIPHERAL_FREQMHZ [list 50 $number] PCW_USE_FABRIC_INTERRUPT [list 0 $bit] PCW_IRQ_F2P_INTR [list 0 $bit]] \
  clk_wiz [list PRIM_SOURCE {Single_ended_clock_capable_pin Single_ended_clock_capable_pin|Differential_clock_capable_pin|Global_buffer|No_buffer} \
    PRIM_IN_FREQ [list 100.000 $number] CLKOUT1_REQUESTED_OUT_FREQ [list 100.000 $number] USE_RESET {true true|false} USE_LOCKED {true true|false} \
    NUM_OUT_CLKS {1 [1-7]}] \
  proc_sys_reset {C_EXT_RESET_HIGH {0 0|1} C_AUX_RESET_HIGH {0 0|1}} \
  smartconnect {NUM_SI {2 [1-9]|1[0-6]} NUM_MI {1 [1-9]|1[0-6]} NUM_CLKS {1 [1-4]}} \
  axis_data_fifo {FIFO_DEPTH {512 16|32|64|128|256|512|1024|2048|4096|8192|16384|32768} TDATA_NUM_BYTES {1 [1-9][0-9]*}} \
  vta {} hls {} hier {}]

proc is_on {cell name} { expr {[config_of $cell $name] in {1 true}} }

# {pins buses} of a cell.
proc shape_zynq_ultra_ps_e {cell} {
  set pins {{pl_resetn0 output 1 reset_n}}
  if {[is_on $cell PSU__FPGA_PL0_ENABLE]} { lappend pins {pl_clk0 output 1 clock} }
  if {[is_on $cell PSU__USE__IRQ0]} { lappend pins {pl_ps_irq0 input 1 interrupt} }
  set buses {}
  foreach {name setting aclk addresses} {
    M_AXI_HPM0_FPD PSU__USE__M_AXI_GP0 maxihpm0_fpd_aclk {{0xa0000000 0x10000000} {0x400000000 0x100000000}}
    M_AXI_HPM1_FPD PSU__USE__M_AXI_GP1 maxihpm1_fpd_aclk {{0xb0000000 0x10000000} {0x500000000 0x100000000}}
    M_AXI_HPM0_LPD PSU__USE__M_AXI_GP2 maxihpm0_lpd_aclk {{0x80000000 0x20000000}}
  } {
    if {![is_on $cell $setting]} continue
    lappend pins [list $aclk input 1 clock]
    set width [config_of $cell [string map {USE__M_AXI_ MAXI} $setting]__DATA_WIDTH]
    lappend buses [dict create name $name mode master protocol AXI4 width $width clock $aclk space Data addresses $addresses]
  }
  # A coherent port looks into the caches of the processors, and wants AxCACHE to say so; the others do not.
  foreach {name setting aclk coherent} {
    S_AXI_HPC0_FPD PSU__USE__S_AXI_GP0 saxihpc0_fpd_aclk 1
    S_AXI_HP0_FPD PSU__USE__S_AXI_GP2 saxihp0_fpd_aclk 0
    S_AXI_HP1_FPD PSU__USE__S_AXI_GP3 saxihp1_fpd_aclk 0
  } {
    if {![is_on $cell $setting]} continue
    lappend pins [list $aclk input 1 clock]
    set group [string map {PSU__USE__S_AXI_ SAXI} $setting]
    regexp {HPC?[0-9]} $name short
    set segments [list $group/${short}_DDR_LOW {0x0 0x80000000} $group/${short}_QSPI {0xc0000000 0x20000000} \
      $group/${short}_LPS_OCM {0xff000000 0x1000000}]
    if {[is_on $cell PSU__HIGH_ADDRESS__ENABLE]} { lappend segments $group/${short}_DDR_HIGH {0x800000000 0x800000000} }
    lappend buses [dict create name $name mode slave protocol AXI4 width [config_of $cell PSU__${group}__DATA_WIDTH] clock $aclk \
      coherent $coherent segments $segments]
  }
  return [list $pins $buses]
}

proc shape_processing_system7 {cell} {
  set pins {}
  if {[is_on $cell PCW_EN_CLK0_PORT]} { lappend pins {FCLK_CLK0 output 1 clock} }
  if {[is_on $cell PCW_EN_RST0_PORT]} { lappend pins {FCLK_RESET0_N output 1 reset_n} }
  if {[is_on $cell PCW_USE_FABRIC_INTERRUPT] && [is_on $cell PCW_IRQ_F2P_INTR]} { lappend pins {IRQ_F2P input 1 interrupt} }
  set buses {{name DDR mode external} {name FIXED_IO mode external}}
  foreach {name setting addresses} {
    M_AXI_GP0 PCW_USE_M_AXI_GP0 {{0x40000000 0x40000000}}
    M_AXI_GP1 PCW_USE_M_AXI_GP1 {{0x80000000 0x40000000}}
  } {
    if {![is_on $cell $setting]} continue
    lappend pins [list ${name}_ACLK input 1 clock]
    lappend buses [dict create name $name mode master protocol AXI3 width 32 clock ${name}_ACLK space Data addresses $addresses]
  }
  if {[is_on $cell PCW_USE_S_AXI_HP0]} {
    lappend pins {S_AXI_HP0_ACLK input 1 clock}
    lappend buses [dict create name S_AXI_HP0 mode slave protocol AXI3 width [config_of $cell PCW_S_AXI_HP0_DATA_WIDTH] \
      clock S_AXI_HP0_ACLK coherent 0 segments {S_AXI_HP0/HP0_DDR_LOWOCM {0x0 0x40000000}}]
  }
  return [list $pins $buses]
}

proc shape_clk_wiz {cell} {
  set pins {{clk_in1 input 1 clock} {clk_out1 output 1 clock}}
  if {[is_on $cell USE_RESET]} { lappend pins {reset input 1 reset} }
  if {[is_on $cell USE_LOCKED]} { lappend pins {locked output 1 locked} }
  return [list $pins {}]
}

proc shape_proc_sys_reset {cell} {
  list {{slowest_sync_clk input 1 clock} {ext_reset_in input 1 reset_n} {dcm_locked input 1 locked} {peripheral_reset output 1 reset}
    {peripheral_aresetn output 1 reset_n} {interconnect_aresetn output 1 reset_n}} {}
}

proc shape_smartconnect {cell} {
  set buses {}
  foreach {count side mode} {NUM_SI S slave NUM_MI M master} {
    for {set i 0} {$i < [config_of $cell $count]} {incr i} {
      lappend buses [dict create name [format %s%02d_AXI $side $i] mode $mode protocol any width any clock aclk]
    }
  }
  return [list {{aclk input 1 clock} {aresetn input 1 reset_n}} $buses]
}

proc shape_axis_data_fifo {cell} {
  list {{s_axis_aclk input 1 clock} {s_axis_aresetn input 1 reset_n}} {
    {name S_AXIS mode slave protocol AXIS width any clock s_axis_aclk}
    {name M_AXIS mode master protocol AXIS width any clock s_axis_aclk}
  }
}

# The IP of the RTL, of what the packager left.
proc shape_vta {cell} {
  set ip [dict get $::ips $::made_of($cell)]
  set pins {}
  set widths {}
  foreach row [dict get $ip ports] {
    lassign $row name direction width interface
    switch $interface {
      clock { lappend pins [list $name $direction $width clock] }
      reset { lappend pins [list $name $direction $width reset_n] }
      interrupt { lappend pins [list $name $direction $width interrupt] }
      default { if {[string match *_wdata $name]} { dict set widths $interface $width } }
    }
  }
  return [list $pins [list \
    [dict create name m_axi_gmem mode master protocol AXI4 width [dict get $widths m_axi_gmem] clock ap_clk space m_axi_gmem \
      addresses {{0x0 0x10000000000000000}} beats [dict get $ip beats] cache [dict get $ip cache]] \
    [dict create name s_axi_control mode slave protocol AXI4LITE width [dict get $widths s_axi_control] clock ap_clk coherent 0 \
      segments [list s_axi_control/reg0 [list any [dict get $ip range]]]]]]
}

# A kernel, of what Vitis HLS left.
proc shape_hls {cell} {
  set ip [dict get $::ips $::made_of($cell)]
  list [concat {{ap_clk input 1 clock} {ap_rst_n input 1 reset_n}} [dict get $ip pins]] [dict get $ip buses]
}

# A hierarchy, of the pins that were made; each has two sides.
proc shape_hier {cell} { return $::hierarchy($cell) }

# A module of the project's Verilog (UG994, "Referencing RTL Modules"): interfaces by the names of AXI or by attributes.
proc shape_module {cell} {
  lassign [verilog_ports $::made_of($cell) [file rootname [file tail $::made_of($cell)]]] values rows
  dict for {name value} $values { dict set values $name [config_of $cell $name] }
  set text [read_text $::made_of($cell)]
  set pins {}
  set buses {}
  set memories {}
  foreach {all bus signal name} [regexp -all -inline {xilinx\.com:interface:bram:1\.0 (\w+) (\w+)" \*\)\s+(?:input|output) +wire +(?:\[[^\]]*\] +)?(\w+)} $text] {
    dict set memories $name [list $bus $signal]
  }
  foreach row $rows {
    lassign $row name direction high
    set width [width_of $high $values]
    if {[dict exists $memories $name]} {
      lassign [dict get $memories $name] bus signal
      dict set buses $bus $signal [list $name $width]
    } elseif {[regexp {^s_axi_control_(\w+)$} $name all signal]} {
      dict set buses s_axi_control $signal [list $name $width]
    } else {
      set kinds {ap_clk clock ap_rst_n reset_n interrupt interrupt}
      lappend pins [list $name $direction $width [option $kinds $name data]]
    }
  }
  set shaped {}
  dict for {bus signals} $buses {
    if {$bus eq "s_axi_control"} {
      if {[lsort [dict keys $signals]] ne [lsort $::signals(s_axi_control)]} { error "module: $bus has not the ports of AXI4-Lite" }
      lappend shaped [dict create name $bus mode slave protocol AXI4LITE width 32 clock ap_clk coherent 0 \
        segments [list $bus/reg0 [list any [expr {1 << [lindex [dict get $signals awaddr] 1]}]]]]
    } else {
      if {[lsort [dict keys $signals]] ne {ADDR CLK DIN DOUT EN RST WE}} { error "module: $bus has not the ports of bram" }
      lassign [dict get $signals DIN] data width
      if {[lindex [dict get $signals WE] 1] * 8 != $width} { error "module: $bus has not a bit of WE for each byte" }
      lappend shaped [dict create name $bus mode slave protocol BRAM width $width rows [config_of $cell ROWS] \
        access [expr {[regexp "<= $data\\M" $text] ? "write" : "read"}]]
    }
  }
  return [list $pins $shaped]
}
