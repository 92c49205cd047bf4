#include <tmon_detrek/ordered_analysis.hpp>

#include <algorithm>

namespace tmon_detrek {

OrderedAnalysis::OrderedAnalysis(const farm_spec::FarmSpec& spec, tmon_order::SortedItems* also)
    : growing_(spec), also_(also), nodes_(spec.nodes), sorter_(static_cast<std::uint16_t>(spec.nodes), *this, {}) {}

// False also for a block that fills a gap, since the blocks behind it may have been given.
bool OrderedAnalysis::is_new(const Node& node, std::uint16_t number, std::uint32_t first_seq,
                             std::span<const Event> events) const {
    std::uint32_t seq = first_seq;
    return first_seq >= node.next && std::all_of(events.begin(), events.end(), [&](const Event& event) {
               return event.seq == seq++ && event.node == number;
           });
}

// A repeated, damaged or late block is for the analysis to judge, and at once.
void OrderedAnalysis::records(std::uint16_t node, std::uint32_t first_seq, std::span<const Event> events,
                              std::uint64_t came_us) {
    if (node >= nodes_.size() || events.empty()) return;
    Node& its = nodes_[node];
    if (!is_new(its, node, first_seq, events)) {
        growing_.records(node, first_seq, events, came_us);
        unordered_ += events.size();
    } else {
        growing_.came(node, events, came_us);
        its.blocks[first_seq] = {{events.begin(), events.end()}};
        its.next = first_seq + static_cast<std::uint32_t>(events.size());
    }
    sorter_.records(node, first_seq, events, came_us);
}

void OrderedAnalysis::lost(const LossRange& range) {
    growing_.lost(range);
    sorter_.lost(range);
}

void OrderedAnalysis::ended(std::uint16_t node, std::uint32_t total_records) {
    growing_.ended(node, total_records);
    sorter_.ended(node, total_records);
}

void OrderedAnalysis::item(const tmon_order::SortedItem& item) {
    if (also_ != nullptr) also_->item(item);
    if (item.event == nullptr) return;
    Node& node = nodes_[item.order.id.stream];
    const auto seq = static_cast<std::uint32_t>(item.order.id.number);
    auto found = node.blocks.upper_bound(seq);
    if (found == node.blocks.begin()) return;
    Block& block = (--found)->second;
    // Otherwise it was given before.
    if (seq - found->first != block.given) return;
    growing_.take(static_cast<std::uint16_t>(item.order.id.stream), seq, {&block.events[block.given], 1});
    ++in_order_;
    if (++block.given == block.events.size()) node.blocks.erase(found);
}

const GrowingAnalysis& OrderedAnalysis::so_far() {
    for (std::uint16_t number = 0; number < nodes_.size(); ++number) {
        for (auto& [first, block] : nodes_[number].blocks) {
            const std::span<const Event> rest = std::span<const Event>(block.events).subspan(block.given);
            growing_.take(number, first + static_cast<std::uint32_t>(block.given), rest);
            unordered_ += rest.size();
        }
        nodes_[number].blocks.clear();
    }
    return growing_;
}

}  // namespace tmon_detrek
