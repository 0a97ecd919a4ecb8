# In ISA 0.0.2 pad_select is a reserved bit: pads are 0.
.config vta_0.0.2
load.uop dram=kernel x=1
load.acc dram=input x=1 pad=0,0,1,1 pad_select
alu.add uop=0:1 in=3 dst=0,1 imm=1 push_next
store.out dram=output x=3 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0
.data
input: .int 6*16
.data
output: .space 48
