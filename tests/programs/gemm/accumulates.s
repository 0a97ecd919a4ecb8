# Micro-ops that follow each other may add to the same row: 5 + 3 * 16 lanes * 1 * 2 = 101.
load.uop dram=kernel x=3
load.acc dram=bias x=1
load.inp dram=input x=1
load.wgt dram=weights x=1 push_next
gemm uop=0:3 pop_prev push_next
store.out dram=output x=1 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0
dst=0
dst=0
.data
bias: .int 5*16
.data
input: .byte 1*16
.data
weights: .byte 2*256
.data
output: .space 16
