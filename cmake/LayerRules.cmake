# Which component may depend on which (docs/architecture.md). A row names only rows above it, so no cycle can be written.
# Component.cmake stops the configure step for anything else; scripts/layering checks the #include lines against the same table.
set(MAGICWIRE_LAYERS
  vocabulary topologies hw_model trollius_os trollius_hosted trek_kernel farm_model farm_programs trace_record instrumentation tmon
  tmon_export tmon_session tmon_cli)

set(MAGICWIRE_MAY_vocabulary)
set(MAGICWIRE_MAY_topologies       vocabulary)
set(MAGICWIRE_MAY_hw_model         vocabulary topologies)
set(MAGICWIRE_MAY_trollius_os      vocabulary)
set(MAGICWIRE_MAY_trollius_hosted  vocabulary trollius_os hw_model)
set(MAGICWIRE_MAY_trek_kernel      vocabulary trollius_os)
set(MAGICWIRE_MAY_farm_model       vocabulary topologies trek_kernel)
set(MAGICWIRE_MAY_farm_programs    vocabulary topologies trollius_os trek_kernel)
set(MAGICWIRE_MAY_trace_record     vocabulary)
set(MAGICWIRE_MAY_instrumentation  vocabulary trace_record trollius_os trek_kernel)
set(MAGICWIRE_MAY_tmon             vocabulary trace_record topologies)
set(MAGICWIRE_MAY_tmon_export      vocabulary trace_record tmon)
set(MAGICWIRE_MAY_tmon_session     vocabulary topologies hw_model trollius_os trollius_hosted trek_kernel farm_model
                                   farm_programs trace_record instrumentation tmon)
set(MAGICWIRE_MAY_tmon_cli         vocabulary topologies hw_model trollius_os trollius_hosted trek_kernel farm_model
                                   farm_programs trace_record instrumentation tmon tmon_export tmon_session)

# The only components whose sources may include SystemC or TLM headers.
set(MAGICWIRE_MAY_SYSTEMC hw_model trollius_hosted tmon_session)
