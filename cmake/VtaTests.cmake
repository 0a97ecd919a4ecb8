# A test whose random programs, and how many of its cases, the commit chooses: see tests/support/seeded.py.
#   vta_seeded_test(NAME PROGRAM ARGUMENT... [--of N CANDIDATE...])
function(vta_seeded_test name)
  add_test(NAME ${name} COMMAND ${VTA_PYTHON} -B ${CMAKE_SOURCE_DIR}/tests/support/seeded.py ${ARGN})
endfunction()

# GoogleTest binaries as tests: one a suite. A process for each case would cost more than the cases.
#   vta_gtest(TARGET PREFIX [LABELS label ...] [ENVIRONMENT NAME=VALUE ...])
# makes the tests PREFIX.SUITE once TARGET is built; a suite that is parametrised is PREFIX.INSTANCE/SUITE.
function(vta_gtest target prefix)
  cmake_parse_arguments(ARG "" "" "LABELS;ENVIRONMENT" ${ARGN})
  set(tests ${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake)
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -D TESTS=${tests} -D BINARY=$<TARGET_FILE:${target}> -D PREFIX=${prefix}
      -D "LABELS=${ARG_LABELS}" -D "ENVIRONMENT=${ARG_ENVIRONMENT}" -P ${CMAKE_SOURCE_DIR}/cmake/ListSuites.cmake
    BYPRODUCTS ${tests} VERBATIM)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${target}_tests.cmake @ONLY CONTENT
"if(EXISTS \"@tests@\")
  include(\"@tests@\")
else()
  add_test(@prefix@.NOT_BUILT @target@_NOT_BUILT)
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${CMAKE_CURRENT_BINARY_DIR}/${target}_tests.cmake)
endfunction()
