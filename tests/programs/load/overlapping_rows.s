# Rows may overlap in DRAM: a stride of 1 with 3 elements, then a stride of 0.
load.uop dram=kernel x=1
load.acc sram=0 dram=input y=2 x=3 stride=1
load.acc sram=6 dram=input+3 y=2 x=1 stride=0
alu.add uop=0:1 in=8 dst=0,1 imm=0 push_next
store.out dram=output x=8 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0
.data
input: .int 1*16 2*16 3*16 4*16
.data
output: .space 128
