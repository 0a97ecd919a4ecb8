# A queue holds one token: the second push waits until the first token is taken.
.config default arch.token_capacity=1
load.inp x=0 push_next
load.inp x=0 push_next
load.inp x=0 push_next
gemm pop_prev
gemm pop_prev
gemm pop_prev
finish
