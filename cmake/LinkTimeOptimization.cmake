# The simulator's hot path runs through five components (kernel call, port, fiber, processor, timeline). Optimised as one at link time it is
# about 15 % faster (scripts/bench, F1 and F3). Only g++ in Release: the objects carry both kinds of code, so that tests link fast
# without, and the programs that are measured or used link with it.
option(MAGICWIRE_LTO "Link-time optimisation of the simulator's hot path (g++, Release)" ON)
set(MAGICWIRE_LTO_USED OFF)
if(MAGICWIRE_LTO AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT MAGICWIRE_SANITIZE)
  set(MAGICWIRE_LTO_USED ON)
endif()

function(magicwire_lto_component name)
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)  # in batches F1 takes 2 % longer
  if(MAGICWIRE_LTO_USED)
    # The hot code is larger than the instruction cache of the first level (32 KB): padding before loops and jumps costs F1
    # 25 % more misses there.
    target_compile_options(${name} PRIVATE -flto=auto -ffat-lto-objects -fno-align-loops -fno-align-jumps)
    target_link_options(${name} INTERFACE $<IF:$<BOOL:$<TARGET_PROPERTY:MAGICWIRE_LTO_LINK>>,-flto=auto,-fno-lto>)
  endif()
endfunction()

function(magicwire_lto_program name)
  set_target_properties(${name} PROPERTIES MAGICWIRE_LTO_LINK ON)
endfunction()
