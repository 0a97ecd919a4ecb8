# Each of the 15 ways to pad a tile of 2x2 inp elements (1 2 / 3 4) by at most one row or element a side.
# Times the identity matrix, an input element is its own output.
load.uop dram=kernel x=1
load.wgt dram=identity x=1
load.inp sram=0 dram=tile y=2 x=2 stride=2 pad=0,0,0,1
load.inp sram=6 dram=tile y=2 x=2 stride=2 pad=0,0,1,0
load.inp sram=12 dram=tile y=2 x=2 stride=2 pad=0,0,1,1
load.inp sram=20 dram=tile y=2 x=2 stride=2 pad=0,1,0,0
load.inp sram=26 dram=tile y=2 x=2 stride=2 pad=0,1,0,1
load.inp sram=35 dram=tile y=2 x=2 stride=2 pad=0,1,1,0
load.inp sram=44 dram=tile y=2 x=2 stride=2 pad=0,1,1,1
load.inp sram=56 dram=tile y=2 x=2 stride=2 pad=1,0,0,0
load.inp sram=62 dram=tile y=2 x=2 stride=2 pad=1,0,0,1
load.inp sram=71 dram=tile y=2 x=2 stride=2 pad=1,0,1,0
load.inp sram=80 dram=tile y=2 x=2 stride=2 pad=1,0,1,1
load.inp sram=92 dram=tile y=2 x=2 stride=2 pad=1,1,0,0
load.inp sram=100 dram=tile y=2 x=2 stride=2 pad=1,1,0,1
load.inp sram=112 dram=tile y=2 x=2 stride=2 pad=1,1,1,0
load.inp sram=124 dram=tile y=2 x=2 stride=2 pad=1,1,1,1 push_next
gemm uop=0:1 in=140 dst=0,1 reset pop_prev
gemm uop=0:1 in=140 dst=0,1 src=0,1 push_next
store.out dram=output x=140 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0
.data
tile: .byte 1*16 2*16 3*16 4*16
.data
identity:
.byte 1 0*15
.byte 0 1 0*14
.byte 0*2 1 0*13
.byte 0*3 1 0*12
.byte 0*4 1 0*11
.byte 0*5 1 0*10
.byte 0*6 1 0*9
.byte 0*7 1 0*8
.byte 0*8 1 0*7
.byte 0*9 1 0*6
.byte 0*10 1 0*5
.byte 0*11 1 0*4
.byte 0*12 1 0*3
.byte 0*13 1 0*2
.byte 0*14 1 0
.byte 0*15 1
.data
output: .space 2240
