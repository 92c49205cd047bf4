# SystemC with TLM-2.0 as the target SystemC::systemc. Its Debian package brings no CMake package. Installed with Magicwire, too,
# since whoever links the modelled machine links SystemC.
find_path(SYSTEMC_INCLUDE_DIR systemc)
find_library(SYSTEMC_LIBRARY systemc)
# Debian built the library as C++17. The version check of SystemC compares the language of its user with that of the library;
# telling it 201703L keeps the check and lets us compile as C++20.
set(SYSTEMC_CPLUSPLUS 201703L CACHE STRING "__cplusplus the SystemC library was built with")
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SystemC REQUIRED_VARS SYSTEMC_LIBRARY SYSTEMC_INCLUDE_DIR)
if(SystemC_FOUND AND NOT TARGET SystemC::systemc)
  add_library(SystemC::systemc UNKNOWN IMPORTED)
  set_target_properties(SystemC::systemc PROPERTIES
    IMPORTED_LOCATION ${SYSTEMC_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${SYSTEMC_INCLUDE_DIR}
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${SYSTEMC_INCLUDE_DIR}
    INTERFACE_COMPILE_DEFINITIONS "SC_CPLUSPLUS=${SYSTEMC_CPLUSPLUS};SC_ALLOW_DEPRECATED_IEEE_API=0")
endif()
mark_as_advanced(SYSTEMC_INCLUDE_DIR SYSTEMC_LIBRARY)
