# 8-bit loads into the accumulators are sign-extended: the arithmetic shift shows the upper bits.
.config default arch.acc8=true
load.uop dram=kernel x=1
load.acc8 sram=0 dram=input x=2
load.acc8 sram=2 dram=input x=1 pad=0,0,1,0
alu.shr uop=0:1 in=4 dst=0,1 imm=1 push_next
store.out dram=output x=4 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0
.data
input: .byte -128 -127 -2 -1 0 1 2 127 0*8 255*16
.data
output: .space 64
