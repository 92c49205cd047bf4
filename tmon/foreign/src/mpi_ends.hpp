// MpiEnds: the ends (tmon_order/communication.hpp) of MPI events, from what a trace tells of communicators, messages and
// collectives. Events of one location come in their order.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tmon_foreign/foreign_trace.hpp>
#include <tmon_order/collectives.hpp>

namespace tmon_foreign {

class MpiEnds {
public:
    explicit MpiEnds(ForeignTrace& trace) : trace_(trace) {}

    // Members of a communicator by their rank, as streams; `none` where a rank's stream is not known.
    void communicator(std::uint64_t id, std::vector<std::uint32_t> members);

    // `event` is an index of ForeignTrace::events. Messages of one pair, communicator and tag are received in the order in
    // which they were sent. That order is the one in which the receives were posted (MPI 3.1, 3.5), which need not be that of
    // their completion.
    void send(std::uint32_t event, std::uint64_t communicator, std::uint32_t to, std::uint32_t tag);
    void posted(std::uint32_t stream, std::uint64_t request);  // a receive that does not block
    void cancelled(std::uint32_t stream, std::uint64_t request);
    void receive(std::uint32_t event, std::uint64_t communicator, std::uint32_t from, std::uint32_t tag,
                 std::optional<std::uint64_t> request);
    void collective_begins(std::uint32_t event);
    // Empty operation: one that does not tie its members for certain.
    void collective_ends(std::uint32_t event, std::uint64_t communicator, std::optional<tmon_order::Operation> operation,
                         std::uint32_t root);
    // Numbers the messages; call it after the last event. `whole`: no event is missing at the end. Where sends or receives
    // were not recorded, so that nobody can tell which ones belong together, they stay unjoined.
    void finish(bool whole);

private:
    using Channel = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::uint32_t>;  // from, to, communicator, tag
    struct Received {
        std::uint64_t posted;
        std::uint32_t event;
    };
    struct Group {
        std::shared_ptr<const tmon_order::Group> members;
        std::map<std::uint32_t, std::uint32_t> rank_of;  // by stream
        bool whole = false;                              // all streams are known, and each once
        std::uint32_t number = 0;
    };
    std::uint64_t joined_before(const Channel& channel, std::size_t sends, std::size_t receives) const;
    std::uint32_t stream_at(std::uint64_t communicator, std::uint32_t rank) const;
    void tie(std::uint32_t event, const Channel& channel, std::uint64_t channel_number, std::uint64_t number, bool send);

    ForeignTrace& trace_;
    std::unordered_map<std::uint64_t, Group> groups_;
    std::map<Channel, std::vector<std::uint32_t>> sends_;
    std::map<Channel, std::vector<Received>> receives_;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> posted_;     // by stream and request
    std::map<std::uint32_t, std::uint64_t> posts_;                                // of each stream
    std::map<std::uint32_t, std::vector<std::uint32_t>> begun_;                   // collectives that go on, by stream
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> instances_;  // by stream and communicator
};

}  // namespace tmon_foreign
