# magicwire_program(NAME SOURCES ... [DEFINITIONS ...] [FOLDER folder])            a farm program (trek_kernel/trek.h)
# magicwire_trollius_program(NAME SOURCES ... [DEFINITIONS ...] [FOLDER folder])   a program with a main() (node_programs/trollius.h)
#
# A program in C or C++ as a loadable module FOLDER/NAME.so with the table of its blocks' costs beside it, built as `magicwire farm
# build` and `magicwire cc` do: the same options, the same support code. The options of each step stand in user_programs/support/*.txt;
# the user's code is optimised little, since the estimate of its cost is calibrated for that, and counts its basic blocks.
set(MAGICWIRE_SUPPORT ${PROJECT_SOURCE_DIR}/user_programs/support)
set(MAGICWIRE_PROGRAM_INCLUDES ${PROJECT_SOURCE_DIR}/trek_kernel/include ${PROJECT_SOURCE_DIR}/node_programs/include
                               ${PROJECT_SOURCE_DIR}/topologies/vocabulary/include)
file(STRINGS ${MAGICWIRE_SUPPORT}/compile_options.txt MAGICWIRE_PROGRAM_OPTIONS)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # The tool builds programs with GCC whatever compiled the tool itself: the calibration of costs and the messages of the fences are GCC's.
  find_program(MAGICWIRE_GCC gcc REQUIRED)
  find_program(MAGICWIRE_GXX g++ REQUIRED)
endif()
file(STRINGS ${MAGICWIRE_SUPPORT}/support_options.txt MAGICWIRE_SUPPORT_OPTIONS)
file(STRINGS ${MAGICWIRE_SUPPORT}/link_options.txt MAGICWIRE_PROGRAM_LINK_OPTIONS)

function(magicwire_user_code target)
  target_include_directories(${target} PRIVATE ${MAGICWIRE_PROGRAM_INCLUDES})
  set_target_properties(${target} PROPERTIES C_STANDARD 11 C_EXTENSIONS ON INTERPROCEDURAL_OPTIMIZATION OFF)
  if(MAGICWIRE_GXX)
    set_target_properties(${target} PROPERTIES C_COMPILER_LAUNCHER "sh;${PROJECT_SOURCE_DIR}/cmake/with_compiler.sh;${MAGICWIRE_GCC}"
                                               CXX_COMPILER_LAUNCHER "sh;${PROJECT_SOURCE_DIR}/cmake/with_compiler.sh;${MAGICWIRE_GXX}")
  endif()
  if(MAGICWIRE_SANITIZE)
    # Its globals are copied as a whole, and its memory is the node's: a sanitizer's bookkeeping must be in neither.
    target_compile_options(${target} PRIVATE -fno-sanitize=all)
  endif()
endfunction()

# The support code, compiled once for all programs of a kind and language. Without lines of its own, whatever the build type: a
# diagnosis names the user's line.
function(magicwire_support_code target sources)
  if(TARGET ${target})
    return()
  endif()
  add_library(${target} OBJECT ${sources})
  magicwire_user_code(${target})
  target_include_directories(${target} PRIVATE ${MAGICWIRE_SUPPORT})
  target_compile_options(${target} PRIVATE ${MAGICWIRE_SUPPORT_OPTIONS} -g0)
endfunction()

# The same as one object, which `magicwire farm build`, `cc` and `mpicc` link to each program: compiling it takes longer than the
# user's own sources. TARGET makes support/FILE in the build tree; it is installed beside the sources.
function(magicwire_support_object target file sources)
  magicwire_support_code(magicwire_${target}_support "${sources}")
  set(object ${PROJECT_BINARY_DIR}/support/${file})
  get_filename_component(folder ${file} DIRECTORY)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/support/${folder})
  add_custom_command(OUTPUT ${object} COMMAND ${CMAKE_LINKER} -r -o ${object} $<TARGET_OBJECTS:magicwire_${target}_support>
    DEPENDS magicwire_${target}_support $<TARGET_OBJECTS:magicwire_${target}_support> COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(magicwire_${target}_object DEPENDS ${object})
  add_dependencies(magicwire_support_objects magicwire_${target}_object)
  install(FILES ${object} DESTINATION ${MAGICWIRE_INSTALL_DATA}/support/${folder})
endfunction()

function(magicwire_support_objects)
  add_custom_target(magicwire_support_objects ALL)
  file(GLOB common CONFIGURE_DEPENDS ${MAGICWIRE_SUPPORT}/*.c)
  file(GLOB trek CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/farm_programs/support/*.c)
  file(GLOB trollius CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/node_programs/support/*.c)
  # Of two weak functions the linker takes the first, so the kind's own files come first.
  magicwire_support_object(trek trek/support.o "${trek};${common}")
  magicwire_support_object(trollius trollius/support.o "${trollius};${common}")
  magicwire_support_object(cplusplus common/cplusplus.o ${MAGICWIRE_SUPPORT}/cplusplus.cpp)
endfunction()

# OWN: folder with the support code of the kind of program, and its program.map.
function(magicwire_module name)
  cmake_parse_arguments(ARG "" "FOLDER;OWN;KIND" "SOURCES;DEFINITIONS" ${ARGN})
  if(NOT ARG_FOLDER)
    set(ARG_FOLDER ${CMAKE_BINARY_DIR}/examples/programs)
  endif()
  file(GLOB own CONFIGURE_DEPENDS ${ARG_OWN}/*.c)
  file(GLOB common CONFIGURE_DEPENDS ${MAGICWIRE_SUPPORT}/*.c)
  magicwire_support_code(magicwire_${ARG_KIND}_support "${own};${common}")
  set(objects $<TARGET_OBJECTS:magicwire_${ARG_KIND}_support>)
  if("${ARG_SOURCES}" MATCHES "\\.(cpp|cc|cxx)")
    magicwire_support_code(magicwire_cplusplus_support ${MAGICWIRE_SUPPORT}/cplusplus.cpp)
    list(APPEND objects $<TARGET_OBJECTS:magicwire_cplusplus_support>)
  endif()
  add_library(${name} MODULE ${ARG_SOURCES} ${objects})
  magicwire_user_code(${name})
  target_compile_options(${name} PRIVATE ${MAGICWIRE_PROGRAM_OPTIONS})
  target_compile_definitions(${name} PRIVATE ${ARG_DEFINITIONS})
  target_link_options(${name} PRIVATE ${MAGICWIRE_PROGRAM_LINK_OPTIONS} -Wl,--version-script=${ARG_OWN}/program.map
                                      $<$<LINK_LANGUAGE:CXX>:-static-libstdc++> -static-libgcc)
  target_link_libraries(${name} PRIVATE m)
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX .so LIBRARY_OUTPUT_DIRECTORY ${ARG_FOLDER} LINK_DEPENDS "${ARG_OWN}/program.map")
  add_custom_command(TARGET ${name} POST_BUILD COMMAND magicwire_block_costs $<TARGET_FILE:${name}> VERBATIM)
endfunction()

function(magicwire_program name)
  magicwire_module(${name} KIND trek OWN ${PROJECT_SOURCE_DIR}/farm_programs/support ${ARGN})
endfunction()

function(magicwire_trollius_program name)
  magicwire_module(${name} KIND trollius OWN ${PROJECT_SOURCE_DIR}/node_programs/support ${ARGN})
endfunction()
