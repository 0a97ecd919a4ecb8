# pad_load is an extension, off here; the mode then belongs to no module and goes to compute.
.config default arch.pad_value=false
set pad_load=1
finish
