#include <tmon_streams/collector.hpp>

#include <deque>

#include <vocabulary/contract.hpp>
#include "stream_assembler.hpp"

namespace tmon_streams {

struct Collector::State {
    std::vector<StreamAssembler> nodes;
    // A deque keeps its elements in place, and with them the records that the assemblers point to.
    std::shared_ptr<std::deque<std::vector<Event>>> storage = std::make_shared<std::deque<std::vector<Event>>>();
};

Collector::Collector(std::uint16_t expected_nodes) : state_(std::make_unique<State>()) {
    EXPECTS(expected_nodes > 0, "collector.nodes");
    for (std::uint16_t node = 0; node < expected_nodes; ++node) state_->nodes.emplace_back(node);
}
Collector::~Collector() = default;
Collector::Collector(Collector&&) noexcept = default;
Collector& Collector::operator=(Collector&&) noexcept = default;

bool Collector::receive(std::uint16_t node, std::uint32_t first_seq, std::span<const Event> events, std::uint64_t unloaded_us) {
    if (node >= state_->nodes.size()) return false;
    state_->storage->emplace_back(events.begin(), events.end());
    state_->nodes[node].add(first_seq, state_->storage->back(), unloaded_us);
    return true;
}

bool Collector::dropped(const LossRange& range) {
    if (range.node >= state_->nodes.size() || range.first_seq > range.last_seq) return false;
    state_->nodes[range.node].add_loss(range);
    return true;
}

bool Collector::end(std::uint16_t node, std::uint32_t total_records) {
    if (node >= state_->nodes.size()) return false;
    state_->nodes[node].set_end(total_records);
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
    }
    return trace;
}

}  // namespace tmon_streams
