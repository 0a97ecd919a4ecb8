# An address after the end of memory.
store.out dram=0xffffffff x=1
finish
