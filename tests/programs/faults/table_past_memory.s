# The table lies behind the end of memory.
.config only_lut
load.lut dram=16 x=1
finish
.data 0xfff
.byte 0
