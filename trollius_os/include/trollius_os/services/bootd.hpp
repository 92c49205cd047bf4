// bootd boots the neighbours of its node, one after the other in boot order, sets their clocks, and reports each up the boot
// tree. It boots on by itself what lies behind each: a block travels with the image and names those nodes. Later it obeys
// orders to boot more. It exists only on nodes that another bootd has booted.
//
// With a neighbour it talks on its link, in the circuits' channel, since an unbooted node knows no packets. The neighbour runs
// from its boot ROM (trollius_hosted::FullBoot): Bootstrap, Ready from the neighbour, Clock, Image, Block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <trollius_os/services/request.hpp>

namespace trollius_os::services {

// A message on the link to a node that boots. `clock_us`: of Clock, what the neighbour's clock shows at its start.
struct BootWords {
    enum class Kind : std::uint32_t { Bootstrap = 1, Ready = 2, Clock = 3, Image = 4, Block = 5 } kind = Kind::Bootstrap;
    std::uint32_t node = 0;  // that sends it
    std::uint64_t clock_us = 0;
};

// Costs of booting, from the cost table.
struct BootCosts {
    std::uint32_t bootstrap = 0, words = 0, image = 0;  // bytes on the link; `words` is that of Ready and of Clock
    std::uint64_t clock_ahead_us = 0;                   // between the reading of the own clock and the start of the other one
    std::uint64_t time_out_us = 0;                      // for all messages with one neighbour, by the own clock
};

// A node to boot, by which of the booted ones, over which of its links. A block is a list of them, in boot order.
struct BootEntry {
    NodeWord by{}, node{};
    std::int32_t link = 0;
    friend bool operator==(const BootEntry&, const BootEntry&) = default;
};
static_assert(sizeof(BootEntry) == 12 && std::has_unique_object_representations_v<BootEntry>);

// The orders that a node got when it was booted.
struct BootTask {
    NodeId by;  // booted by that node, over its own link `up`
    LinkNo up{0};
    std::vector<BootEntry> block;
    BootCosts costs;
};

enum class BootCall : std::int32_t { Boot = 1, Report = 2 };

// Body: the block. The entries of the node itself come first or later; each entry stands behind that of its `by`.
struct BootOrder {
    BootCall call = BootCall::Boot;
    constexpr bool sound() const { return call == BootCall::Boot; }
};
static_assert(sizeof(BootOrder) == 4);

struct BootReport {
    BootCall call = BootCall::Report;
    BootEntry what{};
    std::int32_t booted = 0;  // 1: it has taken its image and block
    constexpr bool sound() const {
        return call == BootCall::Report && what.by.fits() && what.node.fits() && what.link >= 0 && what.link < 4 &&
               (booted == 0 || booted == 1);
    }
};
static_assert(sizeof(BootReport) == 20);

std::vector<std::byte> encode_block(std::span<const BootEntry> block);
// Entries that name no link are left out; surplus bytes too.
std::vector<BootEntry> decode_block(std::span<const std::byte> body);
// The entries of `root` and of what lies behind it, in the same order.
std::vector<BootEntry> block_behind(std::span<const BootEntry> block, NodeId root);

// Boots a neighbour over a link. False: it has not answered, or not taken all, within the time-out. The link may hold a message
// then that nobody takes. Cost: its messages on the link.
Task<bool> boot_neighbour(Calls& calls, LinkNo link, const BootCosts& costs, std::vector<BootEntry> block);
// Boots the entries of the calling node one after the other; `told` hears of each.
Task<> boot_neighbours(Calls& calls, const BootCosts& costs, std::vector<BootEntry> block,
                       std::function<Task<>(const BootReport&)> told);

Task<> bootd(Calls& calls, const BootTask& task);  // the process; never returns

}  // namespace trollius_os::services
