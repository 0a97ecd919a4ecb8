# block_in 8, block_out 32: 32 dot products of 8.
.config default arch.block_in=8 arch.block_out=32 arch.acc_depth=64
load.uop dram=kernel x=1
load.inp dram=input x=1
load.wgt dram=weights x=1 push_next
gemm uop=0:1 reset pop_prev
gemm uop=0:1 push_next
store.out dram=output x=1 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0
.data
input: .byte 1 2 3 4 5 6 7 8
.data
weights:  # row k picks input k mod 8, negated from row 16 on
.byte 1 0*7
.byte 0 1 0*6
.byte 0*2 1 0*5
.byte 0*3 1 0*4
.byte 0*4 1 0*3
.byte 0*5 1 0*2
.byte 0*6 1 0
.byte 0*7 1
.byte 1 0*7
.byte 0 1 0*6
.byte 0*2 1 0*5
.byte 0*3 1 0*4
.byte 0*4 1 0*3
.byte 0*5 1 0*2
.byte 0*6 1 0
.byte 0*7 1
.byte -1 0*7
.byte 0 -1 0*6
.byte 0*2 -1 0*5
.byte 0*3 -1 0*4
.byte 0*4 -1 0*3
.byte 0*5 -1 0*2
.byte 0*6 -1 0
.byte 0*7 -1
.byte -1 0*7
.byte 0 -1 0*6
.byte 0*2 -1 0*5
.byte 0*3 -1 0*4
.byte 0*4 -1 0*3
.byte 0*5 -1 0*2
.byte 0*6 -1 0
.byte 0*7 -1
.data
output: .space 32
