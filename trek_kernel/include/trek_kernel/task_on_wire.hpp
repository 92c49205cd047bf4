// TaskOnWire: the task or result in a circuit's message, decoded from its header by an observer outside the machine. The
// header may have a MessageTag behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace trek_kernel {

struct TaskOnWire {
    bool result = false;  // else a task
    std::uint32_t task = 0, subtask = 0;
};

// Empty when the message is neither a task nor a result.
std::optional<TaskOnWire> task_on_wire(std::span<const std::byte> header);

}  // namespace trek_kernel
