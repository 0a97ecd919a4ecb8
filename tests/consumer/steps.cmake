# Steps that the install tests share.

# Runs a command; fails with its output when it fails. Leaves what it printed in `output`.
function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(status)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nfailed with ${status}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# Installs the build folder BUILD below FOLDER, checks its headers, then builds and runs the consumer project against it.
function(install_and_consume build folder)
  file(REMOVE_RECURSE ${folder})
  step(${CMAKE_COMMAND} --install ${build} --prefix ${folder}/prefix)
  check_headers(${folder}/prefix/include/vta)
  step(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${folder}/build -G Ninja
    -D CMAKE_PREFIX_PATH=${folder}/prefix -D CMAKE_CXX_COMPILER_LAUNCHER=ccache)
  step(${CMAKE_COMMAND} --build ${folder}/build)
  foreach(binary consumer consumer_of_all)
    step(${folder}/build/${binary} ${folder}/prefix/share/vta/configs/default.json)
    if(NOT output STREQUAL "default: same\n")
      message(FATAL_ERROR "${binary} printed: ${output}")
    endif()
  endforeach()
  # The platform on the installed package counts the RTL's cycles, where this build has the RTL's bench.
  if(EXISTS ${build}/tests/cycle/cycle_traffic)
    step(${build}/tests/cycle/cycle_traffic ${folder}/build/platform/platform ${folder}/traffic --programs 12
      ${folder}/prefix/share/vta/configs/default.json)
  endif()
  file(REMOVE_RECURSE ${folder})
endfunction()

# Every header that an installed header includes is installed.
function(check_headers include)
  file(GLOB_RECURSE headers RELATIVE ${include} ${include}/*.h)
  foreach(header IN LISTS headers)
    file(STRINGS ${include}/${header} lines REGEX "^#include \"")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" included "${line}")
      if(NOT EXISTS ${include}/${included})
        message(FATAL_ERROR "${header} is installed and includes ${included}, which is not")
      endif()
    endforeach()
  endforeach()
endfunction()
