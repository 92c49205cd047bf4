#include "messages.hpp"

#include <algorithm>
#include <cstring>

#include <trek_kernel/task_on_wire.hpp>

namespace trek_kernel {

std::optional<TaskOnWire> task_on_wire(std::span<const std::byte> header) {
    SizeBytes bytes;
    if (header.size() != bytes.size()) return std::nullopt;
    std::copy(header.begin(), header.end(), bytes.begin());
    const SizeMessage size = decode(bytes);
    if (!names_task(size.kind)) return std::nullopt;
    return TaskOnWire{size.kind == MessageKind::Result, size.task, size.subtask};
}

Bytes encode_counts(std::span<const std::uint32_t> counts) {
    const auto bytes = std::as_bytes(counts);
    return {bytes.begin(), bytes.end()};
}

bool are_counts(std::size_t body_bytes, std::size_t nodes) {
    return body_bytes == nodes * sizeof(std::uint32_t);
}

void add_counts(std::span<const std::byte> body, std::span<std::uint32_t> counts) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
        std::uint32_t count = 0;
        std::memcpy(&count, body.data() + i * sizeof count, sizeof count);
        counts[i] += count;
    }
}

}  // namespace trek_kernel
