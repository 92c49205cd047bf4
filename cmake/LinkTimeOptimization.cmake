# The simulator's hot path runs through five components (kernel call, port, fiber, processor, timeline). Optimised as one at link time it is
# about 15 % faster (scripts/bench, F1 and F3). Only g++ in Release: the objects carry both kinds of code, so that tests link fast
# without, and the programs that are measured or used link with it.
option(MAGICWIRE_LTO "Link-time optimisation of the simulator's hot path (g++, Release)" ON)
set(MAGICWIRE_LTO_USED OFF)
if(MAGICWIRE_LTO AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT MAGICWIRE_SANITIZE)
  set(MAGICWIRE_LTO_USED ON)
endif()

function(magicwire_lto_component name)
  if(MAGICWIRE_LTO_USED)
    target_compile_options(${name} PRIVATE -flto=auto -ffat-lto-objects)
    target_link_options(${name} INTERFACE $<IF:$<BOOL:$<TARGET_PROPERTY:MAGICWIRE_LTO_LINK>>,-flto=auto,-fno-lto>)
  endif()
endfunction()

function(magicwire_lto_program name)
  set_target_properties(${name} PROPERTIES MAGICWIRE_LTO_LINK ON)
endfunction()
