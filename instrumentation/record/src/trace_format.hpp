// The bytes of a trace file, shared by its writer and its reader. Little endian; everything starts at a multiple of eight
// bytes, so that the events of a raw block can be used in place.
#pragma once

#include <xxhash.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace trace_record::format {

static_assert(std::endian::native == std::endian::little, "docs/formats/trace_file.md");

inline constexpr std::array<char, 8> file_magic = {'M', 'W', 'T', 'R', 'A', 'C', 'E', '\n'};
inline constexpr std::uint32_t file_version = 1;
inline constexpr std::uint32_t block_magic = 0x4B42574D;  // "MWBK"
inline constexpr std::uint32_t most_events_in_block = 1u << 26;

struct FileHeader {
    std::array<char, 8> magic = file_magic;
    std::uint32_t version = file_version;
    std::uint32_t event_version = 0;
    std::uint64_t manifest_bytes = 0;
    std::uint64_t manifest_hash = 0;
};
static_assert(sizeof(FileHeader) == 32);

enum class BlockKind : std::uint8_t { Events = 1, Loss = 2, StreamEnd = 3, FileEnd = 4 };

inline constexpr std::uint8_t flag_zstd = 1;

struct BlockHeader {
    std::uint32_t magic = block_magic;
    BlockKind kind = BlockKind::Events;
    std::uint8_t flags = 0;
    std::uint16_t node = 0;
    std::uint32_t first_seq = 0;  // Loss: first lost; StreamEnd: total records
    std::uint32_t count = 0;      // Events: records; Loss: lost records
    std::uint32_t cause = 0;      // Loss only
    std::uint32_t reserved = 0;
    std::uint64_t raw_bytes = 0;     // of the payload before compression
    std::uint64_t stored_bytes = 0;  // of the payload in the file, without padding
    std::uint64_t checksum = 0;      // last: covers the header before it and the stored payload
};
static_assert(sizeof(BlockHeader) == 48);

inline constexpr std::size_t padded(std::size_t bytes) {
    return (bytes + 7) & ~std::size_t{7};
}

inline std::uint64_t checksum(const BlockHeader& header, const void* payload) {
    const std::uint64_t of_header = XXH64(&header, offsetof(BlockHeader, checksum), 0);
    return XXH64(payload, header.stored_bytes, of_header);
}

}  // namespace trace_record::format
