# 64-bit ARM (ARMv8-A).
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(board_architecture arm64)  # Debian's name
set(board_triple aarch64-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/board.cmake)
