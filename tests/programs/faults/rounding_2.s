# There are two roundings, 0 and 1.
set rounding=2
finish
