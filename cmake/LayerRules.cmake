# Which component may depend on which (docs/architecture.md). A row names only rows above it, so no cycle can be written.
# Component.cmake stops the configure step for anything else; scripts/layering checks the #include lines against the same table.
set(MAGICWIRE_LAYERS
  vocabulary text scratch coroutines trace_record flowback_log topologies installed_files user_programs farm_spec t800_core t800_assembly hw_model trollius_os trollius_commands host_files iserver
  flowback_prepare trollius_hosted flowback_unload trek_kernel halo_kernel trek_hosted farm_model farm_programs node_programs lam_mpi
  instrumentation ground_truth tmon_streams tmon_order tmon_clocks tmon_sorted tmon_foreign tmon_predicates tmon_models tmon_detrek tmon_stories tmon_pictures tmon_oracle tmon_export tmon_replay tmon_recovery tmon_flowback
  babeltrace_filter real_mpi forks rank_debugger mpi_runs boot_runs scenario session oracle prediction outcome twin schedule validation sweeps study_pictures comparison scoring isolation cli)

set(MAGICWIRE_MAY_vocabulary)
set(MAGICWIRE_MAY_text             vocabulary)
set(MAGICWIRE_MAY_scratch          vocabulary)
set(MAGICWIRE_MAY_coroutines       vocabulary)
set(MAGICWIRE_MAY_trace_record     vocabulary)
set(MAGICWIRE_MAY_flowback_log     vocabulary)
set(MAGICWIRE_MAY_flowback_prepare flowback_log)  # a program of its own, on LLVM
set(MAGICWIRE_MAY_topologies       vocabulary)
set(MAGICWIRE_MAY_installed_files  vocabulary)
set(MAGICWIRE_MAY_user_programs    vocabulary flowback_log topologies installed_files)
set(MAGICWIRE_MAY_farm_spec        vocabulary trace_record)
set(MAGICWIRE_MAY_t800_core        vocabulary)
set(MAGICWIRE_MAY_t800_assembly    vocabulary t800_core)
set(MAGICWIRE_MAY_hw_model         vocabulary coroutines topologies t800_core)
set(MAGICWIRE_MAY_trollius_os      vocabulary coroutines)
set(MAGICWIRE_MAY_trollius_commands vocabulary trollius_os)
set(MAGICWIRE_MAY_host_files      vocabulary trollius_os)
set(MAGICWIRE_MAY_iserver         vocabulary trollius_os)
set(MAGICWIRE_MAY_trollius_hosted  vocabulary text coroutines topologies hw_model trollius_os)
set(MAGICWIRE_MAY_flowback_unload  vocabulary flowback_log user_programs trollius_os)
set(MAGICWIRE_MAY_trek_kernel      vocabulary coroutines farm_spec trollius_os)
set(MAGICWIRE_MAY_halo_kernel      vocabulary coroutines farm_spec trollius_os trek_kernel)
set(MAGICWIRE_MAY_trek_hosted      vocabulary topologies farm_spec trollius_os trollius_hosted trek_kernel)
set(MAGICWIRE_MAY_farm_model       vocabulary topologies farm_spec trek_kernel)
set(MAGICWIRE_MAY_farm_programs    vocabulary flowback_log flowback_unload topologies installed_files user_programs farm_spec t800_core trollius_os trek_kernel)
set(MAGICWIRE_MAY_node_programs    vocabulary flowback_log flowback_unload topologies installed_files user_programs trollius_os)
# Its library is linked to programs, and calls trollius.h.
set(MAGICWIRE_MAY_lam_mpi        vocabulary trollius_os node_programs)
set(MAGICWIRE_MAY_instrumentation  vocabulary coroutines trace_record trollius_os trek_kernel)
set(MAGICWIRE_MAY_ground_truth     vocabulary scratch trace_record trollius_os trek_kernel)

# Stored traces and their analyses: no simulation. Only tmon_oracle reads the truth, and none of the others names it.
set(MAGICWIRE_MAY_tmon_streams     vocabulary text scratch trace_record farm_spec)
set(MAGICWIRE_MAY_tmon_order       vocabulary trace_record tmon_streams)
set(MAGICWIRE_MAY_tmon_clocks      vocabulary trace_record tmon_streams tmon_order)
set(MAGICWIRE_MAY_tmon_sorted     vocabulary text scratch trace_record tmon_streams tmon_order tmon_clocks)
set(MAGICWIRE_MAY_tmon_predicates vocabulary trace_record tmon_streams tmon_order)
set(MAGICWIRE_MAY_tmon_foreign    vocabulary text tmon_order tmon_sorted)
set(MAGICWIRE_MAY_tmon_models      vocabulary trace_record topologies farm_spec tmon_streams)
set(MAGICWIRE_MAY_tmon_detrek      vocabulary trace_record farm_spec tmon_streams tmon_order tmon_models)
set(MAGICWIRE_MAY_tmon_stories     vocabulary trace_record farm_spec tmon_streams tmon_detrek)
set(MAGICWIRE_MAY_tmon_pictures    vocabulary text)
set(MAGICWIRE_MAY_tmon_oracle      vocabulary text trace_record tmon_streams tmon_order tmon_clocks tmon_pictures)
set(MAGICWIRE_MAY_tmon_export      vocabulary text trace_record tmon_streams tmon_order tmon_clocks)
set(MAGICWIRE_MAY_tmon_replay      vocabulary text)
set(MAGICWIRE_MAY_tmon_recovery    vocabulary text tmon_replay)
set(MAGICWIRE_MAY_tmon_flowback    vocabulary text flowback_log)
# Real runs, outside the machine.
set(MAGICWIRE_MAY_real_mpi        vocabulary text trace_record tmon_replay)
set(MAGICWIRE_MAY_babeltrace_filter vocabulary tmon_order)

# A whole run.
set(MAGICWIRE_MAY_forks            vocabulary)
set(MAGICWIRE_MAY_rank_debugger    vocabulary user_programs)
set(MAGICWIRE_MAY_mpi_runs         vocabulary coroutines flowback_unload forks topologies hw_model trollius_os trollius_hosted lam_mpi user_programs node_programs tmon_replay tmon_recovery)
set(MAGICWIRE_MAY_boot_runs        vocabulary trace_record topologies t800_core hw_model trollius_os iserver)
set(MAGICWIRE_MAY_scenario         vocabulary text trace_record topologies user_programs farm_spec t800_core t800_assembly trek_kernel halo_kernel farm_programs lam_mpi
                                   instrumentation tmon_streams)
set(MAGICWIRE_MAY_session          vocabulary text trace_record topologies installed_files user_programs farm_spec t800_core hw_model trollius_os trollius_hosted
                                   trek_kernel halo_kernel trek_hosted farm_programs flowback_unload node_programs lam_mpi instrumentation tmon_streams
                                   forks mpi_runs scenario)
set(MAGICWIRE_MAY_oracle           vocabulary text scratch trace_record topologies farm_spec trek_kernel halo_kernel farm_model ground_truth
                                   tmon_streams tmon_detrek scenario session)
set(MAGICWIRE_MAY_prediction       vocabulary trace_record topologies user_programs farm_spec hw_model trek_kernel farm_model farm_programs ground_truth
                                   forks scenario session oracle)
set(MAGICWIRE_MAY_outcome          vocabulary text trace_record topologies user_programs farm_spec trollius_os trek_kernel farm_model
                                   farm_programs instrumentation ground_truth tmon_streams tmon_detrek forks mpi_runs scenario session oracle prediction)
set(MAGICWIRE_MAY_twin             vocabulary text trace_record topologies farm_spec hw_model trollius_os trollius_hosted
                                   trek_kernel instrumentation flowback_unload tmon_pictures forks scenario session oracle)
set(MAGICWIRE_MAY_schedule         vocabulary trace_record farm_spec hw_model trollius_os trollius_hosted trek_kernel
                                   instrumentation tmon_streams tmon_detrek forks scenario session prediction twin)
set(MAGICWIRE_MAY_validation       vocabulary topologies t800_core t800_assembly hw_model trollius_os trollius_hosted iserver forks boot_runs)
set(MAGICWIRE_MAY_sweeps           vocabulary text topologies forks scenario)
set(MAGICWIRE_MAY_study_pictures   vocabulary text topologies tmon_pictures scenario sweeps)
set(MAGICWIRE_MAY_comparison       vocabulary scenario sweeps)
set(MAGICWIRE_MAY_scoring          vocabulary tmon_pictures sweeps)
set(MAGICWIRE_MAY_isolation        vocabulary trace_record farm_spec trek_kernel user_programs farm_programs tmon_streams tmon_detrek tmon_stories)
set(MAGICWIRE_MAY_cli              ${MAGICWIRE_LAYERS})
list(REMOVE_ITEM MAGICWIRE_MAY_cli cli)

# The only components whose sources may include SystemC or TLM headers.
set(MAGICWIRE_MAY_SYSTEMC hw_model trollius_hosted trek_hosted session prediction twin schedule validation mpi_runs boot_runs)
# The truth of a run is what only the simulator knows. The first list shows it; only components of the second may name one of
# the first. No verdict is made in either.
set(MAGICWIRE_SHOWS_TRUTH ground_truth tmon_oracle oracle)
set(MAGICWIRE_SEES_TRUTH ground_truth tmon_oracle oracle prediction outcome twin cli)
