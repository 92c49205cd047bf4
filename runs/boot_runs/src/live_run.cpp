#include <boot_runs/live_run.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <systemc>

#include <hw_model/core_driver.hpp>
#include <hw_model/fault_injector.hpp>
#include <hw_model/machine.hpp>
#include <hw_model/waveforms.hpp>
#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

#include "core_trace.hpp"
#include "host_link.hpp"
#include "run_hash.hpp"
#include "waits.hpp"

namespace boot_runs {
namespace {

// Shows one core to the trace and to the profile.
class BothObservers final : public t800_core::Observer {
public:
    BothObservers(t800_core::Observer& one, t800_core::Observer& other) : both_{&one, &other} {}
    void instruction(const t800_core::SeenInstruction& what) override {
        for (t800_core::Observer* one : both_) {
            if (one->wants_instructions()) one->instruction(what);
        }
    }
    void process_started(t800_core::Cycle at, std::uint32_t descriptor, std::uint32_t iptr) override {
        for (t800_core::Observer* one : both_) one->process_started(at, descriptor, iptr);
    }
    void process_left(t800_core::Cycle at, std::uint32_t descriptor, bool ends) override {
        for (t800_core::Observer* one : both_) one->process_left(at, descriptor, ends);
    }
    void process_joined(t800_core::Cycle at, std::uint32_t descriptor, std::uint32_t successor) override {
        for (t800_core::Observer* one : both_) one->process_joined(at, descriptor, successor);
    }
    void message(const t800_core::SeenMessage& what) override {
        for (t800_core::Observer* one : both_) one->message(what);
    }
    void transfer_done(t800_core::Cycle at, std::uint32_t channel, std::uint32_t descriptor) override {
        for (t800_core::Observer* one : both_) one->transfer_done(at, channel, descriptor);
    }
    void idle(t800_core::Cycle at) override {
        for (t800_core::Observer* one : both_) one->idle(at);
    }

private:
    std::array<t800_core::Observer*, 2> both_;
};

}  // namespace

using vocabulary::LinkNo;

class LiveRun::Machinery final : private hw_model::CoreDriver::BreakListener {
public:
    explicit Machinery(const Plan& plan)
        : plan_(plan),
          machine_("machine", hw_model::with_less_memory(plan.machine, plan.faults), plan.costs, plan.seed,
                   {.links = plan.links, .tapped_wires = plan.faults.wires(), .lockstep = !plan.wave_file.empty()}),
          server_(*plan.files, *plan.console, plan.settings),
          host_(plan, host_stream(), machine_.timeline(), machine_.host().value(), server_, hash_,
                [this] { machine_.stop_soon(); }),
          faults_(plan.faults, machine_) {}

    void begin() {
        if (!plan_.wave_file.empty()) waveforms_.emplace(machine_, plan_.machine, plan_.watches, plan_.wave_file);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);  // the links are wired from the end of elaboration on
        machine_.connect_switches();
        for (std::size_t i = 0; i < machine_.node_count(); ++i) {
            node(i).power_up();
            if (node(i).core() != nullptr) node(i).core()->set_break_listener(this);
        }
        watch_cores();
        faults_.arm(plan_.limit);
        host_.begin();
    }

    // In steps, so that an interrupt is noticed.
    Stop go(SimTime until) {
        interrupted_ = false;
        until = std::min(until, plan_.limit);
        const SimTime step = SimTime::ms(1);
        for (SimTime to = now() + step; !over(); to = std::max(to, now()) + step) {
            const SimTime next = machine_.timeline().next_time();
            if (next == SimTime::never() || next > until) break;
            machine_.run_until(std::min(std::max(to, next), until));
            reached_ = std::max(reached_, now());
            if (trace_) trace_->flush();
            if (!held_.empty()) return Stop::Breakpoint;  // before an interrupt, or it would never be told
            interrupted_ = plan_.goes_on && !plan_.goes_on();
            if (interrupted_) return Stop::Interrupted;
        }
        if (over() || machine_.timeline().next_time() == SimTime::never() || until == plan_.limit) return Stop::Over;
        reached_ = std::max(reached_, until);
        return Stop::Until;
    }

    // Those that were held at the same moment are told one after the other. True: there is another.
    bool tells_another() {
        if (!held_.empty()) held_.erase(held_.begin());
        std::erase_if(held_, [this](NodeId id) { return !node(id.value()).core()->core().at_breakpoint(); });
        if (!held_.empty()) return true;
        for (std::size_t i = 0; i < machine_.node_count(); ++i) {
            if (node(i).core() != nullptr) node(i).core()->go_on();
        }
        return false;
    }

    Result result() {
        if (waveforms_) waveforms_->finish();
        if (trace_) trace_->close();
        Result result;
        result.end = end();
        result.status = server_.exit_status().value_or(0);
        result.broken_by = host_.broken_by().value_or("");
        result.ended = result.end == End::Limit ? plan_.limit : machine_.timeline().now();
        result.image_taken = image_taken();
        result.requests = server_.requests();
        for (std::size_t i = 0; i < machine_.node_count(); ++i) result.nodes.push_back(end_of(node(i)));
        result.run_hash = hash_of(result);
        if (result.end == End::Standstill) result.waits = waits_of(machine_);
        result.faults = faults_.tallies();
        for (const auto& profile : profiles_) result.profile.push_back(profile ? profile->result() : ProfiledNode{});
        return result;
    }

    hw_model::Machine& machine() { return machine_; }
    hw_model::CoreDriver* driver(NodeId id) { return node(id.value()).core(); }
    SimTime time_of(NodeId id) {
        return node(id.value()).processor.cycle() * static_cast<std::int64_t>(node(id.value()).core()->core().now());
    }
    SimTime now() { return std::max(machine_.timeline().now(), reached_); }
    std::optional<NodeId> broke() const { return held_.empty() ? std::nullopt : std::optional(held_.front()); }

private:
    hw_model::Node& node(std::size_t number) { return machine_.node(NodeId(static_cast<NodeId::value_type>(number))); }

    void stopped_at_breakpoint(NodeId id) override {
        held_.insert(std::lower_bound(held_.begin(), held_.end(), id), id);
        machine_.stop_soon();
    }

    std::uint64_t hash_of(const Result& result) {
        for (const NodeEnd& one : result.nodes) {
            hash_.add(one.instructions);
            hash_.add(one.bytes_sent);
            hash_.add(static_cast<std::uint64_t>(one.busy.in_ps()));
        }
        hash_.add(static_cast<std::uint64_t>(result.ended.in_ps()));
        return hash_.value();
    }

    void watch_cores() {
        if (plan_.trace != nullptr) trace_.emplace(machine_, *plan_.trace, plan_.trace_instructions);
        for (std::size_t i = 0; i < machine_.node_count() && plan_.profile; ++i) {
            profiles_.emplace_back();
            if (node(i).core() == nullptr) continue;
            t800_core::Core& core = node(i).core()->core();
            profiles_.back() = std::make_unique<NodeProfile>(core);
            if (trace_) pairs_.push_back(std::make_unique<BothObservers>(*trace_->of(i), *profiles_.back()));
            core.observe(trace_ ? static_cast<t800_core::Observer*>(pairs_.back().get()) : profiles_.back().get());
        }
    }

    // By the node at the host's link.
    std::uint64_t image_taken() {
        for (std::uint8_t link = 0; link < topologies::links_per_node; ++link) {
            const auto& first = machine_.network().neighbour(machine_.host(), LinkNo(link));
            const hw_model::CoreDriver* const core = first ? machine_.node(first->node).core() : nullptr;
            if (core != nullptr) return std::min<std::uint64_t>(core->bytes_taken(first->link), plan_.image.size());
        }
        return 0;
    }

    hw_model::LinkStream& host_stream() {
        for (std::uint8_t link = 0; link < topologies::links_per_node; ++link) {
            hw_model::LinkEnd* const end = machine_.node(machine_.host()).link(LinkNo(link));
            if (end != nullptr && end->stream() != nullptr) return *end->stream();
        }
        throw vocabulary::RequestError(
            "no connection of the host leads to a node with a T800 core, which could boot; wire the host to one, set the "
            "crossbars on "
            "the way ('connect'), and give that node 'core: t800'");
    }

    bool over() const { return server_.exit_status() || host_.broken_by(); }

    End end() {
        if (server_.exit_status()) return End::Exit;
        if (host_.broken_by()) return End::NoPacket;
        if (interrupted_) return End::Stopped;
        return machine_.timeline().next_time() == SimTime::never() ? End::Standstill : End::Limit;
    }

    static NodeEnd end_of(hw_model::Node& node) {
        NodeEnd end;
        end.state = "has no core";
        end.error = node.error();
        end.busy = node.processor.busy_so_far();
        for (std::uint8_t link = 0; link < topologies::links_per_node; ++link) {
            if (const hw_model::LinkEnd* at = node.link(LinkNo(link))) end.bytes_sent += at->totals().all().bytes;
        }
        if (node.core() == nullptr) return end;
        end.state = boot_runs::state_of(node);
        const t800_core::Core& core = node.core()->core();
        end.error = end.error || core.registers().error;
        const t800_core::Totals& totals = core.totals();
        end.instructions = totals.instructions;
        end.process_starts = totals.process_starts;
        end.preemptions = totals.preemptions;
        end.timeslices = totals.timeslices;
        end.messages = totals.messages;
        if (core.stray()) {
            end.stray_address = core.stray()->address;
            end.stray_iptr = core.stray()->iptr;
        }
        if (core.unknown_operation()) {
            end.unknown_operation = core.unknown_operation()->address;
            end.unknown_iptr = core.unknown_operation()->iptr;
        }
        return end;
    }

    const Plan& plan_;
    hw_model::Machine machine_;
    iserver::Server server_;
    RunHash hash_;
    HostLink host_;
    hw_model::FaultInjector faults_;
    std::optional<hw_model::Waveforms> waveforms_;
    std::optional<CoreTrace> trace_;
    std::vector<std::unique_ptr<NodeProfile>> profiles_;
    std::vector<std::unique_ptr<BothObservers>> pairs_;
    bool interrupted_ = false;
    std::vector<NodeId> held_;  // at breakpoints, in the order of the nodes; the first has been told
    SimTime reached_;           // without an event there
};

LiveRun::LiveRun(const Plan& plan) {
    if (const std::string complaint = complaint_about(plan.image); !complaint.empty())
        throw vocabulary::InputError({plan.image_name, 0, 0}, complaint);
    for (const topologies::Fault& fault : plan.faults.faults) {
        if (fault.on)
            throw vocabulary::InputError(fault.where,
                                         "'when' waits for a step of a farm, and a boot image has none; give 'at' or 'rate'");
    }
    machinery_ = std::make_unique<Machinery>(plan);
    machinery_->begin();
}
LiveRun::~LiveRun() = default;

LiveRun::Stop LiveRun::go(SimTime until) {
    return machinery_->tells_another() ? Stop::Breakpoint : machinery_->go(until);
}
LiveRun::Stop LiveRun::step(NodeId node) {
    t800_core::Core& stepped = *core(node);
    if (machinery_->tells_another()) return Stop::Breakpoint;
    stepped.set_stepping(true);
    const Stop stop = machinery_->go(SimTime::never());
    stepped.set_stepping(false);
    return stop;
}
SimTime LiveRun::now() const {
    return machinery_->now();
}
std::size_t LiveRun::node_count() const {
    return machinery_->machine().node_count();
}
t800_core::Core* LiveRun::core(NodeId node) const {
    hw_model::CoreDriver* const driver = machinery_->driver(node);
    return driver == nullptr ? nullptr : &driver->core();
}
std::string LiveRun::state_of(NodeId node) const {
    return core(node) == nullptr ? "has no core" : boot_runs::state_of(machinery_->machine().node(node));
}
SimTime LiveRun::ahead(NodeId node) const {
    const SimTime its = machinery_->time_of(node);
    return its > now() ? its - now() : SimTime();
}
std::optional<NodeId> LiveRun::broke() const {
    return machinery_->broke();
}
void LiveRun::set_breakpoint(NodeId node, std::uint32_t address) {
    core(node)->set_breakpoint(address);
}
void LiveRun::clear_breakpoint(NodeId node, std::uint32_t address) {
    core(node)->clear_breakpoint(address);
}
std::vector<Wait> LiveRun::waits() const {
    return waits_of(machinery_->machine());
}
Result LiveRun::result() {
    return machinery_->result();
}

}  // namespace boot_runs
