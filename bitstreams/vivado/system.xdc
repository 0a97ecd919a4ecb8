# The clocks come with the processing system and the clocking wizard, and every path lies between registers of one clock. But for
# the accelerator's own reset (hw/rtl/common/vta_reset.sv): its two registers take it whenever it comes, and wait out its end.
set_false_path -to [get_pins -quiet -hierarchical -filter {NAME =~ */u_reset/*_q_reg/CLR}]
set_property BITSTREAM.GENERAL.COMPRESS TRUE [current_design]
