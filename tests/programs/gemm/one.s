# acc[k] = 100 + 1*k + 2*1 + (-128)*(-128): the low byte is 102 + k; the next one 64, from 16384.
load.uop dram=kernel x=1
load.acc dram=bias x=1
load.inp dram=input x=1
load.wgt dram=weights x=1 push_next
gemm uop=0:1 pop_prev push_next
store.out dram=output x=1 pop_prev push_prev
alu.shr uop=0:1 imm=8 pop_next push_next
store.out dram=output+1 x=1 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0 src=0 wgt=0
.data
bias: .int 100*16
.data
input: .byte 1 2 -128 0*13
.data
weights:  # row k of the matrix makes lane k
.byte 0 1 -128 0*13
.byte 1 1 -128 0*13
.byte 2 1 -128 0*13
.byte 3 1 -128 0*13
.byte 4 1 -128 0*13
.byte 5 1 -128 0*13
.byte 6 1 -128 0*13
.byte 7 1 -128 0*13
.byte 8 1 -128 0*13
.byte 9 1 -128 0*13
.byte 10 1 -128 0*13
.byte 11 1 -128 0*13
.byte 12 1 -128 0*13
.byte 13 1 -128 0*13
.byte 14 1 -128 0*13
.byte 15 1 -128 0*13
.data
output: .space 32
