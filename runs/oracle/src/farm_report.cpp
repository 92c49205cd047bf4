#include <oracle/farm_report.hpp>

#include <algorithm>
#include <map>
#include <set>

#include <oracle/measured.hpp>
#include <scenario/virtual_branches.hpp>
#include <session/traffic_name.hpp>
#include <topologies/end_names.hpp>

#include <oracle/farm_activity.hpp>
#include "farm_limit.hpp"

namespace oracle {

using trek_kernel::UserProcess;
using vocabulary::NodeId;
using vocabulary::SimTime;

namespace {

constexpr std::size_t most_bins = 60, most_bins_of_nodes = 8192;  // a curve on a screen; all nodes' curves in a report

double ratio(SimTime part, SimTime whole) {
    return whole > SimTime() ? part.in_seconds() / whole.in_seconds() : 0;
}
SimTime overlap(SimTime begin, SimTime end, SimTime from, SimTime to) {
    return std::max(SimTime(), std::min(end, to) - std::max(begin, from));
}

class Maker {
public:
    Maker(const scenario::Scenario& scenario, const oracle::SessionResult& result)
        : scenario_(scenario), result_(result), config_(scenario.farm), index_(config_.nodes), link_index_(config_.nodes) {}

    FarmReport make() {
        report_.scenario = scenario_.name;
        report_.machine = scenario_.machine.name;
        report_.run_hash = result_.truth.run_hash();
        report_.seed = scenario_.seed;
        report_.config = config_;
        report_.virtual_branches = scenario::virtual_branches_text(scenario_);
        report_.finished = result_.simulated.farm.finished;
        report_.phases = phases_of(result_.truth);
        place_nodes();
        if (!report_.phases.began) return report_;
        report_.phases.end = std::max(report_.phases.end, result_.simulated.farm_counted);
        count_results();
        rate();
        count_work();
        count_moves();
        processors();
        links();
        queues();
        limit();
        return report_;
    }

private:
    SimTime from() const { return report_.phases.first_task; }
    SimTime to() const { return report_.phases.last_result; }
    SimTime span() const { return to() - from(); }
    bool known(std::size_t node) const { return node < config_.nodes && config_.has(id(node)); }
    static std::uint64_t key(std::uint32_t task, std::uint32_t subtask) { return std::uint64_t{task} << 32 | subtask; }
    static NodeId id(std::size_t node) { return NodeId(static_cast<NodeId::value_type>(node)); }
    // Passes over the run instead of a list: a long one has more work than fits into memory.
    void each_work(const std::function<void(const Work&)>& see) const {
        oracle::each_work(result_.truth, report_.phases.end, see);
    }
    FarmReport::Node& line(std::size_t node) { return report_.nodes[index_[node]]; }

    void place_nodes() {
        for (const NodeId node : config_.members()) {
            FarmReport::Node line;
            line.node = node;
            if (node.value() != 0) line.parent = config_.parent(node);
            if (line.parent) line.depth = static_cast<std::uint32_t>(config_.level(node) + 1);
            line.answers = node.value() < result_.simulated.nodes.size() && result_.observed.nodes[node.value()].answers;
            index_[node.value()] = report_.nodes.size();
            report_.nodes.push_back(line);
            if (!line.parent) continue;
            link_index_[node.value()] = report_.links.size();
            report_.links.push_back({.parent = *line.parent, .child = node});
        }
    }

    bool in_steady(SimTime when) const { return when >= report_.rate.from && when < report_.rate.to; }
    SimTime steady() const { return report_.rate.to - report_.rate.from; }

    // Results that the manager computed itself, when no worker was left, never come over a link.
    void count_results() {
        std::vector<bool> completed(config_.tasks);
        std::set<std::uint32_t> beyond;  // numbers that damage has made
        const auto come_back = [&](std::uint32_t task, SimTime when) {
            const bool first = task < completed.size() ? !completed[task] : beyond.insert(task).second;
            if (!first) return;
            if (task < completed.size()) completed[task] = true;
            back_.emplace_back(when, tasks_in(config_, task));
        };
        for (const trace_record::Event& event : result_.truth.events()) {
            if (event.node == 0 && event.is_result != 0 && event.kind == trace_record::EventKind::Receive)
                come_back(event.task, SimTime::us(static_cast<std::int64_t>(event.time_us)));
        }
        each_work([&](const Work& work) {
            if (work.node.value() == 0 && work.process == UserProcess::Compute && work.ended) come_back(work.task, work.end);
        });
        std::stable_sort(back_.begin(), back_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        report_.completed = result_.simulated.tasks.completed;
        FarmReport::Phases& phases = report_.phases;
        if (!back_.empty()) phases.last_result = std::max(phases.last_result, back_.back().first);
        phases.returned =
            std::max(phases.last_result, result_.simulated.farm.finished ? result_.simulated.farm.returned : SimTime());
    }

    // The same figure as beside a prediction. Something near the manager may hold the farm up, and then far workers begin late
    // or never. So the middle of the results is taken, and not the part between start-up and wind-down.
    void rate() {
        const SimTime total = report_.phases.returned - from();
        report_.rate.whole = total > SimTime() ? report_.completed / total.in_seconds() : 0;
        report_.rate.no_steady = "too few results while tasks were handed out";
        std::vector<double> arrivals;
        for (const auto& one : back_) arrivals.push_back(one.first.in_seconds());
        const auto [first, last] = steady_window(arrivals, report_.phases.last_task.in_seconds());
        const auto rate = measured(scenario_, result_).tasks_per_second;
        if (!rate || last <= first) return;
        std::set<NodeId> began;
        each_work([&](const Work& work) { began.insert(work.node); });
        if (last - first < began.size()) return;  // the results are all of one wave
        report_.rate.no_steady.clear();
        report_.rate.steady = rate;
        report_.rate.from = back_[first].first;
        report_.rate.to = back_[std::min(last, back_.size() - 1)].first;
    }

    void count_moves() {
        moves_.resize(config_.nodes);
        transfers_.resize(config_.nodes);
        for (const trace_record::Event& event : result_.truth.events()) {
            if (!known(event.node) || !known(event.peer)) continue;
            const SimTime when = SimTime::us(static_cast<std::int64_t>(event.time_us));
            moves_[event.node].count(in_steady(when));
            const bool sent = event.kind == trace_record::EventKind::Send, is_result = event.is_result != 0;
            if (!sent) continue;
            const bool own = is_result && std::binary_search(own_[event.node].begin(), own_[event.node].end(),
                                                             key(event.task, event.subtask));
            if (event.node != 0 && !own) ++(is_result ? line(event.node).results_forwarded : line(event.node).tasks_forwarded);
            count_transfer(event, is_result, when);
        }
    }

    void count_transfer(const trace_record::Event& event, bool is_result, SimTime when) {
        const bool down = event.node != 0 ? line(event.node).parent != id(event.peer) : true;
        const std::size_t child = down ? event.peer : event.node;
        if (child == 0) return;
        FarmReport::Link& link = report_.links[link_index_[child]];
        ++(is_result ? link.results : link.tasks);
        (down ? link.bytes_down : link.bytes_up) += event.bytes;
        (down ? transfers_[child].down : transfers_[child].up).count(in_steady(when));
    }

    void count_work() {
        steady_work_.resize(config_.nodes);
        all_work_.resize(config_.nodes);
        own_.resize(config_.nodes);
        std::vector<bool> began(config_.nodes);
        each_work([&](const Work& work) {
            if (!known(work.node.value())) return;
            FarmReport::Node& node = line(work.node.value());
            const bool computes = work.process == UserProcess::Compute;
            if (computes || work.process == UserProcess::Split) began[work.node.value()] = true;
            if (computes || node.node.value() == 0) {
                all_work_[work.node.value()] += work.end - work.begin;
                steady_work_[work.node.value()] += overlap(work.begin, work.end, report_.rate.from, report_.rate.to);
            }
            if (!work.ended) return;
            if (computes) ++node.computed;
            if (work.process == UserProcess::Split) ++node.split;
            if (work.process == UserProcess::Join) ++node.joined;
            if (computes || work.process == UserProcess::Join) own_[work.node.value()].push_back(key(work.task, work.subtask));
        });
        for (auto& made : own_) std::sort(made.begin(), made.end());
        for (FarmReport::Node& node : report_.nodes) {
            if (node.parent && !began[node.node.value()]) ++report_.phases.never_began;
        }
    }

    void processors() {
        report_.window = report_.phases.end - from();
        for (FarmReport::Node& node : report_.nodes) {
            if (node.node.value() >= result_.simulated.nodes.size()) continue;
            const session::NodeLine& totals = result_.simulated.nodes[node.node.value()];
            node.high = totals.farm_high;
            node.computing = totals.farm_low;
            results_waiting(node, totals.results);
            node.idle = std::max(SimTime(), report_.window - node.high - node.computing);
            if (!report_.rate.steady) continue;
            // Within the steady state. Handling goes with the messages, computing with the functions that were at work.
            const std::size_t i = node.node.value();
            node.steady_high = std::min(1.0, ratio(node.high, steady()) * moves_[i].share());
            const bool seen = all_work_[i] > SimTime();
            const double computing =
                ratio(node.computing, steady()) * (seen ? ratio(steady_work_[i], all_work_[i]) : moves_[i].share());
            node.steady_busy = std::min(1.0, node.steady_high + computing);
        }
    }

    void results_waiting(FarmReport::Node& node, const trek_kernel::ResultQueue& results) const {
        const SimTime until = report_.phases.returned, total = until - from();
        if (total > SimTime()) {
            const double still = results.waiting * std::max(SimTime(), until - results.since).in_seconds();
            node.mean_results = (static_cast<double>(results.waited_ns) * 1e-9 + still) / total.in_seconds();
        }
        node.longest_results = results.longest;
        node.most_result_bytes = results.most_bytes;
    }

    // By the names of the ends, since two nodes may have several links and the farm uses one of them.
    void links() {
        if (!report_.virtual_branches.empty()) return;
        std::map<std::pair<std::string, std::string>, std::size_t> down, up;
        for (std::size_t i = 0; i < report_.links.size(); ++i) {
            const std::string parent = topologies::node_name(report_.links[i].parent);
            const std::string child = topologies::node_name(report_.links[i].child);
            down[{parent, child}] = i;
            up[{child, parent}] = i;
        }
        const auto node_of = [](const std::string& end) { return end.substr(0, end.find('.')); };
        constexpr vocabulary::Account farm = trollius_os::accounts::application;
        for (const session::LinkLine& line : result_.simulated.links) {
            const std::pair ends{node_of(line.from), node_of(line.to)};
            if (const auto found = down.find(ends); found != down.end())
                report_.links[found->second].busy_down += line.totals.of[farm].busy;
            if (const auto found = up.find(ends); found != up.end())
                report_.links[found->second].busy_up += line.totals.of[farm].busy;
        }
        if (!report_.rate.steady) return;
        for (FarmReport::Link& link : report_.links) {
            const Transfers& moved = transfers_[link.child.value()];
            link.steady_down = std::min(1.0, ratio(link.busy_down, steady()) * moved.down.share());
            link.steady_up = std::min(1.0, ratio(link.busy_up, steady()) * moved.up.share());
        }
    }

    // Adds value * time to the bins that the time lies in.
    void spread(std::vector<double>& bins, SimTime begin, SimTime end, double value) const {
        begin = std::max(begin, from());
        end = std::min(end, to());
        const SimTime bin = report_.over_time.bin;
        while (begin < end) {
            const auto at = static_cast<std::size_t>((begin - from()) / bin);
            if (at >= bins.size()) return;
            const SimTime stop = std::min(end, from() + bin * static_cast<std::int64_t>(at + 1));
            bins[at] += value * ratio(stop - begin, bin);
            begin = stop;
        }
    }

    void queues() {
        FarmReport::OverTime& over = report_.over_time;
        if (span() <= SimTime()) return;
        over.bin = SimTime::ps(span().in_ps() / static_cast<std::int64_t>(most_bins) + 1);
        over.computing.resize(most_bins);
        over.queued.resize(most_bins);
        over.results.resize(most_bins);
        for (const auto& [when, tasks] : back_)
            over.results[std::min(most_bins - 1, static_cast<std::size_t>((when - from()) / over.bin))] += tasks;
        const bool by_node = report_.nodes.size() * most_bins <= most_bins_of_nodes;
        for (FarmReport::Node& node : report_.nodes) {
            if (by_node) node.queue.resize(most_bins);
        }
        struct State {
            SimTime since;
            std::uint32_t waiting = 0, at_work = 0;
        };
        std::vector<State> states(config_.nodes, State{from()});
        const auto until = [&](SimTime when, std::size_t index) {
            State& state = states[index];
            FarmReport::Node& node = line(index);
            const SimTime begin = std::max(state.since, from()), end = std::min(when, to());
            if (begin < end) {
                node.mean_queue += state.waiting * ratio(end - begin, span());
                if (state.waiting == 0 && state.at_work == 0) node.waiting_for_work += end - begin;
                if (state.waiting > 0) spread(over.queued, begin, end, state.waiting);
                if (state.waiting > 0 && by_node) spread(node.queue, begin, end, state.waiting);
                if (state.at_work > 0) spread(over.computing, begin, end, 1);
            }
            state.since = std::max(state.since, when);
        };
        Waiting(config_, result_.truth)
            .replay([&](SimTime when, std::size_t index, std::uint32_t waiting, std::uint32_t at_work) {
                if (index == 0 || !known(index)) return;
                until(when, index);
                states[index].waiting = waiting;
                states[index].at_work = at_work;
                line(index).longest_queue = std::max(line(index).longest_queue, waiting);
            });
        for (const FarmReport::Node& node : report_.nodes) {
            if (node.parent) until(to(), node.node.value());
        }
    }

    void limit() {
        if (report_.rate.steady) report_.limit = limit_of(report_);
        if (!report_.rate.steady) report_.limit.reason = "not known: no steady rate, " + report_.rate.no_steady;
    }

    struct Count {
        std::uint64_t all = 0, steady = 0;
        void count(bool in_steady) {
            ++all;
            if (in_steady) ++steady;
        }
        double share() const { return all > 0 ? static_cast<double>(steady) / static_cast<double>(all) : 0; }
    };
    struct Transfers {
        Count down, up;
    };

    const scenario::Scenario& scenario_;
    const oracle::SessionResult& result_;
    const farm_spec::FarmSpec& config_;
    std::vector<std::size_t> index_, link_index_;  // by NodeId: into nodes; into links by child
    FarmReport report_;
    std::vector<Count> moves_;                             // by NodeId
    std::vector<Transfers> transfers_;                     // by child
    std::vector<SimTime> all_work_, steady_work_;          // by NodeId: user functions at work
    std::vector<std::vector<std::uint64_t>> own_;          // by NodeId: results made there, ascending
    std::vector<std::pair<SimTime, std::uint32_t>> back_;  // results at the manager: when, tasks
};

}  // namespace

FarmReport farm_report(const scenario::Scenario& scenario, const oracle::SessionResult& result,
                       std::optional<farm_model::Prediction> prediction) {
    FarmReport report = Maker(scenario, result).make();
    for (const ground_truth::TrueReissue& again : result.truth.reissued())
        report.reissued.push_back({again.reissue.node, again.reissue.child, again.reissue.task, again.reissue.subtask});
    report.prediction = std::move(prediction);
    if (!report.prediction) return report;
    for (FarmReport::Node& node : report.nodes) {
        if (node.node.value() < report.prediction->tasks_of_node.size())
            node.predicted_tasks = report.prediction->tasks_of_node[node.node.value()];
    }
    return report;
}

}  // namespace oracle
