# How a component becomes a library: every .cc of the named folders, included from the repository root.
#   vta_component(NAME FOLDERS a b ... [SHARED] [STANDARD 17] [LINK lib ...] [PUBLIC_LINK lib ...] [PACKAGES pkg ...] [MODULES mod ...])
# makes vta_NAME and the alias vta::NAME, and installs it with its headers. Adding a source file edits no list.
# PACKAGES: what a consumer of the installed static library must find to link it; MODULES: the same, of pkg-config.
# STANDARD: of C++, that its headers need. SHARED: a shared library that holds what it links to. A component with one of them is not
# among those that are found when none is named.
include(GNUInstallDirs)
set(VTA_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/vta)
set(VTA_HEADER_DIR ${CMAKE_INSTALL_INCLUDEDIR}/vta)  # so that #include "isa/..." is the same inside and outside

add_library(vta_flags INTERFACE)
target_compile_options(vta_flags INTERFACE -Wall -Wextra -Wno-missing-field-initializers
  # Clang looks into the system's own templates.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
if(VTA_SANITIZE)
  # What tests gives fuzzers no paths to find. Pointers are checked by AddressSanitizer alone, which takes two thirds of the
  # time to compile, but where all is asked for.
  define_property(TARGET PROPERTY VTA_TESTS INHERITED)
  target_compile_options(vta_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
    $<$<NOT:$<BOOL:$<TARGET_PROPERTY:VTA_TESTS>>>:-fsanitize=fuzzer-no-link>)
  if(NOT VTA_SANITIZE_ALL)
    target_compile_options(vta_flags INTERFACE -fno-sanitize=null,alignment,vptr,object-size)
  endif()
  target_link_options(vta_flags INTERFACE -fsanitize=fuzzer-no-link,address,undefined)
endif()

# vta_folders_as_files(TARGET): where CMAKE_UNITY_BUILD is on, each folder of the target's sources is compiled as one file,
# which takes less than half the time. So a name of an anonymous namespace means one thing in its folder. Files that mean
# the tensors and types of tensor expressions by bare names stand apart from those that mean the graph's.
function(vta_folders_as_files target)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    if(EXISTS ${source})  # what is generated is compiled by itself
      file(STRINGS ${source} taken LIMIT_COUNT 1 REGEX "^using (loop::DType|te::Tensor);")
      if(taken)
        string(APPEND folder _te)
      endif()
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()

function(vta_component name)
  cmake_parse_arguments(ARG "SHARED" "STANDARD" "FOLDERS;LINK;PUBLIC_LINK;PACKAGES;MODULES" ${ARGN})
  set(sources)
  foreach(folder IN LISTS ARG_FOLDERS)
    file(GLOB found CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cc ${CMAKE_SOURCE_DIR}/${folder}/*.h)
    list(APPEND sources ${found})
  endforeach()
  if(NOT sources)
    return()
  endif()
  set(kind STATIC)
  set(package_links "${ARG_PUBLIC_LINK};${ARG_LINK}")
  if(ARG_SHARED)
    set(kind SHARED)
    set(package_links "${ARG_PUBLIC_LINK}")
  endif()
  add_library(vta_${name} ${kind} ${sources})
  add_library(vta::${name} ALIAS vta_${name})
  set_target_properties(vta_${name} PROPERTIES EXPORT_NAME ${name} LINKER_LANGUAGE CXX)
  vta_folders_as_files(vta_${name})
  if(ARG_SHARED)
    target_compile_features(vta_${name} PRIVATE cxx_std_20)
    set_target_properties(vta_${name} PROPERTIES VERSION ${PROJECT_VERSION}
      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  elseif(ARG_STANDARD)
    target_compile_features(vta_${name} PUBLIC cxx_std_${ARG_STANDARD} PRIVATE cxx_std_20)
  else()
    target_compile_features(vta_${name} PUBLIC cxx_std_20)
    set_property(GLOBAL APPEND PROPERTY VTA_DEFAULT_COMPONENTS ${name})
  endif()
  target_include_directories(vta_${name} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}> $<INSTALL_INTERFACE:${VTA_HEADER_DIR}>)
  target_link_libraries(vta_${name} PUBLIC ${ARG_PUBLIC_LINK} PRIVATE ${ARG_LINK} $<BUILD_INTERFACE:vta_flags>)
  set_property(GLOBAL APPEND PROPERTY VTA_COMPONENTS ${name})
  vta_install_component(${name} "${ARG_FOLDERS}" "${package_links}" "${ARG_PACKAGES}" "${ARG_MODULES}")
endfunction()

# vta_ship(PATH...): files or folders of the sources are installed, under their names there, where ShippedPath finds them.
# A build folder has all of the sources in that place.
function(vta_ship)
  set_property(GLOBAL APPEND PROPERTY VTA_SHIPPED ${ARGN})
  foreach(path IN LISTS ARGN)
    cmake_path(GET path PARENT_PATH folder)
    if(IS_DIRECTORY ${CMAKE_SOURCE_DIR}/${path})
      install(DIRECTORY ${CMAKE_SOURCE_DIR}/${path} DESTINATION share/vta/${folder} PATTERN __pycache__ EXCLUDE)
    else()
      install(FILES ${CMAKE_SOURCE_DIR}/${path} DESTINATION share/vta/${folder})
    endif()
  endforeach()
endfunction()
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share)
file(RELATIVE_PATH sources ${CMAKE_BINARY_DIR}/share ${CMAKE_SOURCE_DIR})
file(CREATE_LINK ${sources} ${CMAKE_BINARY_DIR}/share/vta SYMBOLIC)

# One export set a component, so that a board's runtime is found without what the compiler needs.
function(vta_install_component name folders links packages modules)
  install(TARGETS vta_${name} EXPORT vta_${name} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT vta_${name} NAMESPACE vta:: FILE vta-${name}-targets.cmake DESTINATION ${VTA_CMAKE_DIR})
  foreach(folder IN LISTS folders)
    file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.h)
    install(FILES ${headers} DESTINATION ${VTA_HEADER_DIR}/${folder})
  endforeach()
  set(needs)
  foreach(package IN LISTS packages)
    string(APPEND needs "find_dependency(${package})\n")
  endforeach()
  foreach(module IN LISTS modules)
    string(APPEND needs "find_dependency(PkgConfig)\npkg_check_modules(${module} REQUIRED IMPORTED_TARGET ${module})\n")
  endforeach()
  foreach(link IN LISTS links)
    if(link MATCHES "^vta::(.+)$")
      string(APPEND needs "include(\${CMAKE_CURRENT_LIST_DIR}/vta-${CMAKE_MATCH_1}.cmake)\n")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/package/vta-${name}.cmake @ONLY CONTENT
"# The component ${name} of the installed package vta.
include_guard(DIRECTORY)
include(CMakeFindDependencyMacro)
@needs@include(\${CMAKE_CURRENT_LIST_DIR}/vta-${name}-targets.cmake)
")
  install(FILES ${CMAKE_BINARY_DIR}/package/vta-${name}.cmake DESTINATION ${VTA_CMAKE_DIR})
endfunction()

# Called once, after all components: makes find_package(vta [COMPONENTS ...]) work on what is installed.
function(vta_install_package)
  include(CMakePackageConfigHelpers)
  get_property(components GLOBAL PROPERTY VTA_COMPONENTS)
  get_property(default_components GLOBAL PROPERTY VTA_DEFAULT_COMPONENTS)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/vta-config.cmake.in ${CMAKE_BINARY_DIR}/package/vta-config.cmake @ONLY)
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/vta-config-version.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/package/vta-config.cmake ${CMAKE_BINARY_DIR}/package/vta-config-version.cmake
    DESTINATION ${VTA_CMAKE_DIR})
endfunction()
