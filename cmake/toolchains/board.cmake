# What the boards' toolchains share: Debian's cross compiler for `board_triple`, and programs that need nothing of the
# board but its kernel: static, stripped, without what nothing calls.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_CXX_COMPILER ${board_triple}-g++)
set(CMAKE_CXX_FLAGS_INIT "-ffunction-sections -fdata-sections")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -s -Wl,--gc-sections")

# Development packages that ./vta test fetched and unpacked, the same for every build: see tools/wrapper/sysroot.sh.
if(DEFINED ENV{VTA_CACHE_DIR})
  set(cache $ENV{VTA_CACHE_DIR})
elseif(DEFINED ENV{XDG_CACHE_HOME})
  set(cache $ENV{XDG_CACHE_HOME}/vta)
else()
  set(cache $ENV{HOME}/.cache/vta)
endif()
set(sysroot ${cache}/sysroot-${board_architecture}/usr)
list(APPEND CMAKE_PREFIX_PATH ${sysroot})
set(VTA_SYSROOT_INCLUDE ${sysroot}/include/${board_triple})
