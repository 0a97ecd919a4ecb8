# The low 32 bits of the signed product.
# The first rows of the output are the low bytes of the results, the others their high bytes.
load.uop dram=kernel x=1
load.acc dram=input x=2
alu.mul uop=0:1 push_next
store.out dram=output x=1 pop_prev push_prev
alu.shr uop=0:1 in=1 dst=0,1 imm=24 pop_next push_next
store.out dram=output+1 x=1 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0 src=1
.data
input:
.int -2147483648 -2147483648 -2147483648 2147483647 2147483647 65536 65536 -65536 305419896 -3 3 0 46341 12345 -1 4096
.int -2147483648 -1 2 2147483647 -1 65536 65535 65535 4096 5 -7 -2147483648 46341 -54321 -1 524288
.data
output: .space 32
