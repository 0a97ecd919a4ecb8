# Three rows of two elements out of rows of five.
load.uop dram=kernel x=1
load.acc sram=1 dram=input+1 y=3 x=2 stride=5
alu.add uop=0:1 in=6 dst=0,1 imm=0 push_next
store.out sram=1 dram=output x=6 pop_prev push_prev
finish pop_next
.uop
kernel: dst=1
.data
input:
.int 0*16 1*16 2*16 3*16 4*16
.int 10*16 11*16 12*16 13*16 14*16
.int 20*16 21*16 22*16 23*16 24*16
.data
output: .space 96
