# LOAD of micro-ops with several rows: micro-ops 0 and 1, then 3 and 4, of the table.
load.uop sram=2 dram=kernel y=2 x=2 stride=3
load.acc dram=input x=5
alu.add uop=2:6 imm=50 push_next
store.out dram=output x=5 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0
dst=1
dst=2
dst=3
dst=4
.data
input: .int 1*16 2*16 3*16 4*16 5*16
.data
output: .byte 1*80
