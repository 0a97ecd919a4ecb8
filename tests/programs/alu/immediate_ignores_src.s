# With an immediate src is neither read nor checked, even where the factor takes it past the buffer.
load.uop dram=kernel x=1
load.acc dram=input x=2
alu.max uop=0:1 in=2 dst=0,1 src=0,2047 imm=4 push_next
store.out dram=output x=2 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0 src=2047
.data
input: .int 3*16 5*16
.data
output: .space 32
