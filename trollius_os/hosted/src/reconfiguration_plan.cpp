#include <trollius_hosted/reconfiguration_plan.hpp>

#include <utility>

#include <topologies/end_names.hpp>

namespace trollius_hosted {

using topologies::WireEnd;

namespace {

std::pair<vocabulary::NodeId, vocabulary::LinkNo> place_of(Multicomputer& box, const WireEnd& end) {
    if (const auto* link = std::get_if<topologies::NodeLink>(&end)) return {link->node, link->link};
    return {box.host_id(), std::get<topologies::HostEnd>(end).link};
}

}  // namespace

std::optional<LinkUse> use_of(Multicomputer& box, const WireEnd& end) {
    const auto [node, link] = place_of(box, end);
    hw_model::LinkEnd* out = box.machine().node(node).link(link);
    if (out == nullptr || !out->sending()) return std::nullopt;
    hw_model::LinkMessage first;
    const unsigned waiting = out->in.get_base_interface().transport_dbg(first);
    if (waiting == 0) return std::nullopt;
    LinkUse use{.from = topologies::end_name(box.description(), end),
                .to = {},
                .moves = out->moving_out(),
                .since = first.due,
                .bytes = first.wire_bytes,
                .account = first.account,
                .header = {},
                .behind = waiting - std::size_t{1}};
    if (const auto& far = box.network().neighbour(node, link)) {
        use.to = topologies::end_name(box.description(), far->node == box.host_id()
                                                             ? WireEnd(topologies::HostEnd{far->link})
                                                             : WireEnd(topologies::NodeLink{far->node, far->link}));
    }
    if (first.channel == hw_model::Channel::Circuit) use.header.assign(first.header.begin(), first.header.end());
    return use;
}

ReconfigurationPlan plan_of(Multicomputer& box, const topologies::CostTable& costs, topologies::Rewiring change) {
    std::vector<topologies::SwitchSetting> from;
    for (const topologies::SwitchSetting& setting : change.settings)
        from.push_back({setting.which, box.description().switches[setting.which.value()].connections});
    ReconfigurationPlan plan{.change = {},
                             .control = hw_model::control_time(box.description(), costs, from, change.settings),
                             .under_way = {},
                             .waiting = {}};
    for (const topologies::Path& path : change.cut) {
        for (const WireEnd* end : {&path.a, &path.b}) {
            if (auto use = use_of(box, *end)) (use->moves ? plan.under_way : plan.waiting).push_back(std::move(*use));
        }
    }
    plan.change = std::move(change);
    return plan;
}

}  // namespace trollius_hosted
