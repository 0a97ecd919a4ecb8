# STORE gives the low byte of each lane, without saturation.
load.uop dram=kernel x=1
load.acc dram=input x=1
alu.add uop=0:1 imm=0 push_next
store.out dram=output x=1 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0
.data
input: .int 0 1 -1 127 128 -128 -129 255 256 257 -256 32767 -32768 0x7fffffff -0x80000000 0x12345678
.data
output: .space 16
