# cmake --install: the program, the libraries with their headers as the CMake package Magicwire (docs/guide/api.md), and what the program
# reads. Everything is found from where it lies, so that the folder may be moved.
#
#   bin/magicwire
#   include/magicwire/        public headers; a folder of its own, since their names are common words
#   lib/magicwire/            static libraries, likewise; programs/ with the programs that scenarios name
#   lib/cmake/Magicwire/      find_package(Magicwire)
#   share/magicwire/          examples, machine files, cost tables, schemas, support code of farm programs
#   share/doc/magicwire/
include(CMakePackageConfigHelpers)

set(MAGICWIRE_INSTALL_HEADERS include/magicwire)
set(MAGICWIRE_INSTALL_LIBRARIES lib/magicwire)
set(MAGICWIRE_INSTALL_PACKAGE lib/cmake/Magicwire)
set(MAGICWIRE_INSTALL_DATA share/magicwire)

# Of every component (Component.cmake).
function(magicwire_install_component name)
  install(TARGETS ${name} EXPORT MagicwireTargets ARCHIVE DESTINATION ${MAGICWIRE_INSTALL_LIBRARIES}
          FILE_SET HEADERS DESTINATION ${MAGICWIRE_INSTALL_HEADERS})
endfunction()

# A farm program that scenarios name (session::find_program), with its table of costs.
function(magicwire_install_program name)
  install(TARGETS ${name} LIBRARY DESTINATION lib/magicwire/programs)
  install(FILES $<TARGET_FILE_DIR:${name}>/${name}.blocks DESTINATION lib/magicwire/programs)
endfunction()

function(magicwire_install_package)
  install(EXPORT MagicwireTargets NAMESPACE Magicwire:: DESTINATION ${MAGICWIRE_INSTALL_PACKAGE})
  set(MAGICWIRE_PACKAGE_OTF2)
  if(otf2_FOUND)
    set(MAGICWIRE_PACKAGE_OTF2 otf2)
  endif()
  set(MAGICWIRE_PACKAGE_ELF)
  if(MAGICWIRE_SIMULATION)
    set(MAGICWIRE_PACKAGE_ELF libelf libdw)
  endif()
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/MagicwireConfig.cmake.in ${PROJECT_BINARY_DIR}/MagicwireConfig.cmake
                                INSTALL_DESTINATION ${MAGICWIRE_INSTALL_PACKAGE})
  # Before 1.0 a minor version may change what users compile against.
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/MagicwireConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/MagicwireConfig.cmake ${PROJECT_BINARY_DIR}/MagicwireConfigVersion.cmake
                ${PROJECT_SOURCE_DIR}/cmake/FindSystemC.cmake DESTINATION ${MAGICWIRE_INSTALL_PACKAGE})
  # Scenarios name their machines by ../../topologies/machines, so the folders keep their places.
  install(DIRECTORY topologies/machines topologies/costs DESTINATION ${MAGICWIRE_INSTALL_DATA}/topologies)
  install(DIRECTORY examples DESTINATION ${MAGICWIRE_INSTALL_DATA} PATTERN build EXCLUDE PATTERN out EXCLUDE)
  install(DIRECTORY schemas DESTINATION ${MAGICWIRE_INSTALL_DATA})
  install(DIRECTORY docs/ DESTINATION share/doc/magicwire/docs)
  install(FILES README.md CHANGELOG.md LICENSE DESTINATION share/doc/magicwire)
endfunction()
