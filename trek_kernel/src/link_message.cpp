#include <trek_kernel/link_message.hpp>

#include <cstring>

#include "trek_node_parts.hpp"

namespace trek_kernel {

std::optional<TaskIdentity> TrekNode::carried_task(std::span<const std::byte> header) {
    SizeMessage size;
    if (header.size() < sizeof size) return std::nullopt;
    std::memcpy(&size, header.data(), sizeof size);
    if (size.kind != Kind::Task && size.kind != Kind::Result) return std::nullopt;
    return TaskIdentity{size.task, size.subtask};
}

std::optional<TaskIdentity> carried_task(std::span<const std::byte> header) {
    return TrekNode::carried_task(header);
}

}  // namespace trek_kernel
