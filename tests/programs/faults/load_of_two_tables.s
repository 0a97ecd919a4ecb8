# There is one table; the first one is loaded.
.config only_lut
load.lut x=2
finish
.data 0x10000
.byte 0
