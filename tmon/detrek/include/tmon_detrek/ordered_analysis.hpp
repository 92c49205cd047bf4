// OrderedAnalysis: deTrEK's growing analysis on records in causal order, while the farm runs. The causal sorter feeds it. When
// somebody looks, it gets the rest unordered. So each answer rests on all records that have come, and waits for none. The
// answers are those of a GrowingAnalysis that is fed as the records come (docs/decisions/0050).
//
// Memory: that of the analysis and of the sorter, and the blocks with records that the sorter has not reported.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <tmon_detrek/growing_analysis.hpp>
#include <tmon_order/trace_sorter.hpp>
#include <tmon_streams/trace_feed.hpp>

namespace tmon_detrek {

class OrderedAnalysis final : public tmon_streams::TraceFeed, private tmon_order::SortedItems {
public:
    // `also` gets what the sorter reports; it may be null.
    explicit OrderedAnalysis(const farm_spec::FarmSpec& spec, tmon_order::SortedItems* also = nullptr);

    void records(std::uint16_t node, std::uint32_t first_seq, std::span<const Event> events, std::uint64_t came_us) override;
    void lost(const LossRange& range) override;
    void ended(std::uint16_t node, std::uint32_t total_records) override;

    // With all records that have come. Cost: those that the sorter holds back.
    const GrowingAnalysis& so_far();
    const tmon_order::TraceSorter& sorter() const { return sorter_; }
    // Records that the analysis got in causal order, and those that it got when somebody looked.
    std::uint64_t in_order() const { return in_order_; }
    std::uint64_t unordered() const { return unordered_; }

private:
    struct Block {
        std::vector<Event> events;
        std::size_t given = 0;  // of them
    };
    struct Node {
        std::map<std::uint32_t, Block> blocks;  // with records that were not given, by their first number
        std::uint32_t next = 0;                 // one more than the highest number that came
    };
    void item(const tmon_order::SortedItem& item) override;
    bool is_new(const Node& node, std::uint16_t number, std::uint32_t first_seq, std::span<const Event> events) const;

    GrowingAnalysis growing_;
    tmon_order::SortedItems* const also_;
    std::vector<Node> nodes_;
    std::uint64_t in_order_ = 0, unordered_ = 0;
    tmon_order::TraceSorter sorter_;
};

}  // namespace tmon_detrek
