# Two rows of two elements into rows of three; pads are ignored.
load.uop dram=kernel x=1
load.acc dram=input x=5
alu.add uop=0:1 in=5 dst=0,1 imm=0 push_next
store.out sram=1 dram=output+1 y=2 x=2 stride=3 pad=1,1,1,1 pad_select pop_prev push_prev
finish pop_next
.uop
kernel: dst=0
.data
input: .int 1*16 2*16 3*16 4*16 5*16
.data
output: .byte 99*96
