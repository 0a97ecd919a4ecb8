# Rows 2046 and 2047 are written, the next would be row 2048.
load.inp sram=2046 x=3
finish
.data 0x10000
.byte 0
