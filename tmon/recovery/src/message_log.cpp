#include <tmon_recovery/message_log.hpp>

#include <array>
#include <cstring>

namespace tmon_recovery {
namespace {

constexpr std::uint32_t magic = 0x314d574d;  // "MWM1"
enum : std::uint32_t { block_manifest = 1, block_packets, block_end };
constexpr std::size_t block_bytes = std::size_t{256} << 10;
using Entry = std::array<std::uint32_t, 2>;  // message, and bytes that follow

}  // namespace

MessageLog::MessageLog(const std::string& path) {
    BlockReader reader(path, magic, "it is no log of messages; 'magicwire record --again' makes one");
    bool whole = false;
    while (const auto block = reader.next()) {
        std::vector<std::byte> bytes(block->bytes);
        if (!reader.read(*block, bytes.data())) break;
        if (block->type < block_manifest || block->type > block_end)
            reader.fail("it has a block of an unknown type; it is damaged");
        if (block->type == block_manifest) manifest_.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        if (block->type == block_packets) take(bytes, reader);
        whole = whole || block->type == block_end;
    }
    if (!whole) reader.fail("it was cut off; make it anew with 'magicwire record --again'");
}

void MessageLog::take(std::span<const std::byte> block, const BlockReader& reader) {
    while (!block.empty()) {
        Entry entry{};
        if (block.size() < sizeof entry) reader.fail("a packet is not whole; it is damaged");
        std::memcpy(&entry, block.data(), sizeof entry);
        const auto [message, bytes] = entry;
        block = block.subspan(sizeof entry);
        if (bytes > block.size()) reader.fail("a packet is not whole; it is damaged");
        if (places_.size() <= message) places_.resize(std::size_t{message} + 1);
        if (places_[message].bytes == 0) ++size_;
        places_[message] = {content_.size(), bytes};
        content_.insert(content_.end(), block.begin(), block.begin() + bytes);
        block = block.subspan(bytes);
    }
}

std::span<const std::byte> MessageLog::content(MessageNo message) const {
    if (message >= places_.size()) return {};
    return {content_.data() + places_[message].at, places_[message].bytes};
}

MessageLogWriter::MessageLogWriter(const std::string& path, const std::string& manifest) : file_(path, magic) {
    file_.put(block_manifest, manifest.data(), manifest.size());
}

void MessageLogWriter::add(MessageNo message, std::span<const std::byte> words, std::span<const std::byte> body) {
    const Entry entry{message, static_cast<std::uint32_t>(words.size() + body.size())};
    for (const std::span<const std::byte> part : {std::span<const std::byte>(std::as_bytes(std::span(entry))), words, body})
        block_.insert(block_.end(), part.begin(), part.end());
    if (block_.size() >= block_bytes) flush();
}

void MessageLogWriter::flush() {
    if (!block_.empty()) file_.put(block_packets, block_.data(), block_.size());
    block_.clear();
}

void MessageLogWriter::finish() {
    flush();
    file_.put(block_end, nullptr, 0);
    file_.close();
}

}  // namespace tmon_recovery
