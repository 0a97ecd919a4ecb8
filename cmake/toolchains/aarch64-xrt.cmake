# 64-bit ARM with XRT, whose libraries are shared ones: so is what it takes from the board, all but the C library's start.
include(${CMAKE_CURRENT_LIST_DIR}/aarch64.cmake)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-s -Wl,--gc-sections")
