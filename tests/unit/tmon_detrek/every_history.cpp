#include "every_history.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace testing_support {

namespace {

using Part = std::pair<std::uint32_t, SubTaskId>;  // task and sub-task

struct Worker {
    bool dead = false, stuck = false, comp_hangs = false, split_hangs = false, join_hangs = false;
    std::optional<Part> arrived, computing, passing;
    std::map<std::uint16_t, std::vector<Part>> to_child;
    std::map<Part, std::set<SubTaskId>> parts_back;
    std::vector<Part> ready_to_join, to_parent;
    friend auto operator<=>(const Worker&, const Worker&) = default;
};

struct Record {
    std::uint16_t node = 0, worker = 0;
    Part part;
    unsigned what = 0;  // 0 sent, 1 arrived, 2 result sent, 3 result arrived
    friend auto operator<=>(const Record&, const Record&) = default;
};

struct Moment {
    std::vector<Worker> workers;
    std::vector<std::vector<Record>> records;
    std::vector<std::tuple<UserFunction, std::uint32_t, SubTaskId, std::uint16_t>> stops;
    std::uint32_t generated = 0, taken = 0, waiting = 0;
    std::set<std::uint32_t> at_home;
    bool generator_hangs = false, receiver_hangs = false, ended = false, struck = false;
    friend auto operator<=>(const Moment&, const Moment&) = default;
};

class Every {
public:
    Every(const farm_spec::FarmSpec& spec, const OneFailure& failure) : spec_(spec), tree_(spec), failure_(failure) {}

    std::vector<FarmHistory> run(std::size_t most_states) {
        Moment start;
        start.workers.resize(spec_.nodes);
        start.records.resize(spec_.nodes);
        std::vector<FarmHistory> ends;
        std::vector<Moment> open{start};
        std::set<Moment> seen{start};
        while (!open.empty()) {
            if (seen.size() > most_states) return {};
            const Moment now = std::move(open.back());
            open.pop_back();
            next_.clear();
            if (!now.ended) step(now);
            if (next_.empty()) ends.push_back(history(now));
            if (can_strike(now)) strike(now);
            for (Moment& each : next_)
                if (seen.insert(each).second) open.push_back(std::move(each));
        }
        return ends;
    }

private:
    bool can_strike(const Moment& now) const { return !failure_.hardware.empty() && !now.struck && !now.ended; }
    std::uint16_t above(std::uint16_t node) const { return *tree_.parent(node); }
    bool fails(Moment& m, UserFunction function, Part part, std::uint16_t node, bool& hangs) const {
        for (const Fault& fault : failure_.fault) {
            if (fault.function != function || fault.task != part.first || (fault.node && *fault.node != node)) continue;
            m.stops.emplace_back(function, part.first, part.second, node);
            (fault.kills_node ? m.workers[node].dead : hangs) = true;
            return true;
        }
        return false;
    }
    void record(Moment& m, std::uint16_t node, std::uint16_t worker, Part part, unsigned what) const {
        m.records[node].push_back({node, worker, part, what});
    }

    void step(const Moment& now) {
        if (!now.workers[0].dead) manager(now);
        for (const std::uint16_t node : tree_.from_the_top()) {
            if (now.workers[node].dead) continue;
            if (node != 0) work(now, node);
            for (const auto& [child, queue] : now.workers[node].to_child) {
                const Worker& below = now.workers[child];
                if (queue.empty() || below.dead || below.stuck || below.arrived) continue;
                Moment& m = next_.emplace_back(now);
                auto& from = m.workers[node].to_child[child];
                record(m, node, child, from.front(), 0);
                arrive(m, child, from.front());
                from.erase(from.begin());
                if (nothing_waits(m.workers[node])) m.workers[node].passing.reset();
            }
        }
    }
    void arrive(Moment& m, std::uint16_t node, Part part) const {
        record(m, node, node, part, 1);
        m.workers[node].arrived = part;
    }
    static bool nothing_waits(const Worker& worker) {
        return std::all_of(worker.to_child.begin(), worker.to_child.end(),
                           [](const auto& each) { return each.second.empty(); });
    }

    void manager(const Moment& now) {
        if (!now.generator_hangs && now.generated < spec_.tasks && nothing_waits(now.workers[0])) {
            for (const std::uint16_t child : tree_.children(0)) {
                Moment& m = next_.emplace_back(now);
                const Part part{m.generated, 0};
                if (fails(m, UserFunction::Generate, part, 0, m.generator_hangs)) break;
                ++m.generated;
                m.workers[0].to_child[child].push_back(part);
            }
        }
        if (now.receiver_hangs || now.waiting == 0) return;
        Moment& m = next_.emplace_back(now);
        for (const Fault& fault : failure_.fault) {
            if (fault.function != UserFunction::Receive || fault.task != m.taken) continue;
            m.stops.emplace_back(UserFunction::Receive, m.taken, 0, std::uint16_t{0});
            (fault.ends_program ? m.ended : fault.kills_node ? m.workers[0].dead : m.receiver_hangs) = true;
            return;
        }
        --m.waiting;
        if (++m.taken == spec_.tasks) m.ended = true;
    }

    void work(const Moment& now, std::uint16_t node) {
        const Worker& worker = now.workers[node];
        if (worker.arrived && !worker.computing) {
            Moment& m = next_.emplace_back(now);
            Worker& w = m.workers[node];
            w.computing = std::exchange(w.arrived, std::nullopt);
            fails(m, UserFunction::Compute, *w.computing, node, w.comp_hangs);
        }
        if (worker.arrived && worker.computing && !worker.passing && tree_.may_pass_down(node)) pass_down(now, node);
        if (worker.computing && !worker.comp_hangs) {
            Moment& m = next_.emplace_back(now);
            result_on(m, node, *std::exchange(m.workers[node].computing, std::nullopt));
        }
        if (!worker.ready_to_join.empty() && !worker.join_hangs) {
            Moment& m = next_.emplace_back(now);
            Worker& w = m.workers[node];
            const Part whole = w.ready_to_join.front();
            if (!fails(m, UserFunction::Join, whole, node, w.join_hangs)) {
                w.ready_to_join.erase(w.ready_to_join.begin());
                result_on(m, node, whole);
            }
        }
        if (!worker.to_parent.empty() && !worker.stuck && has_room(now, above(node))) {
            Moment& m = next_.emplace_back(now);
            Worker& w = m.workers[node];
            const Part part = w.to_parent.front();
            w.to_parent.erase(w.to_parent.begin());
            record(m, node, node, part, 2);
            come_up(m, node, part);
        }
    }
    // In a processor farm to any child; else part j to child j modulo the number of children.
    void pass_down(const Moment& now, std::uint16_t node) {
        const auto children = tree_.children(node);
        for (const std::uint16_t child : children) {
            Moment& m = next_.emplace_back(now);
            Worker& w = m.workers[node];
            w.passing = std::exchange(w.arrived, std::nullopt);
            if (!spec_.divides()) {
                w.to_child[child].push_back(*w.passing);
                continue;
            }
            if (fails(m, UserFunction::Split, *w.passing, node, w.split_hangs)) return;
            w.parts_back[*w.passing];
            for (unsigned j = 0; j < spec_.degree; ++j) {
                const SubTaskId id = farm_spec::FarmSpec::branch_id(w.passing->second, tree_.level(node), j);
                w.to_child[children[j % children.size()]].emplace_back(w.passing->first, id);
            }
            return;
        }
    }
    bool has_room(const Moment& m, std::uint16_t node) const {
        const Worker& worker = m.workers[node];
        if (worker.dead) return false;
        return node == 0 ? m.waiting < 1 : worker.ready_to_join.size() + worker.to_parent.size() < 2;
    }
    void come_up(Moment& m, std::uint16_t from, Part part) const {
        const std::uint16_t node = above(from);
        record(m, node, from, part, 3);
        if (node != 0) return result_on(m, node, part);
        ++m.waiting;
        m.at_home.insert(part.first);
    }
    void result_on(Moment& m, std::uint16_t node, Part part) const {
        Worker& w = m.workers[node];
        const SubTaskId digit = SubTaskId{0xF} << (4 * (tree_.level(node) + 1));
        const auto whole = w.parts_back.find({part.first, part.second & ~digit});
        if (whole == w.parts_back.end() || !whole->second.insert(part.second & digit).second)
            return w.to_parent.push_back(part);
        if (whole->second.size() < spec_.degree) return;
        w.ready_to_join.push_back(whole->first);
        w.parts_back.erase(whole);
    }

    void strike(const Moment& now) {
        Moment& m = next_.emplace_back(now);
        m.struck = true;
        Worker& w = m.workers[failure_.node];
        const std::uint16_t parent = above(failure_.node);
        (failure_.hardware[0] == HardwareFault::Dies ? w.dead : w.stuck) = true;
        if (failure_.hardware[0] != HardwareFault::LosesAck) return;
        auto& queue = m.workers[parent].to_child[failure_.node];  // the sender keeps what has arrived
        if (!queue.empty() && !w.arrived) return arrive(m, failure_.node, queue.front());
        if (!w.to_parent.empty() && has_room(m, parent)) come_up(m, failure_.node, w.to_parent.front());
    }

    FarmHistory history(const Moment& m) const {
        FarmHistory history{FarmTrace(spec_), {}, {}, {}, {}, m.at_home, {}, {}, false, false};
        for (const auto& records : m.records) {
            for (const Record& each : records) {
                auto& to = history.records;
                const auto& [task, subtask] = each.part;
                each.what == 0   ? to.sent(task, subtask, each.worker)
                : each.what == 1 ? to.arrived(task, subtask, each.worker)
                : each.what == 2 ? to.result_sent(task, subtask, each.worker)
                                 : to.result_arrived(task, subtask, each.worker);
            }
        }
        for (const auto& [function, task, subtask, node] : m.stops) history.stops.push_back({function, task, subtask, node});
        for (std::uint16_t node = 0; node < spec_.nodes; ++node) note_left(history, m.workers[node], node);
        history.cut_off.assign(spec_.nodes, false);
        for (const std::uint16_t node : tree_.from_the_top()) {
            const auto parent = tree_.parent(node);
            if (parent) history.cut_off[node] = m.workers[node].stuck || m.workers[*parent].dead || history.cut_off[*parent];
        }
        history.program_ended = m.ended;
        return history;
    }
    static void note_left(FarmHistory& history, const Worker& w, std::uint16_t node) {
        history.dead.push_back(w.dead);
        const auto note = [&](Part part) { history.left.push_back({UserFunction::Compute, part.first, part.second, node}); };
        for (const auto& each : {w.arrived, w.computing, w.passing})
            if (each) note(*each);
        for (const auto& [child, queue] : w.to_child) std::for_each(queue.begin(), queue.end(), note);
        for (const auto& [whole, back] : w.parts_back) note(whole);
        std::for_each(w.ready_to_join.begin(), w.ready_to_join.end(), note);
        std::for_each(w.to_parent.begin(), w.to_parent.end(), note);
    }

    const farm_spec::FarmSpec& spec_;
    const farm_spec::FarmTree tree_;
    const OneFailure& failure_;
    std::vector<Moment> next_;
};

}  // namespace

std::vector<FarmHistory> every_history(const farm_spec::FarmSpec& spec, const OneFailure& failure, std::size_t most_states) {
    return Every(spec, failure).run(most_states);
}

}  // namespace testing_support
