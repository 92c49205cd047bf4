#include <trace_record/trace_scan.hpp>

#include <zstd.h>

#include <cstring>

#include <trace_record/placed.hpp>
#include "file_bytes.hpp"
#include "trace_format.hpp"

namespace trace_record {

using format::BlockHeader;
using format::BlockKind;
using format::fail;

namespace {

bool unpack(const BlockPlace& block, const char* payload, std::vector<Event>& records) {
    records.resize(block.count);
    const std::size_t bytes = records.size() * sizeof(Event);
    return ZSTD_decompress(records.data(), bytes, payload, block.stored_bytes) == bytes;
}

}  // namespace

struct TraceScan::State {
    const std::string path;
    mutable FileBytes file;
    std::uint64_t position = 0, records = 0;
    std::uint32_t version = 0;
    std::string manifest, closing;
    std::optional<TraceEnd> end;
    std::size_t whole_blocks = 0;
    std::vector<LossRange> losses;
    std::vector<StreamEnd> stream_ends;
    std::vector<Event> room;
    mutable std::vector<char> packed;

    State(const std::string& name, Access access) : path(name), file(name, access == Access::Mapped) {}
    void read_header();
    std::optional<TraceEnd> read_block(const Visits& visits);
    TraceEnd ends_early() const;
    bool take(const BlockHeader& header, const char* payload, const Visits& visits);
    bool take_events(const BlockHeader& header, const char* payload, const Visits& visits);
};

void TraceScan::State::read_header() {
    const std::size_t seen = std::min<std::uint64_t>(file.size(), sizeof(format::FileHeader));
    const char* bytes = file.at(0, seen);
    if (bytes == nullptr) fail(path, "cannot be read; check the disk");
    const format::FileHeader header = format::checked_header(path, bytes, seen, file.size());
    version = header.version;
    const char* text = file.at(sizeof header, header.manifest_bytes);
    if (text == nullptr) fail(path, "cannot be read; check the disk");
    manifest.assign(text, header.manifest_bytes);
    format::check_manifest(path, header, manifest);
    position = sizeof header + format::padded(header.manifest_bytes);
}

// The file ends where a block should go on. When its last bytes are an end mark, it had been closed. Then the part in between
// is damaged, by a length that became too large.
TraceEnd TraceScan::State::ends_early() const {
    constexpr std::size_t mark = sizeof(BlockHeader);
    const BlockHeader expected = format::end_mark();
    const char* last = file.size() >= mark ? file.at(file.size() - mark, mark) : nullptr;
    return last != nullptr && std::memcmp(last, &expected, mark) == 0 ? TraceEnd::Damaged : TraceEnd::Incomplete;
}

// How the file ends, when this was the end.
std::optional<TraceEnd> TraceScan::State::read_block(const Visits& visits) {
    if (position >= file.size()) return ends_early();
    const std::uint64_t rest = file.size() - position;
    BlockHeader header;
    const std::size_t seen = std::min<std::uint64_t>(rest, sizeof header);
    const char* bytes = file.at(position, seen);
    if (bytes == nullptr) return TraceEnd::Incomplete;  // cut since it was opened
    if (std::memcmp(bytes, &header, std::min(seen, sizeof header.magic)) != 0) return TraceEnd::Damaged;
    if (seen < sizeof header) return ends_early();
    std::memcpy(&header, bytes, sizeof header);
    if (!format::sizes_fit(header, version)) return TraceEnd::Damaged;
    if (header.stored_bytes > rest - sizeof header) return ends_early();
    const char* payload = file.at(position + sizeof header, header.stored_bytes);
    if (payload == nullptr) return TraceEnd::Incomplete;
    if (format::checksum(header, payload) != header.checksum) return TraceEnd::Damaged;
    const bool last = header.kind == BlockKind::FileEnd;
    if (!last && !take(header, payload, visits)) return TraceEnd::Damaged;
    position += sizeof header + format::padded(header.stored_bytes);
    if (last) return position == file.size() ? TraceEnd::Complete : TraceEnd::Damaged;
    ++whole_blocks;
    return {};
}

bool TraceScan::State::take(const BlockHeader& header, const char* payload, const Visits& visits) {
    switch (header.kind) {
        case BlockKind::Events:
            return take_events(header, payload, visits);
        case BlockKind::Loss:
            if (const auto loss = format::loss_of(header, payload, version)) {
                losses.push_back(*loss);
                if (visits.loss) visits.loss(*loss);
                return true;
            }
            return false;
        case BlockKind::StreamEnd:
            stream_ends.push_back({header.node, header.first_seq});
            if (visits.stream_end) visits.stream_end(stream_ends.back());
            return true;
        case BlockKind::Closing:
            closing.assign(payload, header.stored_bytes);
            return true;
        case BlockKind::FileEnd:
            break;
    }
    return false;
}

bool TraceScan::State::take_events(const BlockHeader& header, const char* payload, const Visits& visits) {
    BlockPlace block{.offset = position + sizeof header,
                     .unloaded_us = format::unloaded_us(header, version),
                     .stored_bytes = static_cast<std::uint32_t>(header.stored_bytes),
                     .count = header.count,
                     .first_seq = header.first_seq,
                     .node = header.node,
                     .packed = (header.flags & format::flag_zstd) != 0};
    if (block.packed && !unpack(block, payload, room)) return false;
    // Trivially copyable, and aligned by the format.
    const std::span<const Event> events(block.packed ? room.data() : reinterpret_cast<const Event*>(payload), block.count);
    block.placed = is_placed(block.first_seq, events);
    records += block.count;
    if (visits.events) visits.events(block, events);
    return true;
}

TraceScan::TraceScan(const std::string& path, const Visit& visit, Access access)
    : TraceScan(path, Visits{visit, {}, {}}, access) {}

TraceScan::TraceScan(const std::string& path, const Visits& visits, Access access)
    : state_(std::make_unique<State>(path, access)) {
    state_->read_header();
    while (!state_->end) state_->end = state_->read_block(visits);
    state_->room = {};
}

TraceScan::~TraceScan() = default;

void TraceScan::read(const BlockPlace& block, std::vector<Event>& records) const {
    bool same = false;
    if (block.packed) {
        state_->packed.resize(block.stored_bytes);
        same = state_->file.copy(block.offset, block.stored_bytes, state_->packed.data()) &&
               unpack(block, state_->packed.data(), records);
    } else {
        records.resize(block.count);
        same = state_->file.copy(block.offset, block.stored_bytes, records.data());
    }
    if (!same || is_placed(block.first_seq, records) != block.placed)
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
TraceEnd TraceScan::end() const {
    return *state_->end;
}
std::uint64_t TraceScan::end_byte() const {
    return std::min(state_->position, state_->file.size());
}
std::size_t TraceScan::whole_blocks() const {
    return state_->whole_blocks;
}
std::string TraceScan::status() const {
    return format::status(end(), whole_blocks(), end_byte());
}
std::uint64_t TraceScan::bytes() const {
    return state_->file.size();
}
std::uint64_t TraceScan::records() const {
    return state_->records;
}
const std::vector<LossRange>& TraceScan::losses() const {
    return state_->losses;
}
const std::vector<StreamEnd>& TraceScan::stream_ends() const {
    return state_->stream_ends;
}

}  // namespace trace_record
