# No memory has this type.
load.6 x=1
finish
