// The bytes of a trace file, shared by its writer and its reader. Little endian; everything starts at a multiple of eight
// bytes, so the events of a raw block can be used in place.
#pragma once

#include <xxhash.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <trace_record/event.hpp>
#include <trace_record/loss_range.hpp>
#include <trace_record/trace_file.hpp>

namespace trace_record::format {

static_assert(std::endian::native == std::endian::little, "docs/formats/trace_file.md");

inline constexpr std::array<char, 8> file_magic = {'M', 'W', 'T', 'R', 'A', 'C', 'E', '\n'};
inline constexpr std::uint32_t file_version = 3;
inline constexpr std::uint32_t oldest_version =
    1;  // version of file and record: without `detail` of events and the payload of losses
inline constexpr std::uint32_t block_magic = 0x4B42574D;  // "MWBK"
inline constexpr std::uint32_t most_events_in_block = 1u << 26;
inline constexpr std::uint64_t most_shrunk = 1u << 15;  // best ratio of zstd: 4 bytes stand for at most 128 KiB
inline constexpr std::uint64_t most_closing_bytes = 1u << 26;

struct FileHeader {
    std::array<char, 8> magic = file_magic;
    std::uint32_t version = file_version;
    std::uint32_t event_version = 0;
    std::uint64_t manifest_bytes = 0;
    std::uint64_t manifest_hash = 0;
};
static_assert(sizeof(FileHeader) == 32);

enum class BlockKind : std::uint8_t { Events = 1, Loss = 2, StreamEnd = 3, FileEnd = 4, Closing = 5 };

inline constexpr std::uint8_t flag_zstd = 1;

struct BlockHeader {
    std::uint32_t magic = block_magic;
    BlockKind kind = BlockKind::Events;
    std::uint8_t flags = 0;
    std::uint16_t node = 0;
    std::uint32_t first_seq = 0;     // Loss: first lost; StreamEnd: total records
    std::uint32_t count = 0;         // Events: records; Loss: lost records
    std::uint64_t detail = 0;        // Events: when they were unloaded; Loss: cause, and classes from bit 32 on
    std::uint64_t raw_bytes = 0;     // payload before compression
    std::uint64_t stored_bytes = 0;  // payload in the file, without padding
    std::uint64_t checksum = 0;      // must be last: covers the header before it and the stored payload
};
static_assert(sizeof(BlockHeader) == 48);

// The payload of a loss.
struct LossTimes {
    std::uint64_t from_us = 0, until_us = 0;
};
static_assert(sizeof(LossTimes) == 16);

inline constexpr std::size_t padded(std::size_t bytes) {
    return (bytes + 7) & ~std::size_t{7};
}

inline std::uint64_t checksum(const BlockHeader& header, const void* payload) {
    const std::uint64_t of_header = XXH64(&header, offsetof(BlockHeader, checksum), 0);
    return XXH64(payload, header.stored_bytes, of_header);
}

// The last block of every file that was closed.
inline BlockHeader end_mark() {
    BlockHeader header;
    header.kind = BlockKind::FileEnd;
    header.checksum = checksum(header, "");
    return header;
}

// Throws vocabulary::InputError about the file.
[[noreturn]] void fail(const std::string& path, const std::string& message);

// Parts of the reader. They throw vocabulary::InputError for a file that is no trace of a known version.
[[noreturn]] void fail_to_open(const std::string& path, int error);
// `bytes`: the first `seen` bytes of the file.
FileHeader checked_header(const std::string& path, const char* bytes, std::size_t seen, std::uint64_t file_size);
void check_manifest(const std::string& path, const FileHeader& header, std::string_view manifest);
// True when a writer can produce a header with these sizes.
bool sizes_fit(const BlockHeader& header, std::uint32_t version);
std::uint64_t unloaded_us(const BlockHeader& events, std::uint32_t version);
std::optional<LossRange> loss_of(const BlockHeader& header, const char* payload, std::uint32_t version);
std::string status(TraceEnd end, std::size_t whole_blocks, std::uint64_t end_byte);

}  // namespace trace_record::format
