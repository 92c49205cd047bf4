#include "abstract_farm.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <tuple>
#include <utility>

namespace testing_support {

namespace {

struct Piece {
    std::uint32_t task = 0;
    SubTaskId subtask = 0;
    bool stays = false;  // is not passed down: done here after the death of a child
    bool operator<(const Piece& other) const { return std::tie(task, subtask) < std::tie(other.task, other.subtask); }
    bool operator==(const Piece& other) const { return task == other.task && subtask == other.subtask; }
};

struct Node {
    bool dead = false;
    bool stuck = false;         // the link to its parent
    bool noticed = false;       // by its parent, where deaths are survived
    std::deque<Piece> arrived;  // task buffers
    std::optional<Piece> computing;
    std::optional<Piece> splitting;  // or, in a processor farm, being forwarded
    std::map<std::uint16_t, std::deque<Piece>> to_child;
    std::map<std::uint16_t, std::set<Piece>> out;  // with each child
    std::map<Piece, std::set<unsigned>> joining;   // returned branches of sub-tasks split here
    std::deque<Piece> ready_to_join;
    std::deque<Piece> to_parent;
    bool comp_hangs = false;
    bool split_hangs = false;
    bool join_hangs = false;
    bool split_done = false;
};

class Farm {
public:
    explicit Farm(const FarmScenario& scenario)
        : scenario_(scenario),
          spec_(scenario.spec),
          tree_(scenario.spec),
          random_(scenario.seed),
          nodes_(spec_.nodes),
          history_{FarmTrace(spec_), {}, {}, {}, {}, {}, {}, scenario.never_begun} {}

    FarmHistory run() {
        for (unsigned steps = 0; !ended_; ++steps) {
            if (scenario_.stop_after && steps >= *scenario_.stop_after) {
                history_.cut = true;
                break;
            }
            strike(steps);
            if (!step()) break;
        }
        for (const Node& node : nodes_) history_.dead.push_back(node.dead);
        for (std::uint16_t node = 0; node < nodes_.size(); ++node) note_left(node);
        note_cut_off();
        history_.program_ended = ended_ || taken_ == units();
        return std::move(history_);
    }

private:
    using Action = std::function<void()>;

    std::uint32_t units() const { return (spec_.tasks + spec_.granularity - 1) / spec_.granularity; }
    bool steals() const { return spec_.policy == farm_spec::Policy::WorkStealing; }
    std::size_t pick(std::size_t count) { return random_() % count; }

    bool step() {
        std::vector<Action> actions;
        manager_actions(actions);
        for (const std::uint16_t node : tree_.from_the_top()) {
            if (nodes_[node].dead || never_begun(node)) continue;
            if (node != 0) worker_actions(node, actions);
            link_actions(node, actions);
        }
        if (actions.empty()) return false;
        actions[pick(actions.size())]();
        return true;
    }

    bool never_begun(std::uint16_t node) const { return scenario_.never_begun == node; }
    bool can_take_task(std::uint16_t worker) const {
        if (never_begun(worker) && !nodes_[worker].arrived.empty()) return false;
        return !nodes_[worker].dead && !nodes_[worker].stuck && nodes_[worker].arrived.size() < scenario_.task_buffers;
    }
    void strike(unsigned step) {
        for (const Strike& each : scenario_.strikes) {
            Node& node = nodes_[each.node];
            if (each.step != step || node.dead || node.stuck) continue;
            if (each.what == HardwareFault::Dies) {
                node.dead = true;
                continue;
            }
            if (each.what == HardwareFault::LosesAck) pass_unnoticed(each.node);
            node.stuck = true;
        }
    }
    // The last byte arrived and was not acknowledged: the receiver has the message, its sender waits for ever.
    void pass_unnoticed(std::uint16_t number) {
        const std::uint16_t parent = *tree_.parent(number);
        if (nodes_[parent].dead || nodes_[number].dead || never_begun(number) || never_begun(parent)) return;
        auto& queue = nodes_[parent].to_child[number];
        if (!queue.empty() && can_take_task(number)) {
            history_.records.arrived(queue.front().task, queue.front().subtask, number);
            nodes_[number].arrived.push_back(queue.front());  // and stays in the queue: nobody else gets it
        } else if (!nodes_[number].to_parent.empty() && can_take_result(parent)) {
            const Piece piece = nodes_[number].to_parent.front();
            history_.records.result_arrived(piece.task, piece.subtask, number);
            nodes_[parent].out[number].erase(piece);
            result_at(parent, piece);
        }
    }
    void note_left(std::uint16_t number) {
        const Node& node = nodes_[number];
        const auto note = [&](const Piece& piece) {
            history_.left.push_back({UserFunction::Compute, piece.task, piece.subtask, number});
        };
        for (const Piece& piece : node.arrived) note(piece);
        if (node.computing) note(*node.computing);
        if (node.splitting) note(*node.splitting);
        for (const auto& [child, queue] : node.to_child) {
            for (const Piece& piece : queue) note(piece);
        }
        for (const auto& [piece, parts] : node.joining) note(piece);
        for (const Piece& piece : node.ready_to_join) note(piece);
        for (const Piece& piece : node.to_parent) note(piece);
    }
    void note_cut_off() {
        history_.cut_off.assign(nodes_.size(), false);
        for (const std::uint16_t node : tree_.from_the_top()) {
            const auto parent = tree_.parent(node);
            if (parent) history_.cut_off[node] = nodes_[node].stuck || nodes_[*parent].dead || history_.cut_off[*parent];
        }
    }
    bool can_take_result(std::uint16_t node) const {
        if (nodes_[node].dead) return false;
        if (node == 0) return received_.size() < scenario_.result_buffers;
        return nodes_[node].ready_to_join.size() + nodes_[node].to_parent.size() < scenario_.result_buffers + 1;
    }

    const Fault* fault_of(UserFunction function, const Piece& piece, std::uint16_t node, bool stops) const {
        for (const Fault& fault : scenario_.faults) {
            if (fault.function != function || fault.task != piece.task || (fault.node && *fault.node != node)) continue;
            if ((fault.what == Wrong::Stops) == stops) return &fault;
        }
        return nullptr;
    }
    // The fault of this function on this sub-task, if there is one: it happens now.
    bool fails(UserFunction function, const Piece& piece, std::uint16_t node, bool& hangs) {
        const Fault* fault = fault_of(function, piece, node, true);
        if (fault == nullptr) return false;
        history_.stops.push_back({function, piece.task, piece.subtask, node});
        (fault->kills_node ? nodes_[node].dead : hangs) = true;
        return true;
    }
    // Sends the output of a function on its way. `whole`: the sub-task that the function had.
    void emit(UserFunction function, const Piece& whole, Piece made, std::uint16_t node,
              const std::function<void(const Piece&)>& send) {
        const Fault* fault = fault_of(function, whole, node, false);
        if (fault != nullptr && fault->what == Wrong::Misnames && fault->other_task == made.task) fault = nullptr;
        if (fault != nullptr && fault->what == Wrong::OmitsOneOfBundle) {
            if (spec_.granularity > 1) history_.in_part.insert(whole.task);
            fault = nullptr;
        }
        if (fault != nullptr && fault->what != Wrong::Doubles)
            history_.stops.push_back({function, whole.task, whole.subtask, node});
        if (fault != nullptr && fault->what == Wrong::Omits) return;
        if (fault != nullptr && fault->what == Wrong::Misnames) made.task = fault->other_task;
        send(made);
        if (fault != nullptr && fault->what == Wrong::Doubles) send(made);
    }

    void manager_actions(std::vector<Action>& actions) {
        if (nodes_[0].dead) return;
        const std::size_t room = spec_.policy == farm_spec::Policy::FloodFilling ? 1 : scenario_.task_buffers + 1;
        std::size_t waiting = 0;
        for (const auto& [child, queue] : nodes_[0].to_child) waiting += queue.size();
        if (!generator_hangs_ && generated_ < units() && waiting < room) actions.push_back([this] { generate(); });
        if (!nodes_[0].arrived.empty() && !nodes_[0].comp_hangs && can_take_result(0))
            actions.push_back([this] { compute_alone(); });
        if (!receiver_hangs_ && !received_.empty()) actions.push_back([this] { receive(); });
    }
    void generate() {
        const Piece piece{generated_ * spec_.granularity, 0};
        if (fails(UserFunction::Generate, piece, 0, generator_hangs_)) return;
        ++generated_;
        emit(UserFunction::Generate, piece, piece, 0, [this](const Piece& made) {
            outstanding_.insert(made.task);
            deal(0, made);
        });
    }
    // For a manager that survives deaths and has nobody left; no message tells of it.
    void compute_alone() {
        const Piece piece = nodes_[0].arrived.front();
        if (fails(UserFunction::Compute, piece, 0, nodes_[0].comp_hangs)) return;
        nodes_[0].arrived.pop_front();
        accept(piece);
    }
    void accept(const Piece& piece) {
        if (piece.subtask != 0 || outstanding_.erase(piece.task) == 0) return;  // the manager drops unexpected results
        history_.at_home.insert(piece.task);
        received_.push_back(piece);
    }
    void receive() {
        for (const Fault& fault : scenario_.faults) {
            if (fault.function != UserFunction::Receive || fault.task != taken_ * spec_.granularity) continue;
            history_.stops.push_back({UserFunction::Receive, taken_, 0, 0});
            if (fault.ends_program) {
                ended_ = true;
            } else {
                (fault.kills_node ? nodes_[0].dead : receiver_hangs_) = true;
            }
            return;
        }
        received_.pop_front();
        ++taken_;
    }

    // Gives the piece to any child that is not known to be dead; a worker without one does it itself.
    void deal(std::uint16_t number, Piece piece) {
        std::vector<std::uint16_t> able;
        for (const std::uint16_t child : tree_.children(number)) {
            if (!nodes_[child].noticed) able.push_back(child);
        }
        if (!able.empty()) return nodes_[number].to_child[able[pick(able.size())]].push_back(piece);
        if (number == 0 && !spec_.survives) return;  // nobody is left
        piece.stays = true;
        nodes_[number].arrived.push_back(piece);
    }

    // Sending down, stealing, and finding a child dead.
    void link_actions(std::uint16_t number, std::vector<Action>& actions) {
        for (auto& [child, queue] : nodes_[number].to_child) {
            if (!queue.empty() && can_take_task(child))
                actions.push_back([this, number, at = child] { pass_down(number, at); });
        }
        for (const std::uint16_t child : tree_.children(number)) {
            const Node& below = nodes_[child];
            const bool spare = !below.arrived.empty() && !below.arrived.back().stays && !below.stuck && !never_begun(child);
            if (steals() && !below.dead && spare && tree_.children(number).size() > 1 && pick(4) == 0)
                actions.push_back([this, number, child] { steal(number, child); });
            if (spec_.survives && (below.dead || below.stuck) && !below.noticed)
                actions.push_back([this, number, child] { notice(number, child); });
        }
    }
    void pass_down(std::uint16_t number, std::uint16_t child) {
        Node& node = nodes_[number];
        auto& queue = node.to_child[child];
        const auto next = queue.begin() +
                          (spec_.policy == farm_spec::Policy::Priorities ? static_cast<std::ptrdiff_t>(pick(queue.size())) : 0);
        history_.records.sent(next->task, next->subtask, child);
        if (!never_begun(child)) history_.records.arrived(next->task, next->subtask, child);
        nodes_[child].arrived.push_back(*next);
        node.out[child].insert(*next);
        queue.erase(next);
        const bool all_gone =
            std::all_of(node.to_child.begin(), node.to_child.end(), [](const auto& each) { return each.second.empty(); });
        if (all_gone) node.splitting.reset();
    }
    void steal(std::uint16_t number, std::uint16_t child) {
        const Piece piece = nodes_[child].arrived.back();
        nodes_[child].arrived.pop_back();
        history_.records.back(piece.task, piece.subtask, child);
        nodes_[number].out[child].erase(piece);
        deal(number, piece);
    }
    void notice(std::uint16_t number, std::uint16_t child) {
        nodes_[child].noticed = true;
        const std::set<Piece> lost = std::exchange(nodes_[number].out[child], {});
        const std::deque<Piece> queued = std::exchange(nodes_[number].to_child[child], {});
        for (const Piece& piece : lost) deal(number, piece);
        for (const Piece& piece : queued) deal(number, piece);
        if (queued.empty()) return;
        const auto& left = nodes_[number].to_child;
        if (std::all_of(left.begin(), left.end(), [](const auto& each) { return each.second.empty(); }))
            nodes_[number].splitting.reset();
    }

    void worker_actions(std::uint16_t number, std::vector<Action>& actions) {
        Node& node = nodes_[number];
        const bool passes = tree_.may_pass_down(number);
        if (!node.arrived.empty() && !node.computing) actions.push_back([this, number] { start_computing(number); });
        if (node.computing && passes && !node.splitting && may_split(node) != node.arrived.end()) {
            actions.push_back([this, number] { start_splitting(number); });
        }
        if (node.computing && !node.comp_hangs) actions.push_back([this, number] { end_computing(number); });
        if (node.splitting && !node.split_hangs && !node.split_done) actions.push_back([this, number] { split(number); });
        if (!node.ready_to_join.empty() && !node.join_hangs) actions.push_back([this, number] { join(number); });
        if (!node.to_parent.empty() && !node.stuck && can_take_result(*tree_.parent(number)))
            actions.push_back([this, number] { pass_up(number); });
    }

    Piece take_arrived(Node& node) {
        const auto next =
            node.arrived.begin() +
            (spec_.policy == farm_spec::Policy::Priorities ? static_cast<std::ptrdiff_t>(pick(node.arrived.size())) : 0);
        const Piece piece = *next;
        node.arrived.erase(next);
        return piece;
    }
    void start_computing(std::uint16_t number) {
        Node& node = nodes_[number];
        node.computing = take_arrived(node);
        fails(UserFunction::Compute, *node.computing, number, node.comp_hangs);
    }
    void end_computing(std::uint16_t number) {
        const Piece piece = *std::exchange(nodes_[number].computing, std::nullopt);
        emit(UserFunction::Compute, piece, piece, number, [&](const Piece& made) { result_on(number, made); });
    }
    static std::deque<Piece>::iterator may_split(Node& node) {
        return std::find_if(node.arrived.begin(), node.arrived.end(), [](const Piece& each) { return !each.stays; });
    }
    void start_splitting(std::uint16_t number) {
        Node& node = nodes_[number];
        const auto next = may_split(node);
        node.splitting = *next;
        node.arrived.erase(next);
        node.split_done = false;
        if (spec_.divides()) fails(UserFunction::Split, *node.splitting, number, node.split_hangs);
    }
    void split(std::uint16_t number) {
        Node& node = nodes_[number];
        const Piece whole = *node.splitting;
        node.split_done = true;
        if (!spec_.divides()) return deal(number, whole);
        const auto children = tree_.children(number);
        node.joining[whole];
        for (unsigned j = 0; j < spec_.degree; ++j) {
            const SubTaskId id = farm_spec::FarmSpec::branch_id(whole.subtask, tree_.level(number), j);
            const std::uint16_t child = children[j % children.size()];
            emit(UserFunction::Split, whole, {whole.task, id}, number, [&](const Piece& made) {
                if (nodes_[child].noticed || steals()) return deal(number, made);
                node.to_child[child].push_back(made);
            });
        }
        const bool all_gone =
            std::all_of(node.to_child.begin(), node.to_child.end(), [](const auto& each) { return each.second.empty(); });
        if (all_gone) node.splitting.reset();
    }
    void pass_up(std::uint16_t number) {
        const Piece piece = nodes_[number].to_parent.front();
        nodes_[number].to_parent.pop_front();
        history_.records.up(piece.task, piece.subtask, number);
        const std::uint16_t parent = *tree_.parent(number);
        nodes_[parent].out[number].erase(piece);
        result_at(parent, piece);
    }
    void result_at(std::uint16_t number, const Piece& piece) {
        if (number != 0) return result_on(number, piece);
        accept(piece);
    }
    // A part of what was split here is joined; everything else rises.
    void result_on(std::uint16_t number, const Piece& piece) {
        Node& node = nodes_[number];
        const unsigned shift = 4 * (tree_.level(number) + 1);
        const Piece whole{piece.task, piece.subtask & ~(SubTaskId{0xF} << shift)};
        const auto set = node.joining.find(whole);
        const bool is_part = set != node.joining.end() && set->second.insert((piece.subtask >> shift) & 0xF).second;
        if (!is_part) return node.to_parent.push_back(piece);
        if (set->second.size() < spec_.degree) return;
        node.joining.erase(set);
        node.ready_to_join.push_back(whole);
    }
    void join(std::uint16_t number) {
        Node& node = nodes_[number];
        const Piece whole = node.ready_to_join.front();
        if (fails(UserFunction::Join, whole, number, node.join_hangs)) return;
        node.ready_to_join.pop_front();
        emit(UserFunction::Join, whole, whole, number, [&](const Piece& made) { result_on(number, made); });
    }

    const FarmScenario& scenario_;
    const farm_spec::FarmSpec& spec_;
    const farm_spec::FarmTree tree_;
    std::mt19937 random_;
    std::vector<Node> nodes_;
    FarmHistory history_;
    std::uint32_t generated_ = 0;  // tasks or bundles, as all counts here
    std::uint32_t taken_ = 0;
    std::set<std::uint32_t> outstanding_;
    std::deque<Piece> received_;
    bool generator_hangs_ = false;
    bool receiver_hangs_ = false;
    bool ended_ = false;
};

}  // namespace

FarmHistory run_abstract_farm(const FarmScenario& scenario) {
    return Farm(scenario).run();
}

}  // namespace testing_support
