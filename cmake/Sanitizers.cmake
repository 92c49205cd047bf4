# MAGICWIRE_SANITIZE=address,undefined instruments every target. Boost.Context announces its stack switches to
# AddressSanitizer only when told to (BOOST_USE_ASAN) and built so; hw_model/src/fiber.cpp announces them itself.
if(MAGICWIRE_SANITIZE)
  add_compile_options(-fsanitize=${MAGICWIRE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${MAGICWIRE_SANITIZE})
  # g++ cannot hold its promises to inline at -Og, which compiles in a third of the time of -O2.
  add_compile_definitions(XXH_NO_INLINE_HINTS=1)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Its check of calls through pointers cannot be made for coroutines: "Cannot represent a difference across sections".
    add_compile_options(-fno-sanitize=function)
  endif()
endif()
# Coverage for libFuzzer, on every component; the engine itself is linked into the fuzz targets only.
if(MAGICWIRE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
