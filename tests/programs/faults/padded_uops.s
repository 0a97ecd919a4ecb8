# Micro-ops are not padded, even where nothing would move.
load.uop x=0 pad=0,0,0,1
finish
