# Two rows of input in one element: row b of acc[0] is 8 lanes of input row b times weight row k.
.config default arch.batch=2 arch.block_in=8 arch.block_out=8 arch.inp_depth=64 arch.wgt_depth=64 arch.acc_depth=64
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
input: .byte 1*8 -2*8
.data
weights: .byte 0*8 1*8 2*8 3*8 4*8 5*8 6*8 -7*8
.data
output: .space 16
