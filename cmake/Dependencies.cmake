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
pkg_check_modules(sqlite3 REQUIRED IMPORTED_TARGET sqlite3)
pkg_check_modules(babeltrace2 IMPORTED_TARGET babeltrace2)  # for babeltrace_filter/ alone
pkg_check_modules(otf2 IMPORTED_TARGET otf2)                # for tmon/foreign alone
find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_writer.hpp REQUIRED)
add_library(Protozero::protozero INTERFACE IMPORTED)
set_target_properties(Protozero::protozero PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${PROTOZERO_INCLUDE_DIR})

if(MAGICWIRE_SIMULATION)
  pkg_check_modules(elf REQUIRED IMPORTED_TARGET libelf)
  pkg_check_modules(libedit REQUIRED IMPORTED_TARGET libedit)
  pkg_check_modules(dw REQUIRED IMPORTED_TARGET libdw)  # for runs/rank_debugger alone
  pkg_check_modules(ncurses REQUIRED IMPORTED_TARGET ncurses)
  find_package(Boost 1.74 REQUIRED COMPONENTS context)
  find_package(SystemC REQUIRED)
  pkg_check_modules(muparser REQUIRED IMPORTED_TARGET muparser)
  # Only the program magicwire-mpi uses it (magicwire study --engine mpi). Without it everything else is built.
  find_package(MPI COMPONENTS C)
endif()
