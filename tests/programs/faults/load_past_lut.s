# There is one table.
.config only_lut
load.lut sram=1 x=1
finish
.data 0x10000
.byte 0
