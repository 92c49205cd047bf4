#include <tmon_streams/trace_index.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include <scratch/scratch_file.hpp>

namespace tmon_streams {

using trace_record::BlockPlace;
using trace_record::TraceScan;

namespace {

constexpr std::size_t places_in_chunk = 64;
constexpr std::uint64_t nowhere = ~std::uint64_t{0};

// A chunk as it lies in the scratch file.
struct Chunk {
    std::uint64_t next = nowhere;  // next chunk of the same node
    std::array<BlockPlace, places_in_chunk> places{};
};

// The places of one node. Those in ascending order are full chunks in the scratch file and a last one in memory; then the
// others.
struct PlaceList {
    std::uint64_t first = nowhere, last = nowhere;
    std::vector<BlockPlace> tail;
    std::vector<BlockPlace> late;
    std::uint64_t records = 0;
    std::uint32_t highest = 0;  // first_seq of the last in ascending order

    void add(const BlockPlace& place, scratch::ScratchFile& scratch) {
        records += place.count;
        if (place.first_seq < highest) return late.push_back(place);
        highest = place.first_seq;
        if (tail.size() == places_in_chunk) spill(scratch);
        tail.push_back(place);
    }
    void spill(scratch::ScratchFile& scratch) {
        Chunk chunk;
        std::copy(tail.begin(), tail.end(), chunk.places.begin());
        const std::uint64_t place = scratch.append(&chunk, sizeof chunk);
        if (last == nowhere) {
            first = place;
        } else {
            scratch.write(last, &place, sizeof place);  // Chunk::next of the one before
        }
        last = place;
        tail.clear();
    }
};

bool earlier(const LossRange& a, const LossRange& b) {
    return a.node != b.node ? a.node < b.node : a.first_seq < b.first_seq;
}

}  // namespace

struct TraceIndex::State {
    scratch::ScratchFile scratch;
    std::map<std::uint16_t, PlaceList> nodes;
    const TraceScan scan;
    std::vector<LossRange> losses;                // by node, then by number
    std::map<std::uint16_t, std::uint32_t> ends;  // the last total that each node sent

    State(const std::string& path, const TraceScan::Visit& visit)
        : scan(path,
               [&](const BlockPlace& block, std::span<const Event> records) {
                   nodes[block.node].add(block, scratch);
                   if (visit) visit(block, records);
               }),
          losses(scan.losses()) {
        std::stable_sort(losses.begin(), losses.end(), earlier);
        for (auto& [node, list] : nodes)
            std::stable_sort(list.late.begin(), list.late.end(),
                             [](const BlockPlace& a, const BlockPlace& b) { return a.first_seq < b.first_seq; });
        for (const auto& end : scan.stream_ends()) ends[end.node] = end.total_records;
    }
};

TraceIndex::TraceIndex(const std::string& path, const TraceScan::Visit& visit) : state_(std::make_unique<State>(path, visit)) {}
TraceIndex::~TraceIndex() = default;

const TraceScan& TraceIndex::scan() const {
    return state_->scan;
}

std::span<const LossRange> TraceIndex::losses(std::uint16_t node) const {
    const auto [first, last] = std::equal_range(state_->losses.begin(), state_->losses.end(), LossRange{.node = node},
                                                [](const LossRange& a, const LossRange& b) { return a.node < b.node; });
    return {first, last};
}

std::optional<std::uint32_t> TraceIndex::total(std::uint16_t node) const {
    const auto found = state_->ends.find(node);
    return found == state_->ends.end() ? std::nullopt : std::optional(found->second);
}

std::uint64_t TraceIndex::records_from(std::uint32_t node) const {
    std::uint64_t sum = 0;
    for (const auto& [number, list] : state_->nodes) sum += number >= node ? list.records : 0;
    return sum;
}

struct TraceIndex::Blocks::State {
    const scratch::ScratchFile& scratch;
    const PlaceList& list;
    std::unique_ptr<Chunk> chunk{};  // null: the places in memory are read
    std::size_t at = 0, late = 0;

    State(const scratch::ScratchFile& file, const PlaceList& places) : scratch(file), list(places) { go_to(list.first); }
    void go_to(std::uint64_t place) {
        at = 0;
        if (place == nowhere) return chunk.reset();
        if (!chunk) chunk = std::make_unique<Chunk>();
        scratch.read(place, chunk.get(), sizeof *chunk);
    }
    const BlockPlace* in_order() {
        if (chunk && at == places_in_chunk) go_to(chunk->next);
        if (chunk) return &chunk->places[at];
        return at < list.tail.size() ? &list.tail[at] : nullptr;
    }
};

TraceIndex::Blocks::Blocks(const TraceIndex& index, std::uint16_t node) {
    const auto found = index.state_->nodes.find(node);
    if (found != index.state_->nodes.end()) state_ = std::make_unique<State>(index.state_->scratch, found->second);
}
TraceIndex::Blocks::~Blocks() = default;
TraceIndex::Blocks::Blocks(Blocks&&) noexcept = default;

// When two have the same number, the late one came later: all that came behind it in order have higher numbers.
const BlockPlace* TraceIndex::Blocks::next() {
    if (!state_) return nullptr;
    const auto& late = state_->list.late;
    const BlockPlace* const next = state_->in_order();
    if (state_->late < late.size() && (next == nullptr || late[state_->late].first_seq < next->first_seq))
        return &late[state_->late++];
    if (next != nullptr) ++state_->at;
    return next;
}

}  // namespace tmon_streams
