# magicwire_batches(TARGET BATCH): BATCH sources are compiled at a time, which reads their headers once. With
# MAGICWIRE_BATCHES off each source is compiled alone. The dev preset finds a missing include so.
# magicwire_cold(TARGET BATCH): the same at -Og in Release, for code that is not run for each event. It compiles in two thirds
# of the time that -O1 takes, and no more than -O0 takes.
option(MAGICWIRE_BATCHES "Compile sources several at a time" ON)
# Within a batch, a name of one source hides that of another, and unnamed namespaces seem to lie in headers.
add_library(magicwire_batch_warnings INTERFACE)
# g++ collects garbage from 128 MB on, and a batch has several times that of live trees: a tenth of its time.
target_compile_options(magicwire_batch_warnings INTERFACE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>
                       $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>)

function(magicwire_batches name batch)
  if(MAGICWIRE_BATCHES)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
    target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:magicwire_batch_warnings>)
  endif()
endfunction()

function(magicwire_cold name batch)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-Og>)
  magicwire_batches(${name} ${batch})
endfunction()
