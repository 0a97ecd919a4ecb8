# Two rounds through all three modules, each waiting for its turn: the second load may overwrite the input only when the
# first GEMM is done, the second GEMM the output only when the first store is.
load.uop dram=kernel x=1
load.wgt dram=identity x=1
load.inp dram=input x=1 push_next
gemm uop=0:1 reset pop_prev
gemm uop=0:1 push_prev push_next
store.out dram=output x=1 pop_prev push_prev
load.inp dram=input+1 x=1 pop_next push_next
gemm uop=0:1 pop_prev pop_next push_next
store.out dram=output+1 x=1 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0
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
input: .byte 1*16 2*16
.data
output: .space 32
