// The profile of a run of machine code: cycles and executions by label and by address, the costliest first.
#pragma once

#include <optional>
#include <string>

#include <boot_runs/boot_run.hpp>
#include <t800_assembly/assembler.hpp>

namespace cli {

// `program`: of a source that was assembled. Nodes that got a part of its code elsewhere show its labels, too. JSON
// (magicwire.boot_profile/1) has all rows of each node, and the text sums up the nodes.
std::string boot_profile_text(const boot_runs::Result& result, const boot_runs::Plan& plan,
                              const std::optional<t800_assembly::Program>& program);
std::string boot_profile_json(const boot_runs::Result& result, const boot_runs::Plan& plan,
                              const std::optional<t800_assembly::Program>& program);

}  // namespace cli
