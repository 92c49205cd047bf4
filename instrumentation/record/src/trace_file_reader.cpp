#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "trace_format.hpp"
#include "trace_record/trace_file.hpp"
#include "vocabulary/source_position.hpp"

namespace trace_record {

using format::BlockHeader;
using format::BlockKind;

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& message) {
    throw vocabulary::InputError({path, 0, 0}, message);
}

}  // namespace

struct TraceFileReader::State {
    std::string path;
    const char* map = nullptr;
    std::size_t size = 0;
    std::size_t position = 0;
    std::uint32_t version = 0;
    std::string manifest, closing;
    bool complete = false;
    std::size_t whole_blocks = 0;
    std::vector<EventBlock> blocks;
    std::vector<LossRange> losses;
    std::vector<StreamEnd> ends;
    std::vector<std::unique_ptr<Event[]>> unpacked;

    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() {
        if (map != nullptr) ::munmap(const_cast<char*>(map), size);
    }

    void open();
    void read_header();
    bool read_block();
    bool take(const BlockHeader& header, const char* payload);
    bool take_events(const BlockHeader& header, const char* payload);
};

void TraceFileReader::State::open() {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) format::fail_to_open(path, errno);
    struct stat about {};
    const bool readable = ::fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
    size = readable ? static_cast<std::size_t>(about.st_size) : 0;
    void* mapped = size > 0 ? ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    ::close(fd);
    if (mapped == MAP_FAILED) fail(path, "is empty or not a plain file; give a trace written by Magicwire");
    map = static_cast<const char*>(mapped);
    ::madvise(mapped, size, MADV_SEQUENTIAL);
}

void TraceFileReader::State::read_header() {
    const format::FileHeader header = format::checked_header(path, map, std::min(size, sizeof(format::FileHeader)), size);
    version = header.version;
    manifest.assign(map + sizeof header, header.manifest_bytes);
    format::check_manifest(path, header, manifest);
    position = sizeof header + format::padded(header.manifest_bytes);
}

// False at the end mark and at the first thing that is not a whole block.
bool TraceFileReader::State::read_block() {
    BlockHeader header;
    if (position >= size || size - position < sizeof header) return false;
    std::memcpy(&header, map + position, sizeof header);
    const std::size_t room = size - position - sizeof header;
    if (header.magic != format::block_magic || header.stored_bytes > room) return false;
    const char* payload = map + position + sizeof header;
    if (format::checksum(header, payload) != header.checksum) return false;
    if (header.kind == BlockKind::FileEnd) {
        complete = true;
        return false;
    }
    if (!take(header, payload)) return false;
    position += sizeof header + format::padded(header.stored_bytes);
    ++whole_blocks;
    return true;
}

bool TraceFileReader::State::take(const BlockHeader& header, const char* payload) {
    switch (header.kind) {
        case BlockKind::Events:
            return take_events(header, payload);
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

bool TraceFileReader::State::take_events(const BlockHeader& header, const char* payload) {
    if (!format::sizes_fit(header)) return false;
    const Event* events = nullptr;
    if ((header.flags & format::flag_zstd) != 0) {
        auto room = std::make_unique<Event[]>(header.count);
        if (ZSTD_decompress(room.get(), header.raw_bytes, payload, header.stored_bytes) != header.raw_bytes) return false;
        events = room.get();
        unpacked.push_back(std::move(room));
    } else {
        events = reinterpret_cast<const Event*>(payload);  // trivially copyable, aligned by the format
    }
    blocks.push_back({header.node, header.first_seq, {events, header.count}, format::unloaded_us(header, version)});
    return true;
}

TraceFileReader::TraceFileReader(const std::string& path) : state_(std::make_unique<State>()) {
    state_->path = path;
    state_->open();
    state_->read_header();
    while (state_->read_block()) continue;
}

TraceFileReader::~TraceFileReader() = default;

const std::string& TraceFileReader::manifest() const {
    return state_->manifest;
}
const std::string& TraceFileReader::closing() const {
    return state_->closing;
}
bool TraceFileReader::complete() const {
    return state_->complete;
}
std::size_t TraceFileReader::whole_blocks() const {
    return state_->whole_blocks;
}
const std::vector<EventBlock>& TraceFileReader::blocks() const {
    return state_->blocks;
}
const std::vector<LossRange>& TraceFileReader::losses() const {
    return state_->losses;
}
const std::vector<StreamEnd>& TraceFileReader::stream_ends() const {
    return state_->ends;
}

std::string TraceFileReader::status() const {
    return format::status(state_->complete, state_->whole_blocks);
}

}  // namespace trace_record
