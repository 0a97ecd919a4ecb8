# acc8 is an extension, off here.
load.acc8 x=1
finish
