# Nobody takes the first token, so the second push waits for ever, and FINISH for it.
.config default arch.token_capacity=1
load.inp x=0 push_next
load.inp x=0 push_next
finish
