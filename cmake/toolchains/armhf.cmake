# 32-bit ARM (ARMv7-A) that passes floats in registers.
set(CMAKE_SYSTEM_PROCESSOR armv7)
set(board_architecture armhf)  # Debian's name
set(board_triple arm-linux-gnueabihf)
include(${CMAKE_CURRENT_LIST_DIR}/board.cmake)
# GCC 7 changed how some arguments are passed, and GCC says so at each of them; all of it is compiled by one GCC. Files may
# be larger than 2 GiB.
string(APPEND CMAKE_CXX_FLAGS_INIT " -Wno-psabi -D_FILE_OFFSET_BITS=64")
