#include "totals.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include <instrumentation/accounts.hpp>
#include <trollius_os/accounts.hpp>

namespace outcome {
namespace {

using instrumentation::accounts::trace_message;
using trollius_os::accounts::application;
using trollius_os::accounts::system;
using vocabulary::SimTime;

constexpr std::size_t rows_at_most = 16;  // a screen holds two such tables; a line sums the rows left out

double share(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}
double share(SimTime part, SimTime whole) {
    return share(part.in_seconds(), whole.in_seconds());
}

// The monitor's share of the bytes.
double monitor_share(const hw_model::LinkTotals& totals) {
    return share(static_cast<double>(totals.of[trace_message].bytes), static_cast<double>(totals.all().bytes));
}

SimTime busy(const session::NodeLine& node) {
    return node.high_busy + node.low_busy;
}

template <class Rows, class Key>
std::vector<std::size_t> busiest_first(const Rows& rows, Key busy_of) {
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return busy_of(rows[a]) > busy_of(rows[b]); });
    return order;
}

// The rows shown, in machine order when nothing is left out. The rest follows them in the same list from `shown` on.
struct Choice {
    std::vector<std::size_t> order;
    std::size_t shown = 0;
};

template <class Rows, class Key>
Choice choose(const Rows& rows, bool top, Key busy_of) {
    Choice choice{busiest_first(rows, busy_of), rows.size()};
    if (top) choice.shown = std::min(rows_at_most, rows.size());
    if (choice.shown == rows.size()) std::sort(choice.order.begin(), choice.order.end());
    return choice;
}

void link_row(std::string& text, const std::string& from, const std::string& to, const hw_model::LinkTotals& totals,
              SimTime busy_time, SimTime modelled) {
    fmt::format_to(std::back_inserter(text), "  {:<7} {:<7} {:>12} {:>12} {:>12} {:>9} {:>8.1f} {:>7.2f} {:>8.2f} {:>6}\n",
                   from, to, totals.of[application].bytes, totals.of[system].bytes, totals.of[trace_message].bytes,
                   totals.all().messages, 100 * monitor_share(totals), 100 * share(busy_time, modelled),
                   100 * share(totals.waiting, modelled), totals.lost);
}

void add(hw_model::LinkTotals& to, const hw_model::LinkTotals& more) {
    for (std::uint8_t account = 0; account < vocabulary::accounts; ++account)
        to.of[vocabulary::Account(account)] += more.of[vocabulary::Account(account)];
    to.waiting += more.waiting;
    to.lost += more.lost;
}

std::string links_text(const session::Observed& observed, const session::Simulated& simulated, bool top) {
    std::vector<session::LinkLine> links;
    std::copy_if(simulated.links.begin(), simulated.links.end(), std::back_inserter(links),
                 [](const session::LinkLine& link) { return link.used(); });
    std::string text = fmt::format("\n  {:<7} {:<7} {:>12} {:>12} {:>12} {:>9} {:>8} {:>7} {:>8} {:>6}\n", "link", "to",
                                   "application", "system", "monitor", "messages", "monitor%", "busy%", "waiting%", "lost");
    const Choice choice = choose(links, top, [](const session::LinkLine& link) { return link.busy(); });
    for (std::size_t i = 0; i < choice.shown; ++i) {
        const session::LinkLine& link = links[choice.order[i]];
        link_row(text, link.from, link.to, link.totals, link.busy(), observed.lasted());
    }
    if (const std::size_t rest = links.size() - choice.shown; rest > 0) {
        hw_model::LinkTotals sums;
        for (std::size_t i = choice.shown; i < links.size(); ++i) add(sums, links[choice.order[i]].totals);
        const SimTime all = observed.lasted() * static_cast<std::int64_t>(rest);  // so that the shares are means
        link_row(text, fmt::format("{}", rest), "others", sums, sums.all().busy, all);
    }
    text += "  (bytes with boot and loading; waiting: offered to the link and not begun";
    if (choice.shown < links.size())
        text += fmt::format("; the {} busiest of {}, --totals all shows each", choice.shown, links.size());
    return text + ")\n";
}

void node_row(std::string& text, const std::string& name, const session::NodeLine& node, SimTime modelled) {
    constexpr double kib = 1024;
    fmt::format_to(std::back_inserter(text), "  {:<10} {:>7.2f} {:>7.2f} {:>7.2f} {:>12} {:>10} {:>12.1f} {:>10.0f}\n", name,
                   100 * share(busy(node), modelled), 100 - 100 * share(busy(node), modelled),
                   100 * share(node.high_busy, modelled), node.preemptions, node.timeslices,
                   static_cast<double>(node.memory_high_water) / kib, static_cast<double>(node.memory_size) / kib);
}

std::string nodes_text(const session::Observed& observed, const session::Simulated& simulated, bool top) {
    std::string text = fmt::format("\n  {:<10} {:>7} {:>7} {:>7} {:>12} {:>10} {:>12} {:>10}\n", "node", "busy%", "idle%",
                                   "high%", "pre-emptions", "timeslices", "KiB at most", "of KiB");
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < simulated.nodes.size(); ++i) {
        if (observed.nodes[i].member) members.push_back(i);
    }
    const Choice choice = choose(members, top, [&](std::size_t node) { return busy(simulated.nodes[node]); });
    for (std::size_t i = 0; i < choice.shown; ++i) {
        const std::size_t node = members[choice.order[i]];
        node_row(text, fmt::format("n{}", node), simulated.nodes[node], observed.lasted());
    }
    if (const std::size_t rest = members.size() - choice.shown; rest > 0) {
        session::NodeLine sums;
        for (std::size_t i = choice.shown; i < members.size(); ++i) {
            const session::NodeLine& node = simulated.nodes[members[choice.order[i]]];
            sums.high_busy += node.high_busy;
            sums.low_busy += node.low_busy;
            sums.preemptions += node.preemptions;
            sums.timeslices += node.timeslices;
            sums.memory_high_water += node.memory_high_water;
            sums.memory_size += node.memory_size;
        }
        node_row(text, fmt::format("{} others", rest), sums, observed.lasted() * static_cast<std::int64_t>(rest));
    }
    text += "  (high: at high priority, part of busy; a node that died idles from then on";
    if (choice.shown < members.size())
        text += fmt::format("; the {} busiest of {}, --totals all shows each", choice.shown, members.size());
    return text + ")\n";
}

}  // namespace

std::string totals_text(const session::Observed& observed, const session::Simulated& simulated, Totals which) {
    if (which == Totals::None) return {};
    const bool top = which == Totals::Top || (which == Totals::Automatic && simulated.nodes.size() > rows_at_most);
    return links_text(observed, simulated, top) + nodes_text(observed, simulated, top);
}

nlohmann::ordered_json link_json(const session::LinkLine& link, SimTime modelled) {
    const hw_model::LinkTotals& totals = link.totals;
    return {{"from", link.from},
            {"to", link.to},
            {"application_bytes", totals.of[application].bytes},
            {"system_bytes", totals.of[system].bytes},
            {"monitor_bytes", totals.of[trace_message].bytes},
            {"monitor_share", monitor_share(totals)},
            {"busy_us", link.busy().in_us()},
            {"busy_share", share(link.busy(), modelled)},
            {"application_messages", totals.of[application].messages},
            {"system_messages", totals.of[system].messages},
            {"monitor_messages", totals.of[trace_message].messages},
            {"waiting_us", totals.waiting.in_us()},
            {"lost_transfers", totals.lost}};
}

nlohmann::ordered_json node_json(std::size_t index, const session::ObservedNode& seen, const session::NodeLine& node,
                                 SimTime modelled) {
    return {{"node", index},
            {"answers", seen.answers},
            {"high_busy_us", node.high_busy.in_us()},
            {"low_busy_us", node.low_busy.in_us()},
            {"idle_us", (modelled - busy(node)).in_us()},
            {"busy_share", share(busy(node), modelled)},
            {"high_share", share(node.high_busy, modelled)},
            {"preemptions", node.preemptions},
            {"timeslices", node.timeslices},
            {"memory_high_water_bytes", node.memory_high_water},
            {"memory_bytes", node.memory_size}};
}

}  // namespace outcome
