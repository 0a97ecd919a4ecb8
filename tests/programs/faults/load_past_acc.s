# sram_base reaches further than any buffer.
load.acc sram=65535 x=1
finish
.data 0x10000
.byte 0
