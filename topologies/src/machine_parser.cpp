#include <fmt/format.h>

#include <topologies/end_names.hpp>
#include <topologies/link_speeds.hpp>
#include <topologies/machine_checks.hpp>
#include <topologies/machine_parser.hpp>

#include <topologies/bnail_file.hpp>
#include <topologies/strict_yaml.hpp>

#include "board_reader.hpp"
#include "end_parser.hpp"
#include "processor_types.hpp"

namespace topologies {
namespace {

using vocabulary::SourcePosition;

std::pair<WayNo, WayNo> connection(const YamlValue& item) {
    const auto [a, b] = split_pair(item.text(), "connection", "0 - 1", item.where());
    const WayNo way_a = parse_way(a.text, item.where(a.offset));
    return {way_a, parse_way(b.text, item.where(b.offset))};
}

// Reads what each line says by itself; machine_checks.hpp checks what the lines say together.
class MachineReader {
public:
    explicit MachineReader(const YamlValue& root) : root_(root) {}

    MachineDescription run() {
        places_.file = root_.where();
        version();
        root_.only_keys({"version", "name", "nodes", "link_speed", "host", "links", "switches", "weights", "waste",
                         "boot_order", "control", "interrupts", "unreachable", "asks", "boards"});
        name();
        if (const auto speed = root_.find("link_speed")) machine_.link_bits_per_second = link_speed_of(*speed);
        nodes(root_.at("nodes"));
        if (const auto word = root_.find("unreachable"))
            machine_.unreachable_allowed = word->one_of({"allowed", "error"}) == "allowed";
        const auto switches = root_.find("switches");
        if (switches) switch_names(*switches);
        host();
        if (const auto links = root_.find("links")) direct_wires(*links);
        if (switches) switch_wires(*switches);
        host_is_told();
        if (const auto value = root_.find("weights")) weights(*value);
        if (const auto value = root_.find("waste")) nodes_of(*value, machine_.waste, places_.waste);
        if (const auto value = root_.find("boot_order")) nodes_of(*value, machine_.boot_order, places_.boot_order);
        if (const auto value = root_.find("control")) control(*value);
        if (const auto value = root_.find("interrupts")) interrupts(*value);
        if (const auto value = root_.find("asks")) asks(*value);
        if (const auto value = root_.find("boards")) read_boards(*value, known_, machine_, places_);
        leave_out_equal_speeds(machine_);
        check_machine(machine_, places_);
        return std::move(machine_);
    }

    const Asked& asked() const { return asked_; }

private:
    // Comes before all other keys: a file of a later version may have keys that this program does not know.
    void version() const {
        const YamlValue version = root_.at("version");
        if (version.text() == "1") return;
        version.fail(
            fmt::format("this program reads version 1 of the machine file, not '{}'; write 'version: 1'", version.text()));
    }

    void name() {
        const YamlValue value = root_.at("name");
        machine_.name = value.text();
        if (is_machine_name(machine_.name)) return;
        value.fail(
            fmt::format("'{}' is no machine name; begin with a letter and use letters, digits, _, . and -", machine_.name));
    }

    void nodes(const YamlValue& value) {
        value.only_keys({"count", "ram", "clock", "type", "link_speed", "core", "override"});
        known_.node_count = static_cast<std::size_t>(value.at("count").integer(1, most_nodes));
        NodeDescription common{0, 20'000'000, {}, NodeCore::Kernel};
        value.at("ram");  // no default: the memory of a node decides what fits, so a machine says it
        of_a_node(value, common);
        machine_.nodes.assign(known_.node_count, common);
        const auto overrides = value.find("override");
        if (!overrides) return;
        for (const auto& [node, settings] : overrides->entries()) {
            settings.only_keys({"ram", "clock", "type", "link_speed", "core"});
            of_a_node(settings, machine_.nodes[parse_node(node, known_, overrides->where_key(node)).value()]);
        }
    }

    void of_a_node(const YamlValue& value, NodeDescription& node) {
        if (const auto ram = value.find("ram")) {
            node.ram_bytes = ram->byte_size();
            check_ram(node.ram_bytes, ram->where());
        }
        const auto clock = value.find("clock"), type = value.find("type");
        asked_.clock = asked_.clock || clock || type;
        if (clock) {
            node.clock_hz = clock->frequency_hz();
            check_clock(node.clock_hz, clock->where());
        }
        if (type) node.clock_hz = clock_of_type(*type, clock ? std::optional(node.clock_hz) : std::nullopt);
        if (const auto speed = value.find("link_speed")) link_speeds(*speed, node);
        if (const auto core = value.find("core"))
            node.core = core->one_of({"kernel", "t800"}) == "t800" ? NodeCore::T800 : NodeCore::Kernel;
    }

    std::int64_t link_speed_of(const YamlValue& value) {
        asked_.link_speed = true;
        const std::int64_t speed = value.frequency_hz();
        check_link_speed(speed, value.where());
        return speed;
    }

    // One for all links of a node, or a list of four.
    void link_speeds(const YamlValue& value, NodeDescription& node) {
        if (!value.is_list()) return node.link_bits_per_second.fill(link_speed_of(value));
        const auto items = value.items();
        if (items.size() != links_per_node)
            value.fail(
                fmt::format("{} speeds of links, but a T800 has {} links; give one speed for all, or one for each of "
                            "links 0 to {}",
                            items.size(), links_per_node, links_per_node - 1));
        for (std::size_t link = 0; link < links_per_node; ++link) node.link_bits_per_second[link] = link_speed_of(items[link]);
    }

    void switch_names(const YamlValue& value) {
        for (const auto& [switch_name, settings] : value.entries()) {
            const SourcePosition where = value.where_key(switch_name);
            if (!is_switch_name(switch_name)) {
                throw vocabulary::InputError(
                    where,
                    fmt::format("'{}' cannot name a switch; begin with a letter, use letters, digits and _, and neither a "
                                "node's name nor 'host', as in 'x0'",
                                switch_name));
            }
            if (machine_.switches.size() == most_switches) {
                throw vocabulary::InputError(where, fmt::format("more than {} switches; remove some", most_switches));
            }
            known_.switches.emplace(switch_name, SwitchId(static_cast<SwitchId::value_type>(machine_.switches.size())));
            machine_.switches.push_back({switch_name, {}});
        }
        places_.connections.resize(machine_.switches.size());
    }

    void host() {
        places_.host = root_.where();
        const auto value = root_.find("host");
        if (!value) return;
        places_.host = value->where();
        if (value->is_list()) return host_list(*value);
        if (value->text() == "none") {
            machine_.without_host = true;
            return;
        }
        host_wire(LinkNo(0), *value);
    }

    void host_list(const YamlValue& value) {
        const auto items = value.items();
        if (items.size() > host_connections) {
            items[host_connections].fail(
                fmt::format("{} connections of the host, but it has {}; remove some", items.size(), host_connections));
        }
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (items[i].is_null() || items[i].text() == "none") continue;
            host_wire(LinkNo(static_cast<LinkNo::value_type>(i)), items[i]);
        }
    }

    void host_wire(LinkNo connection, const YamlValue& value) {
        const WireEnd end = parse_end(value.text(), known_, value.where(0));
        add_wire(HostEnd{connection}, value.where(0), end, value.where(0));
    }

    // The host may also be wired among the wires of a switch.
    void host_is_told() const {
        if (root_.find("host")) return;
        for (const Wire& wire : machine_.wires) {
            if (std::holds_alternative<HostEnd>(wire.a)) return;
        }
        root_.fail("key 'host' is missing: the machine needs a host; add the link that it is wired to, as in 'host: n0.0'");
    }

    void add_wire(const WireEnd& a, const SourcePosition& place_a, const WireEnd& b, const SourcePosition& place_b) {
        machine_.wires.push_back({a, b});
        places_.wires.emplace_back(place_a, place_b);
    }

    void direct_wires(const YamlValue& value) {
        for (const YamlValue& item : value.items()) {
            const auto [a, b] = split_pair(item.text(), "wire", "n0.1 - n1.0", item.where());
            add_wire(direct_end(item, a), item.where(a.offset), direct_end(item, b), item.where(b.offset));
        }
    }

    WireEnd direct_end(const YamlValue& item, const Piece& piece) const {
        const WireEnd end = parse_end(piece.text, known_, item.where(piece.offset));
        if (const auto* way = std::get_if<SwitchWay>(&end)) {
            throw vocabulary::InputError(
                item.where(piece.offset),
                fmt::format("'{}' is a way of a switch; move this wire to 'wires' of {}, as in 'n0.1 - {}'", piece.text,
                            machine_.switches[way->which.value()].name, way->way.value()));
        }
        return end;
    }

    void switch_wires(const YamlValue& value) {
        std::size_t number = 0;
        for (const auto& [switch_name, settings] : value.entries()) {
            const SwitchId which(static_cast<SwitchId::value_type>(number++));
            settings.only_keys({"wires", "connect", "link_speed", "revision"});
            if (const auto speed = settings.find("link_speed"))
                machine_.switches[which.value()].link_bits_per_second = link_speed_of(*speed);
            if (const auto revision = settings.find("revision"))
                machine_.switches[which.value()].revision =
                    revision->one_of({"A", "B"}) == "A" ? SwitchRevision::A : SwitchRevision::B;
            if (const auto wires = settings.find("wires")) wires_of(which, *wires);
            if (const auto connect = settings.find("connect")) connections_of(which, *connect);
        }
    }

    void wires_of(SwitchId which, const YamlValue& value) {
        for (const YamlValue& item : value.items()) {
            const auto [far, way] = split_pair(item.text(), "wire", "n0.1 - 4", item.where());
            const WireEnd end = parse_far_end(far.text, known_, item.where(far.offset));
            const WayNo number = parse_way(way.text, item.where(way.offset));
            add_wire(end, item.where(far.offset), SwitchWay{which, number}, item.where(way.offset));
        }
    }

    void connections_of(SwitchId which, const YamlValue& value) {
        for (const YamlValue& item : value.items()) {
            machine_.switches[which.value()].connections.push_back(connection(item));
            places_.connections[which.value()].push_back(item.where());
        }
    }

    // {default: 2, n0.1 - n1.0: 3}
    void weights(const YamlValue& value) {
        for (const auto& [link, weight] : value.entries()) {
            const auto number = static_cast<std::uint32_t>(weight.integer(1, most_weight));
            if (link == "default") {
                machine_.weight = number;
                continue;
            }
            SourcePosition where = value.where_key(link);
            const auto [a, b] = split_pair(link, "link", "n0.1 - n1.0", where);
            machine_.weights.push_back({weighed_end(a, where), weighed_end(b, where), number});
            places_.weights.push_back(where);
        }
    }
    WireEnd weighed_end(const Piece& piece, SourcePosition where) const {
        where.column += static_cast<int>(piece.offset);
        const WireEnd end = parse_far_end(piece.text, known_, where);
        if (!std::holds_alternative<SwitchWay>(end)) return end;
        throw vocabulary::InputError(
            where, fmt::format("'{}' is a way of a switch, and a weight is that of a whole link; name its two ends, as in "
                               "'n0.1 - n1.0'",
                               piece.text));
    }

    void nodes_of(const YamlValue& value, std::vector<NodeId>& nodes, std::vector<SourcePosition>& places) const {
        for (const YamlValue& item : value.items()) {
            nodes.push_back(parse_node(item.text(), known_, item.where(0)));
            places.push_back(item.where(0));
        }
    }

    void control(const YamlValue& value) {
        places_.control_key = value.where();
        const auto connections = value.items();
        if (connections.empty()) {
            value.fail(
                "'control' lists no connection; list the switches along each, as in '[[x0, x1], [x2]]', or leave the key out "
                "for one connection to all switches");
        }
        for (const YamlValue& connection : connections) {
            machine_.control.emplace_back();
            places_.control.emplace_back();
            for (const YamlValue& item : connection.items()) {
                machine_.control.back().push_back(parse_switch(item.text(), known_, item.where(0)));
                places_.control.back().push_back(item.where(0));
            }
        }
    }

    void interrupts(const YamlValue& value) {
        value.only_keys({"master"});
        const YamlValue master = value.at("master");
        places_.interrupt_master = master.where(0);
        machine_.interrupt_master = parse_node(master.text(), known_, master.where(0));
    }

    void asks(const YamlValue& value) {
        asked_ = {.ram = false, .clock = false, .link_speed = false};
        if (!value.is_list()) {
            value.one_of({"none"});
            return;
        }
        for (const YamlValue& item : value.items()) {
            const std::string what = item.one_of({"ram", "clock", "link_speed"});
            (what == "ram" ? asked_.ram : what == "clock" ? asked_.clock : asked_.link_speed) = true;
        }
    }

    const YamlValue& root_;
    Asked asked_{.ram = true, .clock = false, .link_speed = false};
    MachineDescription machine_;
    MachinePlaces places_;
    KnownEnds known_;
};

MachineDescription build(const YamlValue& root) {
    return MachineReader(root).run();
}

}  // namespace

MachineDescription parse_machine(const std::string& text, const std::string& file_name) {
    return build(YamlValue::parse(text, file_name));
}

MachineDescription read_machine(const std::string& path) {
    if (is_bnail_name(path)) return parse_bnail(read_text(path), path);
    return build(YamlValue::read_file(path));
}

WantedMachine read_wanted_machine(const std::string& path) {
    const YamlValue root = YamlValue::read_file(path);
    MachineReader reader(root);
    MachineDescription machine = reader.run();
    return {std::move(machine), reader.asked()};
}

MachineDescription with_connections(const MachineDescription& machine, const YamlValue& value) {
    MachineDescription changed = machine;
    KnownEnds known;
    MachinePlaces places;
    places.file = value.where();
    for (const SwitchDescription& which : machine.switches)
        known.switches.emplace(which.name, SwitchId(static_cast<SwitchId::value_type>(known.switches.size())));
    for (const auto& which : machine.switches)  // a switch that stays as it is can only be wrong together with one that changes
        places.connections.emplace_back(which.connections.size(), value.where());
    for (const auto& [name, list] : value.entries()) {
        const std::size_t which = parse_switch(name, known, value.where_key(name)).value();
        changed.switches[which].connections.clear();
        places.connections[which].clear();
        for (const YamlValue& item : list.items()) {
            changed.switches[which].connections.push_back(connection(item));
            places.connections[which].push_back(item.where());
        }
    }
    changed.unreachable_allowed = true;
    changed.weights.clear();  // a link may be away for a while, and have its weight when it is there again
    changed.boot_order.clear();
    check_machine(changed, places);
    changed.unreachable_allowed = machine.unreachable_allowed;
    changed.weights = machine.weights;
    changed.boot_order = machine.boot_order;
    return changed;
}

}  // namespace topologies
