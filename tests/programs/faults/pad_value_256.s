# A pad value is a byte.
set pad_load=256
finish
