# Load has no previous module.
load.wgt x=0 push_prev
finish
