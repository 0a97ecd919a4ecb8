# The reset bit means nothing to the ALU.
load.uop dram=kernel x=1
load.acc dram=input x=1
alu.add uop=0:1 imm=4 reset push_next
store.out dram=output x=1 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0
.data
input: .int 3*16
.data
output: .space 16
