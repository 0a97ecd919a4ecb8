# Reset writes 0 to the accumulators and to OUT; src and wgt may point anywhere, here past their buffers.
load.uop dram=kernel x=2
load.acc dram=input x=3
alu.add uop=0:1 in=3 dst=0,1 imm=0
gemm uop=1:2 in=2 dst=0,1 src=0,2047 wgt=0,1023 reset push_next
store.out dram=output x=3 pop_prev push_prev
alu.add uop=0:1 in=3 dst=0,1 imm=1 pop_next push_next
store.out dram=output+3 x=3 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0
dst=0 src=2047 wgt=1023
.data
input: .int 5*16 6*16 7*16
.data
output: .byte 9*96
