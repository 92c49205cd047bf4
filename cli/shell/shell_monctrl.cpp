#include "shell/shell_monctrl.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <instrumentation/monctrl.hpp>
#include <trollius_commands/command_words.hpp>
#include <vocabulary/source_position.hpp>

namespace cli {

using vocabulary::NodeId;

namespace {

constexpr const char* usage = "monctrl -b|-q|-s|-e CLASS+CLASS [-n NUMBER] [NODES]";

class Monctrl final : public trollius_commands::Command {
public:
    Monctrl(MonctrlOrder order, std::optional<NodeId> master, std::function<void(NodeId, bool)> switched)
        : order_(std::move(order)), master_(master), switched_(std::move(switched)) {}
    const char* name() const override { return "monctrl"; }
    std::size_t steps() const override { return order_.nodes.size() + (master_ ? 1 : 0); }
    NodeId asks(std::size_t step) const override { return step < order_.nodes.size() ? order_.nodes[step] : *master_; }

    bool step(std::size_t number, trollius_os::Api& api, std::string&) override {
        using instrumentation::Control;
        using What = MonctrlOrder::What;
        const NodeId node = asks(number);
        if (number == order_.nodes.size()) {
            instrumentation::monctrl_master(api, order_.what == What::Begin ? Control::Begin : Control::Stop, node);
        } else if (order_.what == What::Classes) {
            const auto others = static_cast<std::uint8_t>(trace_record::ClassSet::all().bits() & ~order_.classes.bits());
            instrumentation::monctrl_classes(api, trace_record::ClassSet::from_bits(others), false, {node});
            instrumentation::monctrl_classes(api, order_.classes, true, {node});
        } else {
            const bool begins = order_.what == What::Begin;
            if (!begins) switched_(node, false);  // it may be held from now on, even if its answer is lost
            instrumentation::monctrl(api, begins ? Control::Begin : Control::Stop, {node});
            if (begins) switched_(node, true);
        }
        return true;
    }

private:
    MonctrlOrder order_;
    std::optional<NodeId> master_;  // of Tmon's interrupts, told after the nodes
    std::function<void(NodeId, bool)> switched_;
};

}  // namespace

MonctrlOrder monctrl_order(const std::vector<std::string>& words, const trollius_commands::Site& site) {
    using What = MonctrlOrder::What;
    trollius_commands::CommandWords given(words, site, "bqs", "en", usage);
    MonctrlOrder order;
    const int orders =
        (given.has('b') ? 1 : 0) + (given.has('q') ? 1 : 0) + (given.has('s') ? 1 : 0) + (given.has('e') ? 1 : 0);
    if (orders != 1) given.fail(orders == 0 ? "no order is given" : "one order at a time");
    if (given.has('q')) order.what = What::Quit;
    if (given.has('s')) order.what = What::Stop;
    if (const auto classes = given.value('e')) {
        order.what = What::Classes;
        const auto known = trace_record::classes_named(*classes);
        if (!known) given.fail(fmt::format("'{}' has an unknown class", *classes));
        order.classes = *known;
    }
    const auto number =
        given.has('n') ? std::optional(given.number('n', 0, 1, static_cast<std::uint32_t>(site.usual.size()))) : std::nullopt;
    order.nodes = given.take_nodes(true);
    given.end();
    if (number) order.nodes.assign(site.usual.begin(), site.usual.begin() + *number);
    std::stable_partition(order.nodes.begin(), order.nodes.end(), [](NodeId node) { return node.value() != 0; });
    return order;
}

std::unique_ptr<trollius_commands::Command> monctrl_command(MonctrlOrder order, const scenario::Scenario& scenario,
                                                            std::function<void(NodeId, bool)> switched) {
    const bool tmon = scenario.monitor->kind == instrumentation::MonitorKind::Tmon;
    std::optional<NodeId> master;
    if (tmon && order.what != MonctrlOrder::What::Classes) master = scenario.machine.interrupt_master;
    if (tmon && order.what == MonctrlOrder::What::Stop) order.nodes.clear();  // only the master of the interrupts stops
    return std::make_unique<Monctrl>(std::move(order), master, std::move(switched));
}

}  // namespace cli
