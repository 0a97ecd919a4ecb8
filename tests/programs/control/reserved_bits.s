# Reserved bits are ignored: bits 59 to 63 of a LOAD, all but the lowest seven of FINISH.
load.uop dram=kernel x=1
.word 0xf800000200000180 0x0000000100010001  # load.acc dram=0x80 x=1 stride=1
alu.add uop=0:1 imm=0 push_next
store.out dram=output x=1 pop_prev push_prev
.word 0xffffffffffffff93 0xffffffffffffffff  # finish pop_next
.uop 0x1000
kernel: dst=0
.data 0x2000
input: .int 9*16
.data
output: .space 16
