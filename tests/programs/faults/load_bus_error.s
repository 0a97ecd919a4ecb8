# The second element lies after the end of memory; the first is loaded.
load.inp dram=255 x=2
finish
.data 0xfff
.byte 0
