# Each of the 15 ways to pad a tile of 2x2 wgt elements (1 2 / 3 4) by at most one row or element a side.
# An input that is 1 in its first lane only picks the first column of a weight element.
load.uop dram=kernel x=1
load.inp dram=first x=1
load.wgt sram=0 dram=tile y=2 x=2 stride=2 pad=0,0,0,1
load.wgt sram=6 dram=tile y=2 x=2 stride=2 pad=0,0,1,0
load.wgt sram=12 dram=tile y=2 x=2 stride=2 pad=0,0,1,1
load.wgt sram=20 dram=tile y=2 x=2 stride=2 pad=0,1,0,0
load.wgt sram=26 dram=tile y=2 x=2 stride=2 pad=0,1,0,1
load.wgt sram=35 dram=tile y=2 x=2 stride=2 pad=0,1,1,0
load.wgt sram=44 dram=tile y=2 x=2 stride=2 pad=0,1,1,1
load.wgt sram=56 dram=tile y=2 x=2 stride=2 pad=1,0,0,0
load.wgt sram=62 dram=tile y=2 x=2 stride=2 pad=1,0,0,1
load.wgt sram=71 dram=tile y=2 x=2 stride=2 pad=1,0,1,0
load.wgt sram=80 dram=tile y=2 x=2 stride=2 pad=1,0,1,1
load.wgt sram=92 dram=tile y=2 x=2 stride=2 pad=1,1,0,0
load.wgt sram=100 dram=tile y=2 x=2 stride=2 pad=1,1,0,1
load.wgt sram=112 dram=tile y=2 x=2 stride=2 pad=1,1,1,0
load.wgt sram=124 dram=tile y=2 x=2 stride=2 pad=1,1,1,1 push_next
gemm uop=0:1 in=140 dst=0,1 reset pop_prev
gemm uop=0:1 in=140 dst=0,1 wgt=0,1 push_next
store.out dram=output x=140 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0
.data
tile: .byte 1*256 2*256 3*256 4*256
.data
first: .byte 1 0*15
.data
output: .space 2240
