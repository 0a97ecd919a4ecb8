# What CPack makes of an installation: a Debian package and an archive. The preset `release` of builds and tests is not made for it;
# the preset `package` is, in which nothing names the folder that it was built in.
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME vta)
set(CPACK_PACKAGE_CONTACT "The vta maintainers <maintainers@vta.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "Compiles int8 and float networks of ONNX and TensorFlow Lite for VTA, a tensor accelerator, and for CPUs;
runs them bit-exactly and counts the cycles of the accelerator's hardware. With the accelerator in SystemVerilog, the runtime's libraries
for C and C++, and projects for boards.")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# What models of the hardware are built with, --engine rtl; and what other commands say they want.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "verilator, make, g++")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "yosys, nats-server, nlohmann-json3-dev, libonnx-dev, libprotobuf-dev, libsystemc-dev, libyaml-cpp-dev")
string(TOLOWER "${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" system)
set(CPACK_PACKAGE_FILE_NAME vta-${PROJECT_VERSION}-${system})

set(doc ${CMAKE_INSTALL_DATADIR}/doc/vta)
install(FILES ${CMAKE_SOURCE_DIR}/tools/release/copyright ${CMAKE_SOURCE_DIR}/CHANGELOG.md DESTINATION ${doc})
# The pages lie where their links to each other and to the sources lead.
install(CODE "file(CREATE_LINK ../../vta/docs \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${doc}/pages\" SYMBOLIC)")
include(CPack)
