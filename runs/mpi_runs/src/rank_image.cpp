#include <mpi_runs/rank_image.hpp>

#include <zstd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include <tmon_recovery/block_file.hpp>

namespace mpi_runs {
namespace {

using tmon_recovery::BlockReader;
using user_programs::ProcessImage;

constexpr std::uint32_t magic = 0x3149574d;  // "MWI1"
enum : std::uint32_t { block_head = 1, block_part, block_end };
constexpr int quick = 1;  // level of zstd
constexpr std::size_t part_bytes = std::size_t{64} << 20;

struct Head : ImageHead {
    std::uint64_t bytes = 0;  // of the process, unpacked
};

Head read_head(BlockReader& reader) {
    Head head;
    const auto block = reader.next();
    if (!block || block->type != block_head || block->bytes != sizeof head || !reader.read(*block, &head))
        reader.fail("it is damaged, or was cut off");
    return head;
}

BlockReader open_image(const std::string& path) {
    return {path, magic, "it is no image of a process; 'magicwire record --again' makes them"};
}

}  // namespace

std::uint64_t write_image(const std::string& path, const RankImage& image) {
    const std::string process = image.process.serialize();
    tmon_recovery::BlockWriter file(path, magic);
    Head head;
    static_cast<ImageHead&>(head) = image;
    head.addresses = image.process.addresses;
    head.memory_hash = image.process.memory_hash();
    head.bytes = process.size();
    file.put(block_head, &head, sizeof head);
    std::vector<char> room(ZSTD_compressBound(std::min(part_bytes, process.size())));
    for (std::size_t at = 0; at < process.size(); at += part_bytes) {
        const std::size_t bytes = std::min(part_bytes, process.size() - at);
        file.put(block_part, room.data(), ZSTD_compress(room.data(), room.size(), process.data() + at, bytes, quick));
    }
    file.put(block_end, nullptr, 0);
    file.close();
    return std::filesystem::file_size(path);
}

RankImage read_image(const std::string& path) {
    BlockReader reader = open_image(path);
    const Head head = read_head(reader);
    std::string process, packed;
    bool whole = false;
    while (const auto block = reader.next()) {
        packed.resize(block->bytes);
        if (!reader.read(*block, packed.data())) break;
        whole = block->type == block_end;
        if (block->type != block_part) continue;
        const std::size_t at = process.size();
        process.resize(at + std::min<std::uint64_t>(part_bytes, head.bytes - at));
        if (ZSTD_decompress(process.data() + at, process.size() - at, packed.data(), packed.size()) != process.size() - at)
            reader.fail("a part of it cannot be unpacked; it is damaged");
    }
    if (!whole || process.size() != head.bytes) reader.fail("it was cut off");
    RankImage image;
    static_cast<ImageHead&>(image) = head;
    image.process = ProcessImage::parse(process);
    if (image.process.addresses != head.addresses) reader.fail("its parts do not fit together; it is damaged");
    return image;
}

ImageHead read_image_head(const std::string& path) {
    BlockReader reader = open_image(path);
    return read_head(reader);
}

}  // namespace mpi_runs
