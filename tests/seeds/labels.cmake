# Run by ctest: gives each test that rows.csv names the tags of its rows.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/rows.csv rows)
list(POP_FRONT rows)
foreach(row IN LISTS rows)
  if(row MATCHES "^([0-9]+),([^,]+\\.[^,]+)," )
    set_tests_properties(${CMAKE_MATCH_2} PROPERTIES LABELS seed.${CMAKE_MATCH_1})
  endif()
endforeach()
