# STORE takes what GEMM or ALU last wrote to OUT, not what LOAD put into the accumulators.
load.uop dram=kernel x=1
load.acc dram=input x=1
alu.add uop=0:1 imm=0
load.acc dram=input+1 x=2 push_next
store.out dram=output x=2 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0
.data
input: .int 7*16 8*16 9*16
.data
output: .byte 1*32
