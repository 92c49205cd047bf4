// What a message of the farm carries, for those who see it on a link: the oracle names the task that a fault hit.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include <trek_kernel/application.hpp>

namespace trek_kernel {

// Of the header of a circuit message (hw_model::Channel::Circuit), as its sender wrote it; empty when it carries neither a task
// nor a result.
std::optional<TaskIdentity> carried_task(std::span<const std::byte> header);

}  // namespace trek_kernel
