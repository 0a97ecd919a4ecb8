# Loops that run no time and transfers of no rows or elements move nothing, but carry tokens.
load.uop dram=kernel x=1
load.acc dram=input x=1
alu.add uop=0:1 imm=0
alu.add uop=0:0 imm=1
alu.add uop=1:0 imm=1
alu.add uop=0:1 out=0 imm=1
alu.add uop=0:1 in=0 imm=1
gemm uop=0:1 out=0 in=0 reset
load.acc dram=input y=0 x=1 pad=1,1,1,1
load.acc dram=input y=1 x=0 pad=1,1,1,1
load.inp x=0 push_next
gemm pop_prev push_next
store.out dram=output x=1 pop_prev
store.out dram=output y=0 x=1
store.out dram=output x=0 push_prev
finish pop_next
.uop
kernel: dst=0
.data
input: .int 9*16
.data
output: .space 16
