# One interface target carries the warning set; every component links it privately.
add_library(magicwire_warnings INTERFACE)
target_compile_options(magicwire_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wcast-align -Wunused -Woverloaded-virtual
  -Wnull-dereference -Wformat=2 -Wimplicit-fallthrough)
if(MAGICWIRE_WERROR)
  target_compile_options(magicwire_warnings INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports null dereferences and overlapping copies inside its own string header at -O3; clang keeps the checks.
  target_compile_options(magicwire_warnings INTERFACE -Wno-null-dereference -Wno-restrict)
endif()
