# A table is not padded, even where nothing would move.
.config only_lut
load.lut x=0 pad=0,0,0,1
finish
