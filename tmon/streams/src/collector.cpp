#include <tmon_streams/collector.hpp>

#include <scratch/record_store.hpp>
#include <vocabulary/contract.hpp>
#include "stream_assembler.hpp"

namespace tmon_streams {

struct Collector::State {
    std::vector<StreamAssembler> nodes;
    Keep keep = Keep::Records;
    TraceFeed* feed = nullptr;
    std::uint64_t blocks = 0;
    std::shared_ptr<scratch::RecordStore> storage = std::make_shared<scratch::RecordStore>();
};

Collector::Collector(std::uint16_t expected_nodes, Keep keep, TraceFeed* feed) : state_(std::make_unique<State>()) {
    EXPECTS(expected_nodes > 0, "collector.nodes");
    state_->keep = keep;
    state_->feed = feed;
    for (std::uint16_t node = 0; node < expected_nodes; ++node) state_->nodes.emplace_back(node);
}
Collector::~Collector() = default;
Collector::Collector(Collector&&) noexcept = default;
Collector& Collector::operator=(Collector&&) noexcept = default;

bool Collector::receive(std::uint16_t node, std::uint32_t first_seq, std::span<const Event> events, std::uint64_t unloaded_us,
                        std::uint64_t came_us) {
    if (node >= state_->nodes.size()) return false;
    if (state_->feed != nullptr) state_->feed->records(node, first_seq, events, came_us);
    if (state_->keep == Keep::Nothing) return true;
    const std::byte* const place = state_->storage->add(node, events.data(), events.size_bytes());
    state_->nodes[node].add(first_seq, {reinterpret_cast<const Event*>(place), events.size()}, unloaded_us, ++state_->blocks);
    return true;
}

bool Collector::dropped(const LossRange& range, std::uint64_t came_us) {
    if (range.node >= state_->nodes.size() || range.first_seq > range.last_seq) return false;
    state_->nodes[range.node].add_loss(range);
    if (state_->feed == nullptr) return true;
    state_->feed->moment(came_us);
    state_->feed->lost(range);
    return true;
}

bool Collector::end(std::uint16_t node, std::uint32_t total_records, std::uint64_t came_us) {
    if (node >= state_->nodes.size()) return false;
    state_->nodes[node].set_end(total_records);
    if (state_->feed == nullptr) return true;
    state_->feed->moment(came_us);
    state_->feed->ended(node, total_records);
    return true;
}

bool Collector::heartbeat(std::uint16_t node, std::uint64_t before_us, std::uint64_t came_us) {
    if (node >= state_->nodes.size()) return false;
    if (state_->feed != nullptr) state_->feed->heartbeat(node, before_us, came_us);
    return true;
}

std::vector<NodeStatistics> Collector::statistics() const {
    std::vector<NodeStatistics> result;
    for (const StreamAssembler& assembler : state_->nodes) {
        Assembled node = assembler.assemble();
        result.push_back({node.stream.node, node.stream.size(), node.last_time_us, std::move(node.stream.losses),
                          node.stream.state, node.repeated, node.conflicting});
    }
    return result;
}

Trace Collector::finish(SessionEnd how) const {
    Trace trace;
    trace.session = how;
    trace.keep.push_back(state_->storage);
    for (const StreamAssembler& assembler : state_->nodes) {
        Assembled node = assembler.assemble();
        trace.suspect_records += node.conflicting;
        trace.streams.push_back(std::move(node.stream));
        trace.streams.back().store = state_->storage.get();
    }
    return trace;
}

}  // namespace tmon_streams
