#include <trollius_hosted/reconfigurer.hpp>

#include <algorithm>
#include <utility>

#include <topologies/end_names.hpp>
#include <trollius_hosted/reconfiguration_plan.hpp>
#include <trollius_os/services.hpp>
#include <vocabulary/contract.hpp>

namespace trollius_hosted {

using trollius_os::Api;
using trollius_os::services::RoutesAnswer;
using vocabulary::NodeId;
using vocabulary::SimTime;

namespace {

constexpr std::uint64_t answer_us = 200'000;     // after so long a silence no answer is expected from a node
constexpr SimTime least_plug = SimTime::ms(50);  // a message with a shorter wait may only wait for its turn

}  // namespace

Reconfigurer::Reconfigurer(Multicomputer& box, std::vector<topologies::Reconfiguration> orders)
    : box_(box), program_(box.machine()), orders_(std::move(orders)), answered_(box.node_count()) {
    std::stable_sort(orders_.begin(), orders_.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
    box_.machine().set_loss_witness(this);
}

Reconfigurer::~Reconfigurer() {
    box_.machine().set_loss_witness(nullptr);
}

void Reconfigurer::start() {
    started_ = true;
    for (const topologies::Reconfiguration& order : orders_)
        box_.machine().timeline().post(std::max(order.at, box_.now()), box_.host_id().value(), *this, 0);
}

std::size_t Reconfigurer::order(topologies::Reconfiguration order) {
    EXPECTS(started_ && order.at >= box_.now(), "reconfigurer.order.from_now_on");
    const auto later = [](SimTime at, const topologies::Reconfiguration& other) { return at < other.at; };
    const auto place =
        std::upper_bound(orders_.begin() + static_cast<std::ptrdiff_t>(done_.size()), orders_.end(), order.at, later);
    const auto number = static_cast<std::size_t>(place - orders_.begin());
    box_.machine().timeline().post(order.at, box_.host_id().value(), *this, 0);
    orders_.insert(place, std::move(order));
    return number;
}

void Reconfigurer::fire(std::uint32_t) {
    next();
}

// Begins the next order when its time has come and no other is under way.
void Reconfigurer::next() {
    if (busy_ || done_.size() == orders_.size() || orders_[done_.size()].at > box_.now()) return;
    const topologies::Reconfiguration& order = orders_[done_.size()];
    busy_ = true;
    done_.push_back({.at = order.at,
                     .began = box_.now(),
                     .switched = {},
                     .routed = {},
                     .differences = {},
                     .silent_nodes = {},
                     .plugged = {}});
    std::vector<topologies::SwitchSetting> from;
    for (const auto& setting : order.settings) {
        const auto& connections = box_.description().switches[setting.which.value()].connections;
        if (!hw_model::change_messages(connections, setting.connections).empty()) ++done_.back().switches;
        from.push_back({setting.which, connections});
    }
    program_.change(from, order.settings, [this](const hw_model::ProgrammedSwitches& result) { switched(result); });
}

void Reconfigurer::switched(const hw_model::ProgrammedSwitches& result) {
    Reconfigured& now = done_.back();
    now.switched = box_.now();
    now.configuration_bytes = result.bytes;
    now.differences = result.differences;
    if (now.switches == 0) {  // nothing to change: every route is as it was
        now.routed = box_.now();
        busy_ = false;
        return next();
    }
    box_.set_connections(orders_[done_.size() - 1].settings);
    const std::uint64_t stack = box_.host().costs().service_stack;
    answered_.assign(box_.node_count(), false);
    if (collector_ == nullptr) {
        collector_ = box_.host().create({"trout.answers", trollius_os::Priority::Low, trollius_os::kernel_priority::command,
                                         stack, [this](Api& api) { take_answers(api); }});
    }
    box_.host().create({"trout", trollius_os::Priority::Low, trollius_os::kernel_priority::command, stack,
                        [this](Api& api) { send_tables(api); }});
}

void Reconfigurer::take_answers(Api& api) {
    while (true) {
        const auto answer = trollius_os::decode<RoutesAnswer>(trollius_os::services::await_answer(api));
        if (!answer || answer->tag != static_cast<std::int32_t>(done_.size())) continue;
        const std::size_t node = answer->node.id().value();
        if (node >= answered_.size() || answered_[node]) continue;
        answered_[node] = true;
        ++done_.back().told;
        if (sender_ != nullptr) api.wake(*sender_);
    }
}

// Level by level, so that a table travels only over nodes that have theirs.
void Reconfigurer::send_tables(Api& api) {
    for (std::size_t level = 1; send_level(api, level); ++level) {
    }
    std::sort(done_.back().silent_nodes.begin(), done_.back().silent_nodes.end());
    done_.back().routed = box_.now();
    busy_ = false;
    next();
}

// False when no node is so far away.
bool Reconfigurer::send_level(Api& api, std::size_t level) {
    const auto hops = box_.network().hops(box_.host_id());
    bool any = false;
    std::vector<NodeId> sent;
    for (std::size_t i = 0; i < box_.node_count(); ++i) {
        const NodeId node(static_cast<NodeId::value_type>(i));
        if (hops[i] != level) continue;
        any = true;
        if (!box_.booted(node)) continue;
        trollius_os::send_routes(api, node, trollius_os::RouteTable(box_.network().routes(node)), collector_->reply_event(),
                                 static_cast<std::int32_t>(done_.size()));
        sent.push_back(node);
    }
    const auto waits_for = [&](NodeId node) { return !answered_[node.value()]; };
    const std::uint64_t deadline = api.port().clock_us(trollius_os::Priority::High) + answer_us;
    sender_ = &api.port().self();
    while (std::any_of(sent.begin(), sent.end(), waits_for) && api.port().clock_us(trollius_os::Priority::High) < deadline)
        api.wait_until_clock(deadline);
    sender_ = nullptr;
    for (const NodeId node : sent) {
        if (!waits_for(node)) continue;
        ++done_.back().silent;
        done_.back().silent_nodes.push_back(node);
        done_.back().plugged = plugged();
    }
    return any;
}

std::vector<PluggedLink> Reconfigurer::plugged() const {
    std::vector<PluggedLink> found;
    for (std::size_t i = 0; i <= box_.node_count(); ++i) {
        const NodeId node(static_cast<NodeId::value_type>(i));
        for (std::uint8_t number = 0; number < topologies::links_per_node; ++number) {
            const vocabulary::LinkNo link(number);
            const hw_model::LinkEnd* end = box_.machine().node(node).link(link);
            if (end == nullptr || end->moving_out()) continue;
            const auto use = use_of(box_, node == box_.host_id() ? topologies::WireEnd(topologies::HostEnd{link})
                                                                 : topologies::WireEnd(topologies::NodeLink{node, link}));
            if (!use || box_.now() - use->since < least_plug) continue;
            found.push_back({.from = use->from,
                             .to = use->to,
                             .since = use->since,
                             .bytes = use->bytes,
                             .account = use->account,
                             .header = use->header,
                             .behind = use->behind});
        }
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.since < b.since; });
    return found;
}

void Reconfigurer::on_loss(const hw_model::LinkLoss& loss) {
    const auto name = [this](const std::optional<topologies::WireEnd>& end) {
        return end ? topologies::end_name(box_.description(), *end) : std::string("nowhere");
    };
    LostTransfer lost{.when = loss.when,
                      .which = box_.description().switches[loss.which.value()].name,
                      .from = name(loss.from),
                      .to = name(loss.to),
                      .bytes = loss.message->wire_bytes,
                      .account = loss.message->account,
                      .header = {},
                      .between = {},
                      .ordered = {}};
    const auto* from = loss.from ? std::get_if<topologies::NodeLink>(&*loss.from) : nullptr;
    const auto* to = loss.to ? std::get_if<topologies::NodeLink>(&*loss.to) : nullptr;
    if (from != nullptr && to != nullptr) lost.between = std::pair(from->node, to->node);
    if (loss.message->channel == hw_model::Channel::Circuit)
        lost.header.assign(loss.message->header.begin(), loss.message->header.end());
    if (busy_ && !done_.back().switched) lost.ordered = done_.back().at;
    lost_.push_back(std::move(lost));
}

}  // namespace trollius_hosted
