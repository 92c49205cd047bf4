#include "messages.hpp"

#include <algorithm>
#include <cstring>

#include <trek_kernel/task_on_wire.hpp>
#include <trollius_os/message_tag.hpp>

namespace trek_kernel {

std::optional<TaskOnWire> task_on_wire(std::span<const std::byte> header) {
    SizeBytes bytes;
    const bool has_tag = header.size() == bytes.size() + sizeof(trollius_os::MessageTag);
    if (header.size() != bytes.size() && !has_tag) return std::nullopt;
    std::copy_n(header.begin(), bytes.size(), bytes.begin());
    const SizeMessage size = decode(bytes);
    if (!names_task(size.kind)) return std::nullopt;
    return TaskOnWire{size.kind == MessageKind::Result, size.task, size.subtask};
}

Bytes encode_counts(const Counts& counts, std::size_t nodes) {
    Bytes body(nodes * sizeof(std::uint32_t));
    for (const auto& [node, count] : counts) std::memcpy(body.data() + node * sizeof count, &count, sizeof count);
    return body;
}

bool are_counts(std::size_t body_bytes, std::size_t nodes) {
    return body_bytes == nodes * sizeof(std::uint32_t);
}

void add_counts(std::span<const std::byte> body, Counts& counts) {
    for (std::uint32_t node = 0; node < body.size() / sizeof(std::uint32_t); ++node) {
        std::uint32_t count = 0;
        std::memcpy(&count, body.data() + node * sizeof count, sizeof count);
        if (count != 0) counts[node] += count;
    }
}

}  // namespace trek_kernel
