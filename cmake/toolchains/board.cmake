# What the boards' toolchains share: Debian's cross compiler for `board_triple`, and programs that need nothing of the
# board but its kernel: static, stripped, without what nothing calls.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_CXX_COMPILER ${board_triple}-g++)
set(CMAKE_CXX_FLAGS_INIT "-ffunction-sections -fdata-sections")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -s -Wl,--gc-sections")
