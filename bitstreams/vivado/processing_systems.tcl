# What the processing systems call their ports and settings. Of a port: the settings that switch it on and give it its width, the
# width that it has after power-up, the pin of its clock, and where its address segments lie. `high` switches on the memory segments
# above 4 GB. Source: PG082, UG585 (Zynq-7000), PG201, UG1085 (Zynq UltraScale+).
set processing_systems {
  zynqmp {
    ip zynq_ultra_ps_e
    clock pl_clk0
    clock_mhz PSU__CRL_APB__PL0_REF_CTRL__FREQMHZ
    reset pl_resetn0
    high PSU__HIGH_ADDRESS__ENABLE
    external {}
    settings {
      PSU__FPGA_PL0_ENABLE 1 PSU__USE__IRQ0 1
      PSU__USE__M_AXI_GP0 0 PSU__USE__M_AXI_GP1 0 PSU__USE__M_AXI_GP2 0
    }
    ports {
      M_AXI_HPM0_FPD {on PSU__USE__M_AXI_GP0 width PSU__MAXIGP0__DATA_WIDTH bits 128 clock maxihpm0_fpd_aclk}
      S_AXI_HP0_FPD {on PSU__USE__S_AXI_GP2 width PSU__SAXIGP2__DATA_WIDTH bits 128 clock saxihp0_fpd_aclk segments SAXIGP2}
    }
  }
  zynq7 {
    ip processing_system7
    clock FCLK_CLK0
    clock_mhz PCW_FPGA0_PERIPHERAL_FREQMHZ
    reset FCLK_RESET0_N
    external {DDR FIXED_IO}
    settings {
      PCW_EN_CLK0_PORT 1 PCW_EN_RST0_PORT 1 PCW_USE_FABRIC_INTERRUPT 1 PCW_IRQ_F2P_INTR 1
    }
    ports {
      M_AXI_GP0 {on PCW_USE_M_AXI_GP0 clock M_AXI_GP0_ACLK}
      S_AXI_HP0 {on PCW_USE_S_AXI_HP0 width PCW_S_AXI_HP0_DATA_WIDTH bits 64 clock S_AXI_HP0_ACLK segments S_AXI_HP0}
    }
  }
}
