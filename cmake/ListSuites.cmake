# Writes TESTS: for each suite of the GoogleTest BINARY a test PREFIX.SUITE, with LABELS and ENVIRONMENT.
execute_process(COMMAND ${BINARY} --gtest_list_tests OUTPUT_VARIABLE listing RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${BINARY} --gtest_list_tests: ${status}\n${listing}")
endif()
string(REGEX MATCHALL "\n[^ \n#][^ \n]*\\." suites "\n${listing}")
set(script)
foreach(suite IN LISTS suites)
  string(REGEX REPLACE "^\n|\\.$" "" suite "${suite}")
  string(APPEND script "add_test([==[${PREFIX}.${suite}]==] [==[${BINARY}]==] [==[--gtest_filter=${suite}.*]==])\n"
    "set_tests_properties([==[${PREFIX}.${suite}]==] PROPERTIES LABELS [==[${LABELS}]==] ENVIRONMENT [==[${ENVIRONMENT}]==])\n")
endforeach()
file(WRITE ${TESTS} "${script}")
