#include <tmon_session/session.hpp>

#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>

#include <instrumentation/hostmon.hpp>
#include <instrumentation/node_monitor.hpp>
#include <instrumentation/trek_probe.hpp>
#include <tmon_session/applications.hpp>
#include <tmon_session/bug_report.hpp>
#include <tmon_session/farm_on_machine.hpp>
#include <tmon_session/multicomputer.hpp>
#include <topologies/end_names.hpp>
#include <trollius_os/services.hpp>
#include <vocabulary/contract.hpp>

#include "collector_sink.hpp"
#include "farm_window.hpp"
#include "fault_session.hpp"
#include "link_lines.hpp"
#include "program_session.hpp"

namespace tmon_session {

using trollius_os::Api;
using vocabulary::LinkNo;
using vocabulary::NodeId;
using vocabulary::SimTime;

namespace {

constexpr SimTime step = SimTime::ms(2);           // how often the user at the host looks
constexpr SimTime answer_time = SimTime::ms(200);  // a node that is silent for so long does not answer
constexpr SimTime load_silence = SimTime::s(2);    // no byte to or from the host for so long: nobody answers any more
constexpr std::size_t asked_at_once = 32;          // nodes: the host has room for 64 processes

instrumentation::MonitorCosts monitor_costs(const topologies::CostTable& costs) {
    return {.probe = costs.time("monitor.probe"),
            .meter = costs.time("monitor.meter"),
            .manager_check = costs.time("monitor.manager_check"),
            .manager_period = costs.time("monitor.manager_period"),
            .pack_record = costs.time("monitor.pack_record"),
            .record_bytes = static_cast<std::uint32_t>(costs.get("monitor.record", "bytes")),
            .buffer_records = static_cast<std::size_t>(costs.get("monitor.buffer", "records")),
            .program_bytes = static_cast<std::uint32_t>(costs.get("monitor.program_size", "bytes"))};
}

class Run {
public:
    Run(const Scenario& scenario, SessionResult& result, const std::function<bool(const Progress&)>& progress)
        : scenario_(scenario),
          result_(result),
          nodes_(scenario.farm.members()),
          progress_(progress),
          box_(machine_with_faults(scenario), scenario.costs, scenario.seed,
               [this](NodeId, const std::string& text) { result_.console += text; },
               {.links = scenario.links, .tapped_wires = tapped_wires(scenario), .lockstep = !scenario.vcd.empty()}),
          reconfigurer_(box_, scenario.reconfigurations) {
        if (!scenario.vcd.empty()) waveforms_.emplace(box_.machine(), scenario.machine, scenario.watches, scenario.vcd);
        application_ = make_application(scenario, result.program);
        serve_program(box_, scenario, result);
        make_monitor();
        std::vector<trek_kernel::TrekObserver*> observers{&result_.truth, &window_};
        make_faults(observers);
        if (probe_) observers.push_back(probe_.get());
        farm_ = std::make_unique<trek_kernel::Farm>(farm_setup(box_, scenario.farm, scenario.costs, *application_, observers));
        for (std::size_t i = 0; i <= box_.node_count(); ++i) {
            box_.kernel(NodeId(static_cast<NodeId::value_type>(i)))
                .set_drop_observer([this](const trollius_os::MessageDropped& what) { result_.truth.on(what); });
        }
        box_.programs()["master"] = farm_->master();
        box_.programs()["slave"] = farm_->slave();
    }

    Multicomputer& machine() { return box_; }

    void go() {
        if (boot() && !cut_ && load()) run_farm();
        if (monitored()) quit_monitor();
        ask_state();
        gather();
        if (waveforms_) waveforms_->finish();
    }

private:
    void make_faults(std::vector<trek_kernel::TrekObserver*>& observers) {
        if (!scenario_.faults) return;
        injector_ = std::make_unique<hw_model::FaultInjector>(*scenario_.faults, box_.machine());
        trigger_.set_injector(injector_.get());
        observers.push_back(&trigger_);
        injector_->arm(scenario_.limit);
    }

    bool monitored() const { return scenario_.unload.has_value(); }

    void make_monitor() {
        if (!monitored()) return;
        instrumentation::MonitorCosts costs = monitor_costs(scenario_.costs);
        costs.probes_off = scenario_.probes_off;
        sink_ = std::make_unique<CollectorSink>(static_cast<std::uint16_t>(scenario_.farm.nodes));
        std::vector<instrumentation::NodeMonitor*> all;
        for (std::uint32_t i = 0; i < scenario_.farm.nodes; ++i) {
            if (!scenario_.farm.has(NodeId(static_cast<NodeId::value_type>(i))))
                sink_->collector.end(static_cast<std::uint16_t>(i), 0);
            monitors_.push_back(std::make_unique<instrumentation::NodeMonitor>(costs, *scenario_.unload, box_.host_id()));
            all.push_back(monitors_.back().get());
        }
        probe_ = std::make_unique<instrumentation::TrekProbe>(all);
        box_.programs()["nodemon"] = {costs.program_bytes, box_.host().costs().service_stack, [this](Api& api, std::int32_t) {
                                          if (api.node().value() < monitors_.size())
                                              return monitors_[api.node().value()]->nodemon(api);
                                          api.kernel().drop("nodemon", "a monitor for a node that is not of the farm");
                                      }};
    }

    // False: the user wants no more of it.
    bool tell(const char* phase) {
        if (!progress_ || cut_) return !cut_;
        cut_ = !progress_({box_.now(), phase, result_.truth.results_at_manager(), scenario_.farm.tasks, result_.truth.moved(),
                           sink_ ? sink_->lost : 0});
        return !cut_;
    }

    // Advances until `done`, at most to the scenario's limit.
    void run_until(const char* phase, const std::function<bool()>& done) {
        box_.run(scenario_.limit, step, [&] { return !tell(phase) || done(); });
    }

    trollius_os::Process* on_host(const char* name, std::function<void(Api&)> code) {
        trollius_os::Process* process =
            box_.host().create({name, trollius_os::Priority::Low, trollius_os::kernel_priority::command,
                                box_.host().costs().service_stack, std::move(code)});
        EXPECTS(process != nullptr, "session.host.room");
        return process;
    }

    // A plan that left too little memory is named.
    [[noreturn]] void fail(std::string why) const {
        for (std::size_t i = 0; scenario_.faults && i < scenario_.faults->faults.size(); ++i) {
            const topologies::Fault& fault = scenario_.faults->faults[i];
            const std::string node = topologies::node_name(fault.node);
            const bool meant = why.starts_with(node + " ") || why.find(" on " + node + ":") != std::string::npos;
            if (fault.verb != topologies::FaultVerb::Memory || !meant) continue;
            why += "; the fault plan takes its memory away: " + fault.where.text() + ", " + topologies::fault_text(fault);
        }
        throw std::runtime_error(why);
    }

    // False when a fault came between.
    bool boot() {
        box_.boot();
        run_until("boot", [this] { return box_.booted() || !box_.failure().empty(); });
        if (!box_.failure().empty()) fail(box_.failure());
        if (!box_.booted() && injector_) tell_where_booting_stands();
        if (!box_.booted() && !cut_ && !injector_)
            throw std::runtime_error("the machine did not boot within the scenario's limit of modelled time; raise end.limit");
        if (box_.booted()) {
            reconfigurer_.start();
        } else {
            result_.end = tmon::SessionEnd::NeverBegan;
        }
        return box_.booted();
    }

    void tell_where_booting_stands() {
        constexpr std::size_t most_named = 4;
        if (!box_.image_goes_out()) {
            result_.diagnosis = "booting stood still: the switches were not set";
            return;
        }
        result_.diagnosis = "booting stood still: " + std::to_string(box_.booted_nodes()) + " of " +
                            std::to_string(box_.nodes_to_boot()) + " kernels have started";
        const auto transfers = box_.image_transfers();
        for (std::size_t i = 0; i < std::min(most_named, transfers.size()); ++i) {
            const auto& [from, to] = transfers[i];
            result_.diagnosis += (i == 0 ? "; it waits for " : ", ") + topologies::node_name(to) + " to take the image from " +
                                 (from == box_.host_id() ? "the host" : topologies::node_name(from));
        }
        if (transfers.size() > most_named)
            result_.diagnosis += " and " + std::to_string(transfers.size() - most_named) + " more";
    }

    // As in the thesis' session: nodemon everywhere, hostmon, slaves from the leaves up, master, then monctrl -b. False when a
    // node died before that was done: an early fault of the model is a result like any other.
    bool load() {
        on_host("loadgo", [this](Api& api) {
            const auto start = [&](NodeId node, const char* program) {
                waits_for_ = std::string(program) + " on n" + std::to_string(node.value());
                if (!load_failure_.empty() || trollius_os::loadgo(api, node, box_.host_id(), program, 0)) return;
                load_failure_ = std::string(program) + " could not be loaded on n" + std::to_string(node.value()) +
                                ": the node has too little memory for it";
                if (result_.truth.dropped_count() > 0) load_failure_ += ", or the request came damaged";
            };
            if (monitored()) {
                for (const NodeId node : nodes_) start(node, "nodemon");
                on_host("hostmon", [this](Api& its) { instrumentation::hostmon(its, *sink_); });
            }
            const std::vector<NodeId> order = scenario_.farm.leaves_first();
            for (const NodeId node : order) start(node, node.value() == 0 ? "master" : "slave");
            // In the same order: once a node may record, tasks flow, and one that may not yet would hold up its link at its
            // first probe, and with it the command that lets it go on.
            if (monitored() && load_failure_.empty() && cannot_run().empty())
                instrumentation::monctrl(api, instrumentation::Control::Begin, order, &silent_);
            loaded_ = true;
        });
        SimTime since = box_.now();
        run_until("load", [&, bytes = std::uint64_t{0}]() mutable {
            if (const std::uint64_t now = host_bytes(); now != bytes) {
                bytes = now;
                since = box_.now();
            }
            return loaded_ || box_.now() - since > load_silence;
        });
        if (load_failure_.empty()) load_failure_ = cannot_run();
        if (!load_failure_.empty()) fail(load_failure_);
        if (!loaded_ && !cut_ && !something_ended(result_.truth)) tell_where_loading_stands(since);
        if (!loaded_) result_.end = end_of_given_up_load();
        return loaded_;
    }

    // The command that begins the monitor may hang on one node while the manager has got it and sends tasks.
    tmon::SessionEnd end_of_given_up_load() {
        if (!cut_ && result_.diagnosis.empty()) return tmon::SessionEnd::StoodStill;  // the program failed at its start
        return application_bytes() > 0 ? tmon::SessionEnd::Cut : tmon::SessionEnd::NeverBegan;
    }

    // Nothing came for so long that nothing will: a node or a link on the way is
    // dead, or a message of the conversation was lost or damaged, and nobody repeats it.
    void tell_where_loading_stands(SimTime moved_last) {
        if (!box_.machine().timeline().empty() && scenario_.limit - moved_last < load_silence)
            throw std::runtime_error(
                "the programs were not loaded within the scenario's limit of modelled time; raise end.limit");
        result_.diagnosis = "loading stood still: nothing came from " + waits_for_;
        if (silent_.empty()) return;
        result_.diagnosis = "the monitor was not begun: no answer to the command from";
        for (const NodeId node : silent_) result_.diagnosis += " n" + std::to_string(node.value());
    }

    // Why the programs cannot run on this machine; empty when they can.
    std::string cannot_run() const {
        if (!farm_->failure().empty()) return farm_->failure();
        for (std::size_t i = 0; i < monitors_.size(); ++i) {
            if (!monitors_[i]->short_of_memory()) continue;
            return "n" + std::to_string(i) +
                   " has too little memory for the monitor's buffers; give it more RAM in the machine file, or lower "
                   "monitor.buffer";
        }
        return {};
    }

    bool somebody_computes() {
        return std::any_of(nodes_.begin(), nodes_.end(), [this](NodeId id) {
            const hw_model::Processor& processor = box_.machine().node(id).processor;
            return !processor.stopped() && (!processor.low_priority_idle() || processor.use_end() > box_.now() + step);
        });
    }

    // Bytes are on the way on some link, and will arrive. The signs of life of a surviving farm are no work.
    bool something_moves(bool farm_only = false) {
        for (std::size_t i = 0; i <= box_.node_count(); ++i) {
            for (std::uint8_t link = 0; link < 4; ++link) {
                const hw_model::LinkEnd* end =
                    box_.machine().node(NodeId(static_cast<NodeId::value_type>(i))).link(LinkNo(link));
                if (end == nullptr) continue;
                const bool alive = farm_only && scenario_.farm.survives;
                const bool work = end->moving_out() && end->on_wire() != hw_model::Traffic::System;
                if (alive ? work : end->moving()) return true;
            }
        }
        return false;
    }

    // Over the host's links, since programs and commands come from there. Elsewhere messages may go round for ever, when a
    // reconfiguration has made a ring of nodes that the new routes do not reach.
    std::uint64_t host_bytes() {
        std::uint64_t bytes = 0;
        for (std::uint8_t link = 0; link < 4; ++link) {
            const hw_model::LinkEnd* here = box_.machine().node(box_.host_id()).link(LinkNo(link));
            const auto& far = box_.machine().network().neighbour(box_.host_id(), LinkNo(link));
            const hw_model::LinkEnd* there = far ? box_.machine().node(far->node).link(far->link) : nullptr;
            for (const hw_model::LinkEnd* end : {here, there}) {
                if (end == nullptr) continue;
                for (const std::uint64_t of_kind : end->totals().bytes) bytes += of_kind;
            }
        }
        return bytes;
    }

    struct HostSilence {
        std::uint64_t bytes = 0;
        SimTime since;
    };
    // Nothing has moved anywhere for the time of an answer, or, while something goes round, nothing at the host for longer.
    bool no_answer(SimTime& since, HostSilence& host) {
        if (something_moves()) since = box_.now();
        if (const std::uint64_t now = host_bytes(); now != host.bytes) host = {now, box_.now()};
        return box_.now() - since > answer_time || box_.now() - host.since > load_silence;
    }

    std::uint64_t application_bytes() {
        std::uint64_t bytes = 0;
        for (const NodeId node : nodes_) {
            for (std::uint8_t link = 0; link < 4; ++link) {
                const hw_model::LinkEnd* end = box_.machine().node(node).link(LinkNo(link));
                if (end != nullptr) bytes += end->totals().bytes[static_cast<std::size_t>(hw_model::Traffic::Application)];
            }
        }
        return bytes;
    }

    // Decides as a person beside the machine would, from what its lamps show: which processors compute and whether the
    // application's messages move. The truth is not asked: how the session ended is something the analysis may know.
    void run_farm() {
        SimTime moved_at = box_.now(), computed_at = box_.now();
        std::uint64_t bytes = application_bytes();
        // A node is given up after at most twice the silence, and then something moves again.
        const SimTime quiet =
            scenario_.quiet + (scenario_.farm.survives ? scenario_.costs.time("trek.silence") * 2 : SimTime());
        const auto give_up = [&](tmon::SessionEnd how) {
            if (result_.end == tmon::SessionEnd::Unknown) result_.end = how;
            return true;
        };
        run_until("run", [&] {
            if (!farm_->failure().empty()) fail(farm_->failure());
            window_.look(result_.truth.last_activity());
            if (somebody_computes()) computed_at = box_.now();
            // As long as the host has orders to re-program switches, the farm may be waiting for that.
            // A manager that has to compute alone moves no byte, but results come.
            const std::uint64_t now = application_bytes() + (scenario_.farm.survives ? farm_->account().completed : 0);
            if (now != bytes || something_moves(true) || reconfigurer_.pending()) {
                bytes = now;
                moved_at = box_.now();
            }
            if (farm_->result().finished) {
                result_.end = tmon::SessionEnd::ProgramEnded;
                if (!monitored() || sink_->ended == nodes_.size()) return true;
            }
            if (box_.now() - std::max(moved_at, computed_at) > quiet) return give_up(tmon::SessionEnd::StoodStill);
            if (box_.now() - moved_at > scenario_.patience) return give_up(tmon::SessionEnd::Cut);
            return false;
        });
        // Nothing is left that could happen, or the limit of modelled time or the user has cut it.
        if (result_.end == tmon::SessionEnd::Unknown)
            result_.end = box_.machine().timeline().empty() ? tmon::SessionEnd::StoodStill : tmon::SessionEnd::Cut;
    }

    void quit_monitor() {
        if (sink_->ended == nodes_.size()) return;
        on_host("monctrl", [this](Api& api) { instrumentation::monctrl(api, instrumentation::Control::Quit, nodes_); });
        std::uint64_t last = sink_->received + sink_->ended;
        SimTime since = box_.now();
        HostSilence host{host_bytes(), box_.now()};
        run_until("quit", [&] {
            if (const std::uint64_t now = sink_->received + sink_->ended; now != last) {
                last = now;
                since = box_.now();
            }
            return sink_->ended == nodes_.size() || no_answer(since, host);
        });
    }

    // `state` hangs on a dead node: so one process a node, and who has not answered after a while does not answer.
    void ask_state() {
        result_.nodes.resize(scenario_.farm.nodes);
        for (std::size_t first = 0; first < nodes_.size(); first += asked_at_once)
            ask_state_of(std::span(nodes_).subspan(first, std::min(asked_at_once, nodes_.size() - first)));
    }

    void ask_state_of(std::span<const NodeId> some) {
        std::size_t answered = 0;
        std::vector<std::pair<NodeId, trollius_os::Process*>> asked;
        for (const NodeId node : some) {
            asked.emplace_back(node, on_host("state", [this, node, &answered](Api& api) {
                                   std::uint32_t dropped = 0;
                                   trollius_os::state(api, node, &dropped);
                                   result_.nodes[node.value()].answers = true;
                                   result_.nodes[node.value()].dropped_messages = dropped;
                                   ++answered;
                               }));
        }
        SimTime since = box_.now();
        HostSilence host{host_bytes(), box_.now()};
        run_until("state", [&] { return answered == some.size() || no_answer(since, host); });
        for (const auto& [node, process] : asked) {
            if (!result_.nodes[node.value()].answers) box_.host().doom(*process);
        }
    }

    void gather() {
        result_.farm = farm_->result();
        result_.tasks = farm_->account();
        if (!result_.farm.finished) result_.standing = farm_->standing();
        result_.modelled = box_.now();
        result_.farm_began = result_.truth.first_event();
        result_.farm_ended = result_.truth.last_activity();
        result_.events_fired = box_.machine().timeline().fired();
        for (const NodeId node : nodes_) gather_node(node);
        result_.links = link_lines(box_.machine(), scenario_.reconfigurations, reconfigurer_.done());
        if (injector_) gather_faults(scenario_, box_.machine(), *injector_, result_);
        result_.reconfigured = reconfigurer_.done();
        result_.lost_transfers = reconfigurer_.lost();
        gather_cuts();
        if (!monitored()) return;
        result_.trace = sink_->collector.finish(result_.end);
        // What those who can still speak say; what a dead node dropped is not known.
        result_.trace->dropped_messages = box_.host().dropped_damaged();
        for (const NodeId node : nodes_) {
            result_.trace->dropped_messages +=
                std::max(result_.nodes[node.value()].dropped_messages, sink_->dropped_by_node[node.value()]);
        }
        result_.statistics = sink_->collector.statistics();
    }

    void gather_node(NodeId id) {
        const hw_model::Node& node = box_.machine().node(id);
        NodeLine& line = result_.nodes[id.value()];
        line.member = true;
        const hw_model::ProcessorTotals totals = node.processor.totals();
        window_.tell(id, line);
        line.high_busy = totals.high_busy;
        line.low_busy = totals.low_busy;
        line.preemptions = totals.preemptions;
        line.timeslices = totals.timeslices;
        line.memory_high_water = node.arena.high_water_bytes();
        line.memory_size = node.arena.ram_bytes();
        line.crashed = node.processor.crashed();
        line.kernel_monitor_time = box_.kernel(id).monitor_time();
        if (!monitored()) return;
        line.ledger = monitors_[id.value()]->ledger();
        line.recorded = monitors_[id.value()]->recorded();
    }

    void gather_cuts() {
        const auto& setup = farm_->places();
        for (const NodeId node : nodes_) {
            const auto& parent = setup[node.value()].parent;
            if (!parent) continue;
            const auto& neighbour = box_.network().neighbour(node, parent->link);
            const auto& children = setup[parent->node.value()].children;
            const bool joined =
                neighbour && std::any_of(children.begin(), children.end(), [&](const trek_kernel::Branch& child) {
                    return child.node == node && neighbour->node == parent->node && neighbour->link == child.link;
                });
            if (!joined) result_.cuts.emplace_back(node, parent->node);
        }
    }

    const Scenario& scenario_;
    SessionResult& result_;
    const std::vector<NodeId> nodes_;  // of the farm
    const std::function<bool(const Progress&)>& progress_;
    // What processes use while their stacks are unwound lives longer than the machine.
    std::unique_ptr<trek_kernel::Application> application_;
    std::vector<std::unique_ptr<instrumentation::NodeMonitor>> monitors_;
    std::unique_ptr<instrumentation::TrekProbe> probe_;
    std::unique_ptr<CollectorSink> sink_;
    std::unique_ptr<trek_kernel::Farm> farm_;
    FaultTrigger trigger_;
    bool loaded_ = false;
    std::string load_failure_;    // why not
    std::string waits_for_;       // what is being loaded
    std::vector<NodeId> silent_;  // told to begin, and have not answered
    bool cut_ = false;
    Multicomputer box_;
    FarmWindow window_{box_.machine(), nodes_};
    std::unique_ptr<hw_model::FaultInjector> injector_;
    std::optional<hw_model::Waveforms> waveforms_;
    Reconfigurer reconfigurer_;
};

}  // namespace

void run_session(const Scenario& scenario, SessionResult& result, const std::function<bool(const Progress&)>& progress,
                 const std::function<void(Multicomputer&)>& prepare) {
    Run run(scenario, result, progress);
    if (prepare) prepare(run.machine());
    run.go();
}

}  // namespace tmon_session
