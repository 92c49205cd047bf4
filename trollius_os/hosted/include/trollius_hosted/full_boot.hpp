// FullBoot: the boot of a machine by bootd, from the reset to smart routers (docs/decisions/0036-*.md). Each node waits at its
// boot ROM, on all its links. The host boots its neighbours, they boot theirs in boot order and set their clocks. Then the host
// sends every booted node its route table, nearest first. A node that has not answered is tried over its other links, if a
// booted neighbour has one. In the end each node that could not be booted has a sentence.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <topologies/cost_table.hpp>
#include <topologies/network.hpp>
#include <trollius_os/services/bootd.hpp>

namespace trollius_hosted {

class Multicomputer;

class FullBoot {
public:
    FullBoot(Multicomputer& box, const topologies::CostTable& costs);

    void begin();  // at power-up, when the switches are set
    bool over() const { return over_; }
    // Whose bootd has booted a node, and over which link of its own; empty until then.
    struct Parent {
        vocabulary::NodeId node;
        vocabulary::LinkNo link{0};
    };
    const std::optional<Parent>& parent(vocabulary::NodeId node) const { return parents_[node.value()]; }
    // When it is over: a sentence for each node, or group of nodes, that could not be booted. Empty: all were.
    std::vector<std::string> failures() const;

private:
    using Entries = std::vector<trollius_os::services::BootEntry>;

    coroutines::Task<> boot_rom(std::size_t index, vocabulary::LinkNo link);
    coroutines::Task<> receive(std::size_t index, vocabulary::LinkNo link, trollius_os::services::BootWords& words,
                               std::vector<std::byte>& body);
    void close_other_links(std::size_t index, vocabulary::LinkNo link);

    coroutines::Task<> run(trollius_os::Calls& calls);  // the host's process vboot
    coroutines::Task<> take_reports(trollius_os::Calls& calls);
    coroutines::Task<> take_answers(trollius_os::Calls& calls);
    coroutines::Task<> order(trollius_os::Calls& calls, const Entries& round);
    coroutines::Task<> send_tables(trollius_os::Calls& calls);
    coroutines::Task<> silence(trollius_os::Calls& calls, const std::function<bool()>& done, const std::uint64_t& heard);
    void note(const trollius_os::services::BootReport& report);
    Entries next_round() const;
    bool has_news_of_all(const Entries& round) const;
    std::vector<vocabulary::NodeId> in_boot_order() const;
    std::string link_name(vocabulary::NodeId node, vocabulary::LinkNo link) const;
    topologies::Network living() const;  // the network without what did not answer

    Multicomputer& box_;
    trollius_os::services::BootCosts costs_;
    std::uint64_t silence_us_;
    std::vector<std::array<trollius_os::Thread*, topologies::links_per_node>> roms_;  // by node and link, while they wait
    std::vector<std::optional<Parent>> parents_;
    std::set<vocabulary::NodeId> told_;                                        // reported as booted; the host too
    std::map<std::pair<vocabulary::NodeId, vocabulary::LinkNo>, bool> tried_;  // by whom, over which link: did it boot
    std::set<vocabulary::NodeId> silent_;                                      // booted, but did not take their table
    std::map<vocabulary::NodeId, std::int32_t> tables_;                        // the last one that each node has taken
    std::uint64_t reports_ = 0, answers_ = 0;
    std::int32_t sent_ = 0;
    trollius_os::Process *reporter_ = nullptr, *collector_ = nullptr;
    trollius_os::Thread* waiting_ = nullptr;  // vboot, while it waits for news
    bool over_ = false;
};

}  // namespace trollius_hosted
