.config isa=1.0 arch.requant=true arch.pad_value=true arch.block_in=8
.code 0x40
start: load.uop sram=0 dram=kernel y=1 x=2 stride=2
load.wgt dram=weights x=1 push_next
load.inp sram=1 dram=0x100 y=2 x=3 stride=4 pad=1,2,3,4 pad_select pop_next
set rounding=1
set 7=9
gemm uop=0:2 out=3 in=4 dst=5,6 src=7,8 wgt=9,10 reset pop_prev push_next
alu.add uop=0:1 dst=1,1 src=2,2 imm=-5 # comment
alu.requant uop=1:2
alu.7
store.out sram=0 dram=out+1 x=2 pop_prev push_prev
.word 0x0123456789abcdef 6
finish
.uop
kernel: dst=1 src=2 wgt=3
.word 0xffffffff
.data 0x8000
weights: .byte 1*128 -1
.int -2 0b11
out: .space 64
