# No mode has this number.
set 3=0
finish
