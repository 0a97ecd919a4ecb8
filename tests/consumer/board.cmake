# A board's runtime is configured, built, installed and used without the compiler and without what only that needs.
# It compiles half of the tree once more: one commit in three does it, and every night.
if("$ENV{VTA_TEST_SEED}" MATCHES "^[0-9]+$" AND NOT "$ENV{VTA_TEST_WHOLE}" STREQUAL "1")
  math(EXPR turn "$ENV{VTA_TEST_SEED} % 3")
  if(turn)
    message("skipped: another commit's turn; VTA_TEST_WHOLE=1 runs it")
    return()
  endif()
endif()
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
set(board ${BUILD}/board)
file(REMOVE_RECURSE ${board}/CMakeCache.txt)
step(${CMAKE_COMMAND} -S ${SOURCE} -B ${board} -G Ninja -D CMAKE_CXX_COMPILER_LAUNCHER=ccache
  -D VTA_BUILD_COMPILER=OFF -D VTA_BUILD_TESTS=OFF
  -D CMAKE_DISABLE_FIND_PACKAGE_ONNX=ON -D CMAKE_DISABLE_FIND_PACKAGE_Protobuf=ON
  -D CMAKE_DISABLE_FIND_PACKAGE_Boost=ON -D CMAKE_DISABLE_FIND_PACKAGE_LLVM=ON -D CMAKE_DISABLE_FIND_PACKAGE_fmt=ON)
step(${CMAKE_COMMAND} --build ${board})
install_and_consume(${board} ${BUILD}/board_consumer ${BUILD}/bin/vta)
