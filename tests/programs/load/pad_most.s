# The largest pads: 15 on each side of one element make a tile of 31 rows of 31.
load.uop dram=kernel x=1
load.acc dram=input x=1 pad=15,15,15,15
alu.add uop=0:1 in=961 dst=0,1 imm=3 push_next
store.out dram=output x=961 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0
.data
input: .int 1*16
.data
output: .space 15376
