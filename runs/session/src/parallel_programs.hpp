// The parallel programs that a session runs, made from its scenario.
#pragma once

#include <memory>
#include <vector>

#include <flowback_unload/log_unloading.hpp>
#include <scenario/scenario.hpp>
#include <session/parallel_program.hpp>
#include <session/session.hpp>
#include <trek_kernel/application.hpp>
#include <trek_kernel/probe_point.hpp>
#include <trek_kernel/witness.hpp>
#include <trollius_hosted/multicomputer.hpp>

namespace session {

// Each throws vocabulary::RequestError when the tree does not fit the machine. `application` outlives the farm.
std::unique_ptr<ParallelProgram> make_farm(trollius_hosted::Multicomputer& box, const scenario::Scenario& scenario,
                                           trek_kernel::Application& application, std::vector<trek_kernel::Witness*> witnesses,
                                           std::vector<trek_kernel::ProbePoint*> probes);
// Without probe points: the kernel's probes record it.
// `flowback`: this version runs instead of the program, and keeps logs; `inbox` is the host's.
std::unique_ptr<ParallelProgram> make_mpi(trollius_hosted::Multicomputer& box, const scenario::Scenario& scenario,
                                          std::vector<trek_kernel::Witness*> witnesses, const FlowbackPlace& flowback,
                                          flowback_unload::LogInbox& inbox);
std::unique_ptr<ParallelProgram> make_halo(trollius_hosted::Multicomputer& box, const scenario::Scenario& scenario,
                                           std::vector<trek_kernel::Witness*> witnesses,
                                           std::vector<trek_kernel::ProbePoint*> probes);

}  // namespace session
