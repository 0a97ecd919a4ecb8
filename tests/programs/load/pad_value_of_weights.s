# Padding weights sets each of their bytes: 16 lanes of 3 times -2.
load.uop dram=kernel x=1
load.inp dram=input x=1
set pad_load=254
load.wgt dram=zeros x=1 pad=0,0,1,0 pad_select push_next
gemm uop=0:1 in=2 dst=0,1 reset pop_prev
gemm uop=0:1 in=2 dst=0,1 wgt=0,1 push_next
store.out dram=output x=2 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0
.data
input: .byte 3*16
.data
zeros: .space 256
.data
output: .byte 1*32
