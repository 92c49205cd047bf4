// RecordsView: what the host's records tell of a run under way, for `magicwire top --by-records`: streams, messages under way,
// the window of the causal sort, lateness. It reads no truth.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tmon_order/trace_sorter.hpp>
#include <tmon_streams/trace_feed.hpp>

namespace cli {

// The stream of one node, as the host has it.
struct StreamSeen {
    enum class State : std::uint8_t {
        Silent,    // nothing has come so far
        Active,    // records have come since the look before
        Idle,      // none have
        Finished,  // the end mark came, and all before it came or is known to be lost
    };
    std::uint16_t node = 0;
    State state = State::Silent;
    std::uint64_t came = 0, lost = 0;
    std::optional<trace_record::LossRange> last_loss{};
    std::uint64_t newest_us = 0;  // clock of the node
    // How much longer the last block's oldest record took than the fastest record of this node.
    std::uint64_t late_us = 0;
};

struct RecordsSeen {
    std::vector<StreamSeen> streams{};  // by node
    std::uint64_t came = 0, reported = 0, held_back = 0;
    std::uint64_t window = 0, unreported = 0;  // of the sorter, now
    std::uint64_t assumed = 0, late = 0;       // reported without a cause; too late for their place
    // Sent, and not received as far as records tell. A message whose receive was lost stays among them.
    std::uint64_t tasks_under_way = 0, messages_under_way = 0;
    std::uint64_t sent = 0, back = 0;  // tasks, by the records of node 0
};

std::string_view state_name(StreamSeen::State state);

class RecordsView final : public tmon_streams::TraceFeed, public tmon_order::SortedItems {
public:
    explicit RecordsView(std::uint16_t nodes);
    // `next` gets all that this gets. Its sorter's items come back to item(). Before the first record.
    void set_next(tmon_streams::TraceFeed& next) { next_ = &next; }

    void records(std::uint16_t node, std::uint32_t first_seq, std::span<const trace_record::Event> events,
                 std::uint64_t came_us) override;
    void lost(const trace_record::LossRange& range) override;
    void ended(std::uint16_t node, std::uint32_t total_records) override;
    void item(const tmon_order::SortedItem& item) override;
    // Records since the last look count as active.
    RecordsSeen look(const tmon_order::TraceSorter& sorter);

private:
    struct Node {
        StreamSeen seen;
        bool news = false;
        std::optional<std::int64_t> least_us;  // the host's clock less the node's, of the fastest record
    };

    tmon_streams::TraceFeed* next_ = nullptr;
    std::vector<Node> nodes_;
    std::uint64_t tasks_ = 0, messages_ = 0;
};

}  // namespace cli
