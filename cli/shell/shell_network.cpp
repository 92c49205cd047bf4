#include "shell/shell_network.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <outcome/reconfiguration_text.hpp>
#include <text/time_text.hpp>
#include <topologies/end_names.hpp>
#include <topologies/network.hpp>
#include <vocabulary/errors.hpp>

namespace cli {

using session::LiveSession;
using topologies::MachineDescription;
using topologies::WireEnd;
using trollius_hosted::LinkUse;
using trollius_hosted::ReconfigurationPlan;
using vocabulary::LinkNo;
using vocabulary::NodeId;
using vocabulary::SimTime;

namespace {

constexpr SimTime least_plug = SimTime::ms(50);  // as trollius_hosted::Reconfigurer::plugged()
constexpr std::size_t most_lines = 12;           // of one kind, in the text of a plan

struct LinkView {
    WireEnd from;
    std::optional<WireEnd> to;
    std::vector<std::string> through;  // switches; where it leads nowhere, the way that it is soldered to
    std::optional<LinkUse> use;
    bool receives = false;
};

std::vector<LinkView> links_of(LiveSession& session, const std::vector<NodeId>& nodes, bool all) {
    trollius_hosted::Multicomputer& box = session.machine();
    const MachineDescription& machine = box.description();
    std::vector<LinkView> views;
    std::map<WireEnd, const topologies::Path*> path_at;
    for (const topologies::Path& path : box.network().paths()) path_at[path.a] = path_at[path.b] = &path;
    std::map<WireEnd, WireEnd> cable_at;
    for (const topologies::Wire& wire : machine.wires) {
        cable_at.emplace(wire.a, wire.b);
        cable_at.emplace(wire.b, wire.a);
    }
    for (const NodeId node : nodes) {
        for (std::uint8_t number = 0; number < topologies::links_per_node; ++number) {
            const LinkNo link(number);
            const hw_model::LinkEnd* end = box.machine().node(node).link(link);
            if (end == nullptr) continue;
            LinkView view{
                node == box.host_id() ? WireEnd(topologies::HostEnd{link}) : WireEnd(topologies::NodeLink{node, link}),
                {},
                {},
                {},
                end->moving()};
            if (const auto found = path_at.find(view.from); found != path_at.end()) {
                const topologies::Path& path = *found->second;
                view.to = path.a == view.from ? path.b : path.a;
                for (const auto which : path.through) view.through.push_back(machine.switches[which.value()].name);
                if (path.b == view.from) std::reverse(view.through.begin(), view.through.end());
            } else if (const auto cable = cable_at.find(view.from); cable != cable_at.end()) {
                view.through = {topologies::end_name(machine, cable->second)};
            }
            view.use = trollius_hosted::use_of(box, view.from);
            if (view.to || view.use || all) views.push_back(std::move(view));
        }
    }
    return views;
}

std::string use_text(const LinkUse& use) {
    return outcome::message_text(use.header, use.bytes, use.account) + " since " + text::time_text(use.since) +
           (use.behind > 0 ? fmt::format(", {} more behind it", use.behind) : "");
}

// "idle", "receives", "sends", "waits", "plugged"
const char* state_of(const LinkView& view, SimTime now) {
    if (!view.use) return view.receives ? "receives" : "idle";
    if (view.use->moves) return "sends";
    return now - view.use->since < least_plug ? "waits" : "plugged";
}

std::string ends_text(const MachineDescription& machine, const topologies::Path& path) {
    std::vector<std::string> through;
    for (const auto which : path.through) through.push_back(machine.switches[which.value()].name);
    return fmt::format("{} - {} ({})", topologies::end_name(machine, path.a), topologies::end_name(machine, path.b),
                       fmt::join(through, ", "));
}

void add(std::string& text, const char* name, const std::string& line) {
    text += fmt::format("  {:<12} {}\n", name, line);
}

void add_some(std::string& text, const char* name, const std::vector<std::string>& lines) {
    for (std::size_t i = 0; i < std::min(lines.size(), most_lines); ++i) add(text, i == 0 ? name : "", lines[i]);
    if (lines.size() > most_lines) add(text, "", fmt::format("and {} more", lines.size() - most_lines));
}

std::vector<std::string> path_lines(const MachineDescription& machine, const std::vector<topologies::Path>& paths) {
    std::vector<std::string> lines;
    for (const topologies::Path& path : paths) lines.push_back(ends_text(machine, path));
    return lines;
}

// "x2: 16 - 24 ends, 16 - 17 new"
std::vector<std::string> setting_lines(const MachineDescription& machine, const topologies::Rewiring& change) {
    std::vector<std::string> lines;
    for (const topologies::SwitchSetting& setting : change.settings) {
        std::vector<std::string> parts;
        const auto take = [&](const std::vector<topologies::ChangedConnection>& some, const char* what) {
            for (const auto& one : some) {
                if (one.which == setting.which) parts.push_back(fmt::format("{} - {} {}", one.a.value(), one.b.value(), what));
            }
        };
        take(change.removed, "ends");
        take(change.made, "new");
        lines.push_back(fmt::format("{}: {}", machine.switches[setting.which.value()].name, fmt::join(parts, ", ")));
    }
    return lines;
}

std::string fewest_text(const topologies::Rewiring& change) {
    if (!change.least_changes) return "";
    if (change.fewest()) return "; no network whose links pass a switch at most once changes fewer";
    return fmt::format("; {} might do, which the search has not decided", *change.least_changes);
}

// Branches of a running farm's tree whose link ends, "n0 - n1".
std::vector<std::string> cut_branches(LiveSession& session, const topologies::Rewiring& change) {
    std::vector<std::string> cut;
    if (session.scenario().farm.nodes == 0 || session.farm().started_nodes() == 0) return cut;
    const auto& places = session.farm().places();
    for (const NodeId node : session.scenario().farm.members()) {
        const auto& parent = places[node.value()].parent;
        if (!parent || parent->over_network) continue;
        const WireEnd end = topologies::NodeLink{node, parent->link};
        const bool ends = std::any_of(change.cut.begin(), change.cut.end(),
                                      [&](const topologies::Path& path) { return path.a == end || path.b == end; });
        if (ends) cut.push_back(fmt::format("n{} - n{}", parent->node.value(), node.value()));
    }
    return cut;
}

// Nodes that the change brings within reach, and that have not booted.
std::vector<NodeId> not_booted(LiveSession& session, const topologies::Rewiring& change) {
    trollius_hosted::Multicomputer& box = session.machine();
    const topologies::Network before(box.description()), after(topologies::rewired(box.description(), change));
    const auto was = before.hops(before.host()), is = after.hops(after.host());
    std::vector<NodeId> dead;
    for (std::size_t i = 0; i < box.node_count(); ++i) {
        const NodeId node(static_cast<NodeId::value_type>(i));
        if (is[i] && !was[i] && !box.booted(node)) dead.push_back(node);
    }
    return dead;
}

std::vector<std::string> use_lines(const std::vector<LinkUse>& uses) {
    std::vector<std::string> lines;
    for (const LinkUse& use : uses)
        lines.push_back(fmt::format("{} -> {}: {}", use.from, use.to.empty() ? "nowhere" : use.to, use_text(use)));
    return lines;
}

nlohmann::ordered_json uses_json(const std::vector<LinkUse>& uses) {
    auto json = nlohmann::ordered_json::array();
    for (const LinkUse& use : uses)
        json.push_back({{"from", use.from},
                        {"to", use.to.empty() ? "-" : use.to},
                        {"since_ps", use.since.in_ps()},
                        {"bytes", use.bytes},
                        {"message", outcome::message_text(use.header, use.bytes, use.account)},
                        {"behind", use.behind}});
    return json;
}

}  // namespace

std::string links_text(LiveSession& session, const std::vector<NodeId>& nodes, bool all) {
    std::string text = fmt::format("{:<8} {:<8} {:<14} {}\n", "LINK", "TO", "THROUGH", "STATE");
    const MachineDescription& machine = session.machine().description();
    for (const LinkView& view : links_of(session, nodes, all)) {
        const std::string state = state_of(view, session.now());
        text += fmt::format("{:<8} {:<8} {:<14} {}\n", topologies::end_name(machine, view.from),
                            view.to ? topologies::end_name(machine, *view.to) : "nowhere",
                            view.to && view.through.empty() ? "a cable" : fmt::format("{}", fmt::join(view.through, ", ")),
                            state + (view.use ? ": " + use_text(*view.use) : ""));
    }
    return text;
}

std::string links_json(LiveSession& session, const std::vector<NodeId>& nodes, bool all) {
    const MachineDescription& machine = session.machine().description();
    nlohmann::ordered_json json = {{"links", nlohmann::ordered_json::array()}};
    for (const LinkView& view : links_of(session, nodes, all)) {
        nlohmann::ordered_json line = {{"from", topologies::end_name(machine, view.from)}, {"to", nullptr}};
        if (view.to) line["to"] = topologies::end_name(machine, *view.to);
        line["through"] = view.through;
        line["state"] = state_of(view, session.now());
        if (view.use) line["message"] = uses_json({*view.use})[0];
        json["links"].push_back(std::move(line));
    }
    return json.dump();
}

std::string plan_text(LiveSession& session, const ReconfigurationPlan& plan) {
    const topologies::Rewiring& change = plan.change;
    if (change.changes() == 0) return "the switches are set like this already; nothing changes\n";
    const MachineDescription& machine = session.machine().description();
    std::string text;
    add(text, "settings",
        fmt::format("{} connections made, {} taken away, {} kept{}", change.made.size(), change.removed.size(), change.kept,
                    fewest_text(change)));
    add_some(text, "switches", setting_lines(machine, change));
    add_some(text, "ends", path_lines(machine, change.cut));
    add_some(text, "new", path_lines(machine, change.joined));
    std::vector<std::string> lines;
    for (const std::uint64_t bytes : plan.control.lines) lines.push_back(std::to_string(bytes));
    add(text, "control",
        fmt::format("{} bytes ({} over each control connection), {} until all is set and read back", plan.control.bytes,
                    fmt::join(lines, " and "), text::time_text(plan.control.time)));
    if (!change.out_of_reach.empty())
        add(text, "out of reach", topologies::node_list(change.out_of_reach) + ", for the host and its messages");
    if (const auto dead = not_booted(session, change); !dead.empty())
        add(text, "not booted", topologies::node_list(dead) + "; messages to them, and over them, go nowhere");
    add_some(text, "under way", use_lines(plan.under_way));
    if (!plan.under_way.empty()) add(text, "", "lost, unless they arrive before their connection is taken away");
    add_some(text, "waiting", use_lines(plan.waiting));
    if (!plan.waiting.empty()) add(text, "", "they go to whatever their link leads to next");
    if (plan.under_way.empty() && plan.waiting.empty() && !change.cut.empty())
        add(text, "under way", "nothing, on links that end");
    if (const auto cut = cut_branches(session, change); !cut.empty())
        add(text, "farm", fmt::format("{} of its tree's branches end: {}", cut.size(), fmt::join(cut, ", ")));
    return text;
}

std::string plan_json(LiveSession& session, const ReconfigurationPlan& plan) {
    const MachineDescription& machine = session.machine().description();
    const auto connections = [&](const std::vector<topologies::ChangedConnection>& some) {
        auto json = nlohmann::ordered_json::array();
        for (const auto& one : some)
            json.push_back({{"switch", machine.switches[one.which.value()].name}, {"ways", {one.a.value(), one.b.value()}}});
        return json;
    };
    const auto paths = [&](const std::vector<topologies::Path>& some) {
        auto json = nlohmann::ordered_json::array();
        for (const topologies::Path& path : some)
            json.push_back({topologies::end_name(machine, path.a), topologies::end_name(machine, path.b)});
        return json;
    };
    nlohmann::ordered_json json = {{"made", connections(plan.change.made)},
                                   {"taken_away", connections(plan.change.removed)},
                                   {"kept", plan.change.kept},
                                   {"least_changes", nullptr},
                                   {"ends", paths(plan.change.cut)},
                                   {"new", paths(plan.change.joined)},
                                   {"control_bytes", plan.control.bytes},
                                   {"control_lines", plan.control.lines},
                                   {"control_ps", plan.control.time.in_ps()},
                                   {"under_way", uses_json(plan.under_way)},
                                   {"waiting", uses_json(plan.waiting)}};
    if (plan.change.least_changes) json["least_changes"] = *plan.change.least_changes;
    json["out_of_reach"] = nlohmann::ordered_json::array();
    for (const NodeId node : plan.change.out_of_reach) json["out_of_reach"].push_back(topologies::node_name(node));
    json["not_booted"] = nlohmann::ordered_json::array();
    for (const NodeId node : not_booted(session, plan.change)) json["not_booted"].push_back(topologies::node_name(node));
    json["cut_branches"] = cut_branches(session, plan.change);
    return json.dump();
}

std::string outcome_text(LiveSession& session, std::size_t order, std::size_t lost_before) {
    const trollius_hosted::Reconfigurer& reconfigurer = session.reconfigurer();
    const trollius_hosted::Reconfigured& done = reconfigurer.done().at(order);
    std::string text;
    add(text, "done", outcome::reconfigured_text(done));
    for (const std::string& difference : done.differences) add(text, "", difference);
    std::vector<std::string> lost;
    for (std::size_t i = lost_before; i < reconfigurer.lost().size(); ++i)
        lost.push_back(outcome::lost_transfer_text(reconfigurer.lost()[i]));
    add_some(text, "lost", lost);
    return text;
}

void check_reconfigurable(LiveSession& session) {
    const MachineDescription& machine = session.machine().description();
    if (machine.switches.empty()) {
        throw vocabulary::RequestError(
            fmt::format("the machine '{}' has no switches, so its links are soldered and the host cannot change them; take a "
                        "machine with crossbars, as topologies/machines/ubc_75.yaml",
                        machine.name));
    }
    if (!session.reconfigurer().started())
        throw vocabulary::RequestError("the machine has not booted; let time go on with 'spread'");
    if (session.reconfigurer().busy())
        throw vocabulary::RequestError(
            "the host is setting switches already; let time go on until that is done, with 'run for 10ms'");
}

}  // namespace cli
