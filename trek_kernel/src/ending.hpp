// Ending: the end of the farm on one node. A stop goes down the tree; the numbers of computed tasks come up.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "messages.hpp"
#include "node_desk.hpp"

namespace trek_kernel {

class Ending {
public:
    explicit Ending(NodeDesk& desk);

    bool stopping() const { return stopping_; }
    bool counts_sent() const { return counts_sent_; }          // the node's last message
    bool all_counted() const { return counts_missing_ == 0; }  // the numbers of every live child are here
    Task<> stop_arrived(Calls& calls);
    Task<> counts_arrived(Calls& calls, Child& child, std::span<const std::byte> counts);
    Task<> child_lost(const Child& child);  // its numbers are no longer expected
    // Sends the node's numbers up when those from below are here. Reports once, to probe points and witnesses, that the node
    // holds no task.
    Task<> report_finished(Calls& calls) { return stopping_ && counts_missing_ == 0 ? report(calls) : Task<>(); }
    // Manager: ends the farm, waits for the number of computed tasks of each node, and returns them.
    std::vector<std::uint32_t> stop_farm(Api& api);

private:
    bool holds_nothing() const;
    Task<> report(Calls& calls);
    Task<> send_counts(Calls& calls);

    NodeDesk& desk_;
    bool stopping_ = false, counts_sent_ = false, finished_told_ = false;
    std::size_t counts_missing_;
    Counts counts_;              // of the subtree
    Thread* stopper_ = nullptr;  // manager: waits in stop_farm()
};

}  // namespace trek_kernel
