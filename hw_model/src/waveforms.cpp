#include <hw_model/waveforms.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>
#include <variant>

#include <sysc/tracing/sc_tracing_ids.h>

#include <vocabulary/contract.hpp>

namespace hw_model {
namespace {

using topologies::HostEnd;
using topologies::NodeLink;
using topologies::SwitchWay;
using topologies::WireEnd;
using vocabulary::InputError;
using vocabulary::LinkNo;
using vocabulary::NodeId;
using vocabulary::WayNo;

[[noreturn]] void cannot_write(const std::string& file) {
    throw InputError({file, 0, 0}, "cannot be written; check that its folder exists and the disk is not full");
}

// SystemC puts the host's date into the file; the same run shall give the same bytes.
void blank_date(const std::string& file) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    std::string line;
    while (std::getline(stream, line) && line.find("$date") == std::string::npos) {
    }
    const std::streampos at = stream.tellg();
    if (!std::getline(stream, line)) cannot_write(file);
    stream.seekp(at);
    stream << std::string(line.size(), ' ');
    stream.close();
    if (!stream) cannot_write(file);
}

}  // namespace

Waveforms::Waveforms(Machine& machine, const topologies::MachineDescription& description, const std::vector<Watch>& watches,
                     std::string file)
    : machine_(machine), description_(description), file_(std::move(file)), made_(file_ + ".part.vcd") {
    EXPECTS(machine.lockstep(), "waveforms.lockstep");
    for (const auto& wire : description.wires) {
        other_end_.emplace(wire.a, wire.b);
        other_end_.emplace(wire.b, wire.a);
    }
    if (!std::ofstream(made_)) cannot_write(file_);
    sc_core::sc_report_handler::set_actions(sc_core::SC_ID_TRACING_TIMESCALE_UNIT_, sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    trace_ = sc_core::sc_create_vcd_trace_file((file_ + ".part").c_str());
    trace_->set_time_unit(1, sc_core::SC_PS);
    for (const Watch& watch : watches) add(watch);
    machine_.set_witness(this);
}

Waveforms::~Waveforms() {
    if (trace_ == nullptr) return;
    close();
    std::error_code ignored;
    std::filesystem::remove(made_, ignored);
}

void Waveforms::add(const Watch& watch) {
    const NodeId node(watch.where);
    const std::string name = node == machine_.host() ? "host" : "n" + std::to_string(watch.where),
                      digit = std::to_string(watch.number);
    switch (watch.kind) {
        case Watch::Kind::Link: {
            const WireEnd here = node == machine_.host() ? WireEnd(HostEnd{LinkNo(watch.number)})
                                                         : WireEnd(NodeLink{node, LinkNo(watch.number)});
            trace({watch, here}, name + ".link" + digit + "_out", 2);
            const auto far = other_end_.find(here);
            if (far != other_end_.end()) trace({watch, far->second}, name + ".link" + digit + "_in", 2);
            return;
        }
        case Watch::Kind::Way: {
            const vocabulary::SwitchId which(watch.where);
            return trace({watch, SwitchWay{which, WayNo(watch.number)}},
                         description_.switches[watch.where].name + ".out" + digit, 2);
        }
        case Watch::Kind::Busy:
            return trace({watch, {}}, name + ".busy", 2);
        case Watch::Kind::Event:
            return trace({watch, {}}, name + ".event", 1);
        case Watch::Kind::Ack:
            return trace({watch, {}}, name + ".ack", 1);
        case Watch::Kind::Error:
            return trace({watch, {}}, name + ".error", 1);
        case Watch::Kind::Halted:
            return trace({watch, {}}, name + ".halted", 1);
    }
}

void Waveforms::trace(const Signal& signal, const std::string& name, int width) {
    signals_.push_back(signal);
    sc_core::sc_trace(trace_, signals_.back().value, name, width);
}

void Waveforms::moment() {
    for (Signal& signal : signals_) signal.value = sample(signal);
}

unsigned Waveforms::sample(const Signal& signal) const {
    const Watch& watch = signal.watch;
    if (watch.kind == Watch::Kind::Link || watch.kind == Watch::Kind::Way) return traffic_from(signal.driver);
    const Node& node = machine_.node(NodeId(watch.where));
    const Activity* running = node.processor.running();
    switch (watch.kind) {
        case Watch::Kind::Event:
            return node.event.request() ? 1 : 0;
        case Watch::Kind::Ack:
            return node.event.acknowledge() ? 1 : 0;
        case Watch::Kind::Error:
            return node.error() ? 1 : 0;
        case Watch::Kind::Halted:
            return node.processor.stopped() ? 1 : 0;
        default:
            if (node.processor.stopped() || running == nullptr) return 0;
            return running->priority() == Priority::Low ? 1 : 2;
    }
}

// Follows a way backwards through as many switches as there are; settings in a circle carry nothing.
unsigned Waveforms::traffic_from(const WireEnd& end) const {
    WireEnd at = end;
    for (std::size_t passed = 0; passed <= description_.switches.size() * LinkSwitch::way_count; ++passed) {
        const auto* way = std::get_if<SwitchWay>(&at);
        if (way == nullptr) {
            const auto* link = std::get_if<NodeLink>(&at);
            const LinkEnd* from = link != nullptr ? machine_.node(link->node).link(link->link)
                                                  : machine_.node(machine_.host()).link(std::get<HostEnd>(at).link);
            const auto account = from == nullptr ? std::nullopt : from->on_wire();
            if (!account) return 0;
            return vocabulary::is_tool(*account) ? 3 : *account == vocabulary::Account() ? 1 : 2;
        }
        const auto input = machine_.link_switch(way->which).input_of(way->way);
        if (!input) return 0;
        const auto far = other_end_.find(SwitchWay{way->which, *input});
        if (far == other_end_.end()) return 0;
        at = far->second;
    }
    return 0;
}

void Waveforms::close() {
    machine_.set_witness(nullptr);
    // A run that failed before its beginning has nothing to write.
    sc_core::sc_report_handler::set_actions(sc_core::SC_ID_TRACING_CLOSE_EMPTY_FILE_, sc_core::SC_WARNING,
                                            sc_core::SC_DO_NOTHING);
    sc_core::sc_close_vcd_trace_file(std::exchange(trace_, nullptr));
}

void Waveforms::finish() {
    EXPECTS(trace_ != nullptr, "waveforms.finish.twice");
    sc_core::sc_start(1, sc_core::SC_PS);  // sc_trace writes the changes of a time when that time is over
    close();
    blank_date(made_);
    std::ofstream stream(made_, std::ios::app);
    stream << '#' << std::max(Machine::systemc_time(), machine_.horizon()).in_ps()
           << '\n';  // viewers show the time up to the end of the run
    stream.close();
    std::error_code error;
    if (stream) std::filesystem::rename(made_, file_, error);
    if (!stream || error) cannot_write(file_);
}

}  // namespace hw_model
