# Every design file, each level using only the ones before it. The package of the config (vta_pkg)
# comes first and is generated. What lies in check/ is for simulation and proofs.
rtl/common/vta_reset.sv
rtl/common/vta_copy.sv
rtl/common/vta_ram.sv
rtl/common/vta_banks.sv
rtl/common/vta_fifo.sv
rtl/common/vta_queue.sv

rtl/vta_tokens.sv
rtl/vta_decode.sv
rtl/vta_cut.sv
rtl/vta_offset.sv
rtl/vta_multiplier.sv
rtl/vta_alu.sv
rtl/vta_lut.sv
rtl/vta_alu_long.sv
rtl/vta_padded.sv
rtl/vta_tile.sv
rtl/vta_uop_memory.sv
rtl/vta_counters.sv
rtl/vta_control.sv
rtl/vta_regs.sv
rtl/vta_commands.sv

rtl/vta_fetch.sv
rtl/vta_bursts.sv
rtl/vta_mac_lane.sv
rtl/vta_mac_excess.sv
rtl/vta_mac_pair.sv
rtl/vta_mac.sv
rtl/vta_loop.sv
rtl/vta_read_buffer.sv
rtl/vta_read.sv
rtl/vta_write.sv
rtl/vta_frontend.sv

rtl/vta_long.sv
rtl/vta_execute.sv
rtl/vta_older.sv
rtl/vta_reach.sv
rtl/vta_unit.sv
rtl/vta_load.sv
rtl/vta_load_acc.sv
rtl/vta_store.sv

rtl/vta_compute.sv

rtl/vta_core.sv

rtl/vta_ip.v

check/vta_axi_check.sv
check/vta_axi_lite_check.sv
