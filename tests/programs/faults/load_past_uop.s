# The second would be micro-op 8192 of 8192.
load.uop sram=8191 x=2
finish
.data 0x10000
.byte 0
