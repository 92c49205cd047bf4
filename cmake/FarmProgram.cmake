# magicwire_program(NAME SOURCES ... [DEFINITIONS ...] [FOLDER folder])
#
# A farm program in C or C++ as a loadable module FOLDER/NAME.so with the table of its blocks' costs beside it, built as `magicwire farm
# build` does: the same options, the same support code. The options of each step stand in farm_programs/support/*.txt; the user's code is
# optimised little, since the estimate of its cost is calibrated for that, and counts its basic blocks.
set(MAGICWIRE_SUPPORT ${PROJECT_SOURCE_DIR}/farm_programs/support)
file(STRINGS ${MAGICWIRE_SUPPORT}/compile_options.txt MAGICWIRE_PROGRAM_OPTIONS)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # The tool builds programs with GCC whatever compiled the tool itself: the calibration of costs and the messages of the fences are GCC's.
  find_program(MAGICWIRE_GCC gcc REQUIRED)
  find_program(MAGICWIRE_GXX g++ REQUIRED)
endif()
file(STRINGS ${MAGICWIRE_SUPPORT}/support_options.txt MAGICWIRE_SUPPORT_OPTIONS)
file(STRINGS ${MAGICWIRE_SUPPORT}/link_options.txt MAGICWIRE_PROGRAM_LINK_OPTIONS)

function(magicwire_program name)
  cmake_parse_arguments(ARG "" "FOLDER" "SOURCES;DEFINITIONS" ${ARGN})
  if(NOT ARG_FOLDER)
    set(ARG_FOLDER ${CMAKE_BINARY_DIR}/examples/programs)
  endif()
  set(support checked.c host.c memory.c process.c text.c trek_calls.c)
  if("${ARG_SOURCES}" MATCHES "\\.(cpp|cc|cxx)")
    list(APPEND support cplusplus.cpp)
  endif()
  list(TRANSFORM support PREPEND ${MAGICWIRE_SUPPORT}/)
  add_library(${name}_support OBJECT ${support})
  add_library(${name} MODULE ${ARG_SOURCES} $<TARGET_OBJECTS:${name}_support>)
  foreach(target ${name} ${name}_support)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/trek_kernel/include)
    set_target_properties(${target} PROPERTIES C_STANDARD 11 C_EXTENSIONS ON INTERPROCEDURAL_OPTIMIZATION OFF)
    if(MAGICWIRE_GXX)
      set_target_properties(${target} PROPERTIES C_COMPILER_LAUNCHER "sh;${PROJECT_SOURCE_DIR}/cmake/with_compiler.sh;${MAGICWIRE_GCC}"
                                                 CXX_COMPILER_LAUNCHER "sh;${PROJECT_SOURCE_DIR}/cmake/with_compiler.sh;${MAGICWIRE_GXX}")
    endif()
    if(MAGICWIRE_SANITIZE)
      # Its globals are copied as a whole, and its memory is the node's: a sanitizer's bookkeeping must be in neither.
      target_compile_options(${target} PRIVATE -fno-sanitize=all)
    endif()
  endforeach()
  # Without lines of its own, whatever the build type: a diagnosis names the user's line.
  target_compile_options(${name}_support PRIVATE ${MAGICWIRE_SUPPORT_OPTIONS} -g0)
  target_compile_options(${name} PRIVATE ${MAGICWIRE_PROGRAM_OPTIONS})
  target_compile_definitions(${name} PRIVATE ${ARG_DEFINITIONS})
  target_link_options(${name} PRIVATE ${MAGICWIRE_PROGRAM_LINK_OPTIONS} -Wl,--version-script=${MAGICWIRE_SUPPORT}/program.map
                                      $<$<LINK_LANGUAGE:CXX>:-static-libstdc++> -static-libgcc)
  target_link_libraries(${name} PRIVATE m)
  set_target_properties(${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${ARG_FOLDER} LINK_DEPENDS "${MAGICWIRE_SUPPORT}/program.map")
  add_custom_command(TARGET ${name} POST_BUILD COMMAND magicwire_block_costs $<TARGET_FILE:${name}> VERBATIM)
endfunction()
