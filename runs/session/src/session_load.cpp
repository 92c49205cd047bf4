// Booting and loading, and the diagnosis when either stands still.
#include <algorithm>
#include <utility>

#include <scenario/virtual_branches.hpp>
#include <topologies/end_names.hpp>
#include <trollius_os/services.hpp>
#include <vocabulary/source_position.hpp>

#include "session_run.hpp"

namespace session {

trollius_os::Process* SessionRun::on_host_if_room(const char* name, std::function<void(Api&)> code) {
    return box_.host().create({name, trollius_os::Priority::Low, trollius_os::kernel_priority::command,
                               box_.host().costs().service_stack, std::move(code)});
}

trollius_os::Process* SessionRun::on_host(const char* name, std::function<void(Api&)> code) {
    trollius_os::Process* process = on_host_if_room(name, std::move(code));
    if (process != nullptr) return process;
    const std::string refused = std::string("the host has no room for the process '") + name + "'";
    if (box_.host().refusal() == trollius_os::Error::NoKernelDescriptors)
        throw vocabulary::RequestError(refused + ", " + trollius_os::text_of(trollius_os::Error::NoKernelDescriptors) +
                                       "; raise host.process_table");
    throw vocabulary::RequestError(refused + "; lower kernel.service_stack or kernel.system_memory");
}

void SessionRun::fail(std::string why) const {
    for (std::size_t i = 0; scenario_.faults && i < scenario_.faults->faults.size(); ++i) {
        const topologies::Fault& fault = scenario_.faults->faults[i];
        const std::string node = topologies::node_name(fault.node);
        const bool meant = why.starts_with(node + " ") || why.find(" on " + node + ":") != std::string::npos;
        const std::size_t dot = fault.target.find('.');
        const bool way = fault.verb == topologies::FaultVerb::Miswire || fault.verb == topologies::FaultVerb::SwitchStuck;
        if (way &&
            why.find(" " + fault.target.substr(0, dot) + " output " + fault.target.substr(dot + 1) + " ") != std::string::npos)
            why += "; the fault plan does this: " + fault.where.text() + ", " + topologies::fault_text(fault) +
                   "; let it strike when the machine has booted";
        if (fault.verb != topologies::FaultVerb::Memory || !meant) continue;
        why += "; the fault plan takes its memory away: " + fault.where.text() + ", " + topologies::fault_text(fault);
    }
    throw vocabulary::RequestError(why);
}

bool SessionRun::boot() {
    box_.boot();
    SimTime moved_last = box_.now();
    run_until("boot", [&] {
        if (watch_.something_moves()) moved_last = box_.now();
        return box_.booted() || !box_.failure().empty();
    });
    if (!box_.failure().empty()) fail(box_.failure());
    const bool stands = !cut_ && (box_.machine().timeline().empty() || scenario_.limit - moved_last >= load_silence);
    if (!box_.booted() && stands) tell_where_booting_stands();
    if (!box_.booted() && !cut_ && !stands)
        throw vocabulary::RequestError(
            "the machine did not boot within the scenario's limit of modelled time; raise end.limit");
    if (box_.booted()) {
        reconfigurer_.start();
    } else {
        observed_.end = tmon_streams::SessionEnd::NeverBegan;
    }
    return box_.booted();
}

void SessionRun::tell_where_booting_stands() {
    constexpr std::size_t most_named = 4;
    if (!box_.image_goes_out()) {
        observed_.diagnosis = "booting stood still: the switches were not set";
        return;
    }
    observed_.diagnosis = "booting stood still: " + std::to_string(box_.booted_nodes()) + " of " +
                          std::to_string(box_.nodes_to_boot()) + " kernels have started";
    const auto transfers = box_.image_transfers();
    for (std::size_t i = 0; i < std::min(most_named, transfers.size()); ++i) {
        const auto& [from, to] = transfers[i];
        observed_.diagnosis += (i == 0 ? "; it waits for " : ", ") + topologies::node_name(to) + " to take the image from " +
                               (from == box_.host_id() ? "the host" : topologies::node_name(from));
    }
    if (transfers.size() > most_named) observed_.diagnosis += " and " + std::to_string(transfers.size() - most_named) + " more";
}

void SessionRun::load_program(Api& api, NodeId node, const char* program) {
    waits_for_ = std::string(program) + " on n" + std::to_string(node.value());
    if (!load_failure_.empty() || trollius_os::loadgo(api, node, box_.host_id(), program)) return;
    load_failure_ = std::string(program) + " could not be loaded on n" + std::to_string(node.value()) +
                    ": the node has too little memory for it";
    if (scenario_.faults) load_failure_ += ", or the request came damaged";
}

void SessionRun::start_hostmon() {
    if (!monitored()) throw vocabulary::RequestError("the scenario is not monitored; add a 'monitor:' to it");
    hostmon_ = on_host("hostmon", [this](Api& its) { instrumentation::hostmon(its, *sink_); });
}

void SessionRun::load_monitor(Api& api) {
    for (const NodeId node : nodes_) load_program(api, node, "nodemon");
    if (is_tmon()) load_program(api, interrupt_master(), "monmaster");
    try {
        start_hostmon();
    } catch (const vocabulary::RequestError& error) {  // no exception may leave a process
        if (load_failure_.empty()) load_failure_ = error.what();
    }
}

// From the leaves up, as the programs are loaded. Tasks flow as soon as a node may record. A node that may not yet record would
// hold up its link at its first probe. With the link it would hold up the command that lets it go on.
void SessionRun::begin_monitor(Api& api) {
    if (!load_failure_.empty() || !cannot_run().empty()) return;
    // Where a branch is no link, tasks to a node that has begun could overtake the command for one behind it on the way.
    const bool one_by_one = !scenario::virtual_branches(scenario_).empty();
    instrumentation::monctrl(api, instrumentation::Control::Begin, scenario_.farm.leaves_first(), &silent_, one_by_one);
    if (is_tmon()) instrumentation::monctrl_master(api, instrumentation::Control::Begin, interrupt_master(), &silent_);
}

// Ranks make records from their start on, and nothing would hold them back, so their monitor begins before.
void SessionRun::load_job(Api& api, HostedJob& job) {
    if (monitored()) load_monitor(api);
    if (monitored()) begin_monitor(api);
    if (!load_failure_.empty() || !cannot_run().empty()) {
        loaded_ = true;
        return;
    }
    try {
        job.start();
    } catch (const vocabulary::RequestError& error) {  // no exception may leave a process
        load_failure_ = error.what();
        loaded_ = true;
    }
}

bool SessionRun::is_loaded() {
    HostedJob* const job = farm_->job();
    if (job == nullptr || loaded_) return loaded_;
    waits_for_ = job->loads();
    loaded_ = job->started() || job->over();
    if (loaded_) load_failure_ = job->failure();
    if (loaded_) times_.loaded = box_.now();
    return loaded_;
}

bool SessionRun::load() {
    if (logs_to_host()) on_host("flowbackd", [this](Api& api) { flowback_unload::collect(api, log_inbox_); });
    on_host("loadgo", [this](Api& api) {
        if (HostedJob* job = farm_->job()) return load_job(api, *job);
        if (monitored()) load_monitor(api);
        if (is_tmon()) begin_monitor(api);
        for (const NodeId node : scenario_.farm.leaves_first()) load_program(api, node, farm_->program_of(node));
        if (monitored() && !is_tmon()) begin_monitor(api);
        loaded_ = true;
        times_.loaded = box_.now();
    });
    const SimTime since = wait_for_programs();
    if (const std::string reason = cannot_run(); !reason.empty()) fail(reason);
    const bool refused = !load_failure_.empty();
    if (refused && !scenario_.faults) fail(load_failure_);
    if (refused) {
        observed_.diagnosis = load_failure_;  // a planned fault is no mistake of the scenario
    } else if (!loaded_ && !cut_) {
        tell_where_loading_stands(since);
    }
    if (refused || !loaded_) observed_.end = tmon_streams::SessionEnd::NeverBegan;
    return !refused && (loaded_ || has_begun());
}

// The master is loaded last, and its first messages come before its answer.
bool SessionRun::has_begun() const {
    return !cut_ && watch_.application_bytes() > 0;
}

// Waits until they are loaded, or nobody answers any more. Returns when something last came.
SimTime SessionRun::wait_for_programs() {
    SimTime since = box_.now();
    run_until("load", [&, bytes = std::uint64_t{0}]() mutable {
        // Tmon's traces come at each global interrupt, whichever node has died. Traces made before the awaited answer keep it
        // waiting.
        const std::uint64_t now = watch_.host_bytes(FarmWatch::Counted::NoTracesThatCome);
        if (now != std::exchange(bytes, now) || watch_.older_records_come(since)) since = box_.now();
        return is_loaded() || box_.now() - since > load_silence;
    });
    return since;
}

bool SessionRun::loads_on() {
    wait_for_programs();
    if (loaded_) observed_.diagnosis.clear();
    return loaded_;
}

void SessionRun::tell_where_loading_stands(SimTime moved_last) {
    if (!box_.machine().timeline().empty() && scenario_.limit - moved_last < load_silence) {
        if (scenario_.faults && (!monitored() || sink_->received == 0)) {
            observed_.diagnosis = "loading had not ended at end.limit: nothing came from " + waits_for_;
            return;
        }
        if (!monitored() || sink_->received == 0)
            throw vocabulary::RequestError(
                "the programs were not loaded within the scenario's limit of modelled time; raise end.limit");
        // The records of a monitor that makes more than the links to the host can take may hold up loading for ever.
        observed_.diagnosis =
            "loading had not ended at end.limit: records of the monitor keep the links busy, and nothing came from " +
            waits_for_ + "; lengthen monitor.interrupt, or raise end.limit";
        return;
    }
    observed_.diagnosis = "loading stood still: nothing came from " + waits_for_;
    if (silent_.empty()) return;
    observed_.diagnosis = "the monitor was not begun: no answer to the command from";
    for (std::size_t i = 0; i < silent_.size(); ++i) {
        if (i > 0) observed_.diagnosis += i + 1 == silent_.size() ? " and" : ",";
        observed_.diagnosis += " n" + std::to_string(silent_[i].value());
    }
}

std::string SessionRun::cannot_run() const {
    if (!farm_->failure().empty()) return farm_->failure();
    for (std::size_t i = 0; i < monitors_.size(); ++i) {
        if (!monitors_[i]->short_of_memory()) continue;
        return "n" + std::to_string(i) +
               " has too little memory for the monitor's buffers; give it more RAM in the machine file, or lower "
               "monitor.buffer";
    }
    return {};
}

}  // namespace session
