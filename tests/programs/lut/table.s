# lut requantises, here by 1 with the limits and zero points of each lane, and looks its code up: place i of the
# table is for code i, place 256 + i for code i below 0; what it says is a signed byte. Place i holds 7 i + 3.
.config only_lut
load.uop dram=kernel x=1
load.lut dram=table x=1
load.acc dram=input x=3
load.acc sram=100 dram=parameters x=3
alu.lut uop=0:1 in=3 dst=0,1 push_next
store.out dram=output x=3 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0 src=100
.data
table:
.byte 3 10 17 24 31 38 45 52 59 66 73 80 87 94 101 108
.byte 115 122 -127 -120 -113 -106 -99 -92 -85 -78 -71 -64 -57 -50 -43 -36
.byte -29 -22 -15 -8 -1 6 13 20 27 34 41 48 55 62 69 76
.byte 83 90 97 104 111 118 125 -124 -117 -110 -103 -96 -89 -82 -75 -68
.byte -61 -54 -47 -40 -33 -26 -19 -12 -5 2 9 16 23 30 37 44
.byte 51 58 65 72 79 86 93 100 107 114 121 -128 -121 -114 -107 -100
.byte -93 -86 -79 -72 -65 -58 -51 -44 -37 -30 -23 -16 -9 -2 5 12
.byte 19 26 33 40 47 54 61 68 75 82 89 96 103 110 117 124
.byte -125 -118 -111 -104 -97 -90 -83 -76 -69 -62 -55 -48 -41 -34 -27 -20
.byte -13 -6 1 8 15 22 29 36 43 50 57 64 71 78 85 92
.byte 99 106 113 120 127 -122 -115 -108 -101 -94 -87 -80 -73 -66 -59 -52
.byte -45 -38 -31 -24 -17 -10 -3 4 11 18 25 32 39 46 53 60
.byte 67 74 81 88 95 102 109 116 123 -126 -119 -112 -105 -98 -91 -84
.byte -77 -70 -63 -56 -49 -42 -35 -28 -21 -14 -7 0 7 14 21 28
.byte 35 42 49 56 63 70 77 84 91 98 105 112 119 126 -123 -116
.byte -109 -102 -95 -88 -81 -74 -67 -60 -53 -46 -39 -32 -25 -18 -11 -4
.data
input:
.int 0 1 -1 127 -128 128 -129 2147483647 -2147483648 64 -64 32 -32 100 -100 7
.int -8 -7 -6 -5 -4 -3 -2 -1 0 1 2 3 4 5 6 7
.int -128 -112 -96 -80 -64 -48 -32 -16 0 16 32 48 64 80 96 112
.data
parameters:  # biases, multipliers, packed exponent, zero point, low, high
.int 0*16
.int 0x40000000*16
.int 0x7f800001 0x7f800001 0x7f800001 0x7f800001 0x7f800001 0x7f800001 0x7f800001 0x7f800001 0x7f800301 0x7f80fd01 0xaf60001 0x7f000001 0x5fb0501 0x7f807f01 0x7f808001 0xec140001
.data
output: .space 48
