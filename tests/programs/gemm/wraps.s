# 2^31 - 1 + 16 wraps to -2^31 + 15.
load.uop dram=kernel x=1
load.acc dram=bias x=1
load.inp dram=ones x=1
load.wgt dram=ones x=1 push_next
gemm uop=0:1 pop_prev push_next
store.out dram=output x=1 pop_prev push_prev
alu.shr uop=0:1 imm=24 pop_next push_next
store.out dram=output+1 x=1 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0
.data
bias: .int 0x7fffffff*16
.data
ones: .byte 1*256
.data
output: .space 32
