# What this build made can be installed and used.
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
install_and_consume(${BUILD} ${BUILD}/consumer ${BUILD}/bin/vta)
