// The form of files events.mwr (docs/formats/mwr.md). Numbers are little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <tmon_recovery/run_record.hpp>

namespace tmon_recovery {

inline constexpr std::uint32_t record_magic = 0x3152574d;  // "MWR1"
enum : std::uint32_t {
    block_manifest = 1,
    block_processes,
    block_lines,
    block_looks,
    block_clocks,
    block_checks,
    block_messages,
    block_end
};
inline constexpr std::size_t messages_of_a_block = 4096;

static_assert(sizeof(ProcessSpan) == 32 && sizeof(FailedLooks) == 12 && sizeof(ClockRead) == 16);
static_assert(std::is_trivially_copyable_v<Message> && std::is_trivially_copyable_v<ProcessSpan>);

}  // namespace tmon_recovery
