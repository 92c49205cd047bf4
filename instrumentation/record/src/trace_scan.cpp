#include "trace_record/trace_scan.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>

#include "trace_format.hpp"
#include "vocabulary/source_position.hpp"

namespace trace_record {

using format::BlockHeader;
using format::BlockKind;

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& message) {
    throw vocabulary::InputError({path, 0, 0}, message);
}

// A file read at any place through one window, so that small blocks do not cost a system call each.
class Window {
public:
    Window(int fd, std::uint64_t size) : fd_(fd), size_(size) {}
    // `count` bytes from `offset`; null when the file does not have them (any more). Valid until the next call.
    const char* at(std::uint64_t offset, std::size_t count) {
        if (offset > size_ || count > size_ - offset) return nullptr;
        if (offset >= begin_ && offset + count <= begin_ + bytes_.size()) return bytes_.data() + (offset - begin_);
        constexpr std::size_t least = std::size_t{1} << 18;
        begin_ = offset;
        bytes_.resize(std::min<std::uint64_t>(std::max(count, least), size_ - offset));
        std::size_t got = 0;
        while (got < bytes_.size()) {
            const ssize_t part = ::pread(fd_, bytes_.data() + got, bytes_.size() - got, static_cast<off_t>(begin_ + got));
            if (part < 0 && errno == EINTR) continue;
            if (part <= 0) break;
            got += static_cast<std::size_t>(part);
        }
        bytes_.resize(got);
        return got >= count ? bytes_.data() : nullptr;
    }

private:
    int fd_;
    std::uint64_t size_, begin_ = 0;
    std::vector<char> bytes_;
};

bool unpack(const BlockPlace& block, const char* payload, std::vector<Event>& records) {
    records.resize(block.count);
    const std::size_t bytes = records.size() * sizeof(Event);
    if (block.packed) return ZSTD_decompress(records.data(), bytes, payload, block.stored_bytes) == bytes;
    std::memcpy(records.data(), payload, bytes);
    return true;
}

}  // namespace

struct TraceScan::State {
    std::string path;
    int fd = -1;
    std::uint64_t size = 0, position = 0, records = 0;
    std::uint32_t version = 0;
    std::string manifest, closing;
    bool complete = false, stopped = false;
    std::size_t whole_blocks = 0;
    std::vector<BlockPlace> blocks;
    std::vector<LossRange> losses;
    std::vector<StreamEnd> ends;
    std::vector<Event> room;
    mutable std::unique_ptr<Window> window;

    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() {
        if (fd >= 0) ::close(fd);
    }
    void open();
    void read_header();
    bool read_block(const Visit& visit);
    bool take(const BlockHeader& header, const char* payload, const Visit& visit);
    bool take_events(const BlockHeader& header, const char* payload, const Visit& visit);
};

void TraceScan::State::open() {
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) format::fail_to_open(path, errno);
    struct stat about {};
    const bool readable = ::fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
    size = readable ? static_cast<std::uint64_t>(about.st_size) : 0;
    if (size == 0) fail(path, "is empty or not a plain file; give a trace written by Magicwire");
    window = std::make_unique<Window>(fd, size);
}

void TraceScan::State::read_header() {
    const std::size_t seen = std::min<std::uint64_t>(size, sizeof(format::FileHeader));
    const char* bytes = window->at(0, seen);
    if (bytes == nullptr) fail(path, "cannot be read; is it on a disk that fails?");
    const format::FileHeader header = format::checked_header(path, bytes, seen, size);
    version = header.version;
    const char* text = window->at(sizeof header, header.manifest_bytes);
    if (text == nullptr) fail(path, "cannot be read; is it on a disk that fails?");
    manifest.assign(text, header.manifest_bytes);
    format::check_manifest(path, header, manifest);
    position = sizeof header + format::padded(header.manifest_bytes);
}

// False at the end mark and at the first thing that is not a whole block.
bool TraceScan::State::read_block(const Visit& visit) {
    BlockHeader header;
    const char* bytes = window->at(position, sizeof header);
    if (bytes == nullptr) return false;
    std::memcpy(&header, bytes, sizeof header);
    if (header.magic != format::block_magic || header.stored_bytes > size - position - sizeof header) return false;
    if (header.kind == BlockKind::Events && !format::sizes_fit(header)) return false;
    const char* payload = window->at(position + sizeof header, header.stored_bytes);
    if (payload == nullptr || format::checksum(header, payload) != header.checksum) return false;
    if (header.kind == BlockKind::FileEnd) {
        complete = true;
        return false;
    }
    if (!take(header, payload, visit)) return false;
    position += sizeof header + format::padded(header.stored_bytes);
    ++whole_blocks;
    return !stopped;
}

bool TraceScan::State::take(const BlockHeader& header, const char* payload, const Visit& visit) {
    switch (header.kind) {
        case BlockKind::Events:
            return take_events(header, payload, visit);
        case BlockKind::Loss:
            if (const auto loss = format::loss_of(header, payload, version)) return losses.push_back(*loss), true;
            return false;
        case BlockKind::StreamEnd:
            ends.push_back({header.node, header.first_seq});
            return true;
        case BlockKind::Closing:
            closing.assign(payload, header.stored_bytes);
            return true;
        case BlockKind::FileEnd:
            break;
    }
    return false;
}

bool TraceScan::State::take_events(const BlockHeader& header, const char* payload, const Visit& visit) {
    BlockPlace block{.offset = position + sizeof header,
                     .unloaded_us = format::unloaded_us(header, version),
                     .stored_bytes = static_cast<std::uint32_t>(header.stored_bytes),
                     .count = header.count,
                     .first_seq = header.first_seq,
                     .node = header.node,
                     .packed = (header.flags & format::flag_zstd) != 0};
    if (!unpack(block, payload, room)) return false;
    block.placed =
        room.front().seq == header.first_seq && room.back().seq == header.first_seq + std::uint64_t{header.count} - 1;
    blocks.push_back(block);
    records += header.count;
    if (visit && !visit(block, room)) stopped = true;
    return true;
}

TraceScan::TraceScan(const std::string& path, const Visit& visit) : state_(std::make_unique<State>()) {
    state_->path = path;
    state_->open();
    state_->read_header();
    while (state_->read_block(visit)) continue;
    state_->room = {};
}

TraceScan::~TraceScan() = default;

void TraceScan::read(const BlockPlace& block, std::vector<Event>& records) const {
    const char* payload = state_->window->at(block.offset, block.stored_bytes);
    if (payload == nullptr || !unpack(block, payload, records))
        fail(state_->path, "has changed while it was read; let its writer finish, or copy it first");
}

const std::string& TraceScan::path() const {
    return state_->path;
}
const std::string& TraceScan::manifest() const {
    return state_->manifest;
}
const std::string& TraceScan::closing() const {
    return state_->closing;
}
bool TraceScan::complete() const {
    return state_->complete;
}
std::size_t TraceScan::whole_blocks() const {
    return state_->whole_blocks;
}
std::string TraceScan::status() const {
    return format::status(state_->complete, state_->whole_blocks);
}
std::uint64_t TraceScan::bytes() const {
    return state_->size;
}
std::uint64_t TraceScan::records() const {
    return state_->records;
}
const std::vector<BlockPlace>& TraceScan::blocks() const {
    return state_->blocks;
}
const std::vector<LossRange>& TraceScan::losses() const {
    return state_->losses;
}
const std::vector<StreamEnd>& TraceScan::stream_ends() const {
    return state_->ends;
}

}  // namespace trace_record
