// The farm's run as a person beside the machine sees it: when it is over, and what is asked of the nodes afterwards.
#include <algorithm>
#include <numeric>

#include <trollius_os/services.hpp>

#include "session_run.hpp"

namespace tmon_session {
namespace {

constexpr SimTime answer_time = SimTime::ms(200);  // a node that is silent for so long does not answer
constexpr std::size_t asked_at_once = 32;          // nodes: the host has room for 64 processes

}  // namespace

bool SessionRun::somebody_computes() {
    return std::any_of(nodes_.begin(), nodes_.end(), [this](NodeId id) {
        const hw_model::Processor& processor = box_.machine().node(id).processor;
        // Under Tmon the records of each interrupt keep the processors busy, too.
        if (is_tmon() && !farm_->at_work(id)) return false;
        return !processor.stopped() && (!processor.low_priority_idle() || processor.use_end() > box_.now() + look_period);
    });
}

bool SessionRun::something_moves(bool farm_only) {
    // Signs of life of a surviving farm are no work, and what Tmon records at each global interrupt of a farm that stands still
    // is none either.
    const bool tmon = is_tmon();
    const auto is_work = [&](const hw_model::LinkEnd& end) {
        if (!farm_only || (!scenario_.farm.survives && !tmon)) return end.moving();
        const auto traffic = end.on_wire();
        return end.moving_out() && traffic != hw_model::Traffic::System && !(tmon && traffic == hw_model::Traffic::Monitor);
    };
    for (std::size_t i = 0; i <= box_.node_count(); ++i) {
        for (std::uint8_t link = 0; link < 4; ++link) {
            const hw_model::LinkEnd* end =
                box_.machine().node(NodeId(static_cast<NodeId::value_type>(i))).link(vocabulary::LinkNo(link));
            if (end != nullptr && is_work(*end)) return true;
        }
    }
    return false;
}

std::uint64_t SessionRun::host_bytes(Counted counted) {
    std::uint64_t bytes = 0;
    for (std::uint8_t link = 0; link < 4; ++link) {
        const hw_model::LinkEnd* here = box_.machine().node(box_.host_id()).link(vocabulary::LinkNo(link));
        const auto& far = box_.machine().network().neighbour(box_.host_id(), vocabulary::LinkNo(link));
        const hw_model::LinkEnd* there = far ? box_.machine().node(far->node).link(far->link) : nullptr;
        for (const hw_model::LinkEnd* end : {here, there}) {
            if (end == nullptr) continue;
            const auto of_kind = end->totals().bytes;
            bytes = std::accumulate(of_kind.begin(), of_kind.end(), bytes);
            if (end == there && counted == Counted::NoTracesThatCome)
                bytes -= of_kind[static_cast<std::size_t>(hw_model::Traffic::Monitor)];
        }
    }
    return bytes;
}

bool SessionRun::no_answer(SimTime& since, HostSilence& host) {
    if (something_moves()) since = box_.now();
    if (const std::uint64_t now = host_bytes(); now != host.bytes) host = {now, box_.now()};
    return box_.now() - since > answer_time || box_.now() - host.since > load_silence;
}

std::uint64_t SessionRun::application_bytes() {
    std::uint64_t bytes = 0;
    for (const NodeId node : nodes_) {
        for (std::uint8_t link = 0; link < 4; ++link) {
            const hw_model::LinkEnd* end = box_.machine().node(node).link(vocabulary::LinkNo(link));
            if (end != nullptr) bytes += end->totals().bytes[static_cast<std::size_t>(hw_model::Traffic::Application)];
        }
    }
    return bytes;
}

void SessionRun::run_farm() {
    SimTime moved_at = box_.now(), computed_at = box_.now();
    std::uint64_t bytes = application_bytes();
    // A node is given up after at most twice the silence, and then something moves again.
    const SimTime given_up = scenario_.farm.survives ? scenario_.costs.time("trek.silence") * 2 : SimTime();
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
        if (box_.now() - std::max(moved_at, computed_at) > scenario_.quiet + given_up)
            return give_up(tmon::SessionEnd::StoodStill);
        if (box_.now() - moved_at > scenario_.patience) return give_up(tmon::SessionEnd::Cut);
        return false;
    });
    // Nothing is left that could happen, or the limit of modelled time or the user has cut it.
    if (result_.end == tmon::SessionEnd::Unknown)
        result_.end = box_.machine().timeline().empty() ? tmon::SessionEnd::StoodStill : tmon::SessionEnd::Cut;
}

void SessionRun::quit_monitor() {
    if (is_tmon())
        on_host("monctrl",
                [this](Api& api) { instrumentation::monctrl_master(api, instrumentation::Control::Quit, interrupt_master()); });
    if (sink_->ended == nodes_.size()) return;
    on_host("monctrl", [this](Api& api) { instrumentation::monctrl(api, instrumentation::Control::Quit, nodes_); });
    std::uint64_t last = sink_->received + sink_->ended;
    SimTime since = box_.now();
    const SimTime began = since;  // nodes that go on making records, as of signs of life, might never come to their end
    HostSilence host{host_bytes(), box_.now()};
    run_until("quit", [&] {
        if (const std::uint64_t now = sink_->received + sink_->ended; now != last) {
            last = now;
            since = box_.now();
        }
        return sink_->ended == nodes_.size() || no_answer(since, host) || box_.now() - began > scenario_.patience;
    });
}

void SessionRun::ask_state() {
    result_.nodes.resize(scenario_.farm.nodes);
    for (std::size_t first = 0; first < nodes_.size(); first += asked_at_once) {
        const std::uint64_t fired = box_.machine().timeline().fired();
        ask_state_of(std::span(nodes_).subspan(first, std::min(asked_at_once, nodes_.size() - first)));
        // The run was cut, or is at its limit: time does not go on, nobody can answer, and the host has no room for all of
        // them.
        if (box_.machine().timeline().fired() == fired) return;
    }
}

void SessionRun::ask_state_of(std::span<const NodeId> some) {
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

}  // namespace tmon_session
