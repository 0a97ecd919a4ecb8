# An address after the end of memory.
load.uop dram=0xffffffff x=1
finish
