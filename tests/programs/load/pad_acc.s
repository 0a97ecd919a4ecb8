# Each of the 15 ways to pad a tile of 2x2 acc elements (1 2 / 3 4) by at most one row or element a side.
load.uop dram=kernel x=1
load.acc sram=0 dram=tile y=2 x=2 stride=2 pad=0,0,0,1
load.acc sram=6 dram=tile y=2 x=2 stride=2 pad=0,0,1,0
load.acc sram=12 dram=tile y=2 x=2 stride=2 pad=0,0,1,1
load.acc sram=20 dram=tile y=2 x=2 stride=2 pad=0,1,0,0
load.acc sram=26 dram=tile y=2 x=2 stride=2 pad=0,1,0,1
load.acc sram=35 dram=tile y=2 x=2 stride=2 pad=0,1,1,0
load.acc sram=44 dram=tile y=2 x=2 stride=2 pad=0,1,1,1
load.acc sram=56 dram=tile y=2 x=2 stride=2 pad=1,0,0,0
load.acc sram=62 dram=tile y=2 x=2 stride=2 pad=1,0,0,1
load.acc sram=71 dram=tile y=2 x=2 stride=2 pad=1,0,1,0
load.acc sram=80 dram=tile y=2 x=2 stride=2 pad=1,0,1,1
load.acc sram=92 dram=tile y=2 x=2 stride=2 pad=1,1,0,0
load.acc sram=100 dram=tile y=2 x=2 stride=2 pad=1,1,0,1
load.acc sram=112 dram=tile y=2 x=2 stride=2 pad=1,1,1,0
load.acc sram=124 dram=tile y=2 x=2 stride=2 pad=1,1,1,1
alu.add uop=0:1 in=140 dst=0,1 imm=0 push_next
store.out dram=output x=140 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0
.data
tile: .int 1*16 2*16 3*16 4*16
.data
output: .space 2240
