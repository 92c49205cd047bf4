# Every library is a Debian 12 package; scripts/setup installs them. Nothing is downloaded.
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)

if(MAGICWIRE_SIMULATION)
  find_package(Boost 1.74 REQUIRED COMPONENTS context)
  find_path(SYSTEMC_INCLUDE_DIR systemc REQUIRED)
  find_library(SYSTEMC_LIBRARY systemc REQUIRED)
  # Debian built the library as C++17. The version check of SystemC compares the language of its user with that of the library;
  # telling it 201703L keeps the check and lets us compile as C++20.
  set(SYSTEMC_CPLUSPLUS 201703L CACHE STRING "__cplusplus the SystemC library was built with")
  add_library(SystemC::systemc UNKNOWN IMPORTED)
  set_target_properties(SystemC::systemc PROPERTIES
    IMPORTED_LOCATION ${SYSTEMC_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${SYSTEMC_INCLUDE_DIR}
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${SYSTEMC_INCLUDE_DIR}
    INTERFACE_COMPILE_DEFINITIONS "SC_CPLUSPLUS=${SYSTEMC_CPLUSPLUS};SC_ALLOW_DEPRECATED_IEEE_API=0")
endif()
