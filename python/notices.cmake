# While the wheel's files are installed: the copyright file of each Debian package that a library in vta/lib is from, as
# vta/notices/PACKAGE.
set(folder $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/vta)
file(GLOB libraries ${folder}/lib/*.so*)
foreach(library IN LISTS libraries)
  cmake_path(GET library FILENAME name)
  execute_process(COMMAND dpkg-query -S "*/${name}" OUTPUT_VARIABLE owner RESULT_VARIABLE status ERROR_QUIET)
  if(NOT status EQUAL 0 OR NOT owner MATCHES "^([^:, ]+)")
    message(FATAL_ERROR "${name}: no Debian package has it, and so its notice is not known")
  endif()
  set(package ${CMAKE_MATCH_1})
  configure_file(/usr/share/doc/${package}/copyright ${folder}/notices/${package} COPYONLY)
endforeach()
