# Micro-ops behave as if they ran one after the other. The same row in adjacent trips: 10 + 5 and 10 + 4 * 10. A chain, where
# each reads what the one before wrote: 1+2, 1+2+3, 1+2+3+4. A row added to itself doubles each time: 3 * 2^5.
load.uop dram=kernel x=6
load.acc dram=input x=8
alu.add uop=0:1 in=5 imm=1
alu.add uop=1:2 in=4
alu.add uop=2:5
alu.add uop=5:6 out=5 push_next
store.out dram=output x=2 pop_prev
store.out sram=4 dram=output+2 x=4 push_prev
finish pop_next
.uop
kernel: dst=0 src=0
dst=1 src=2
dst=4 src=3
dst=5 src=4
dst=6 src=5
dst=7 src=7
.data
input: .int 10*16 10*16 10*16 1*16 2*16 3*16 4*16 3*16
.data
output: .space 96
