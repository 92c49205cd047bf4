# magicwire_cold(TARGET BATCH): compiles fast rather than to fast code. What is not done for each event of a run is built at -O1
# in Release, and BATCH sources at a time, which reads their headers once. Off, each source is compiled alone: clang-tidy needs
# that, and the dev preset finds what a source forgot to include.
option(MAGICWIRE_BATCHES "Compile cold sources several at a time" ON)
# Between sources of one batch these say nothing: a name of one hides that of another, an unnamed namespace is in no header.
add_library(magicwire_batch_warnings INTERFACE)
target_compile_options(magicwire_batch_warnings INTERFACE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)

function(magicwire_cold name batch)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(MAGICWIRE_BATCHES)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
    target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:magicwire_batch_warnings>)
  endif()
endfunction()
