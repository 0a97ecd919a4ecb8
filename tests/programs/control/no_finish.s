# Everything runs, nothing says that it is done.
gemm
