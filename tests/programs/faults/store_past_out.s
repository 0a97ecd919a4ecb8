# Row 2047 is stored, the next would be row 2048.
store.out sram=2047 dram=output x=2
finish
.data 0x1000
output: .byte 9*32
