#include "abstract_farm.hpp"

#include <deque>
#include <functional>
#include <map>
#include <random>

namespace tmon::testing_support {

namespace {

struct Piece {
    std::uint32_t task = 0;
    SubTaskId subtask = 0;
    auto operator<=>(const Piece&) const = default;
};

struct Node {
    bool dead = false;
    std::deque<Piece> arrived;  // task buffers
    std::optional<Piece> computing;
    std::optional<Piece> splitting;  // or, in a processor farm, being forwarded
    std::map<std::uint16_t, std::deque<Piece>> to_child;
    std::map<Piece, unsigned> joining;  // results that are back, by whole
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
          random_(scenario.seed),
          nodes_(spec_.processors),
          history_{FarmTrace(spec_), {}, {}} {}

    FarmHistory run() {
        for (unsigned steps = 0; !ended_; ++steps) {
            if (scenario_.stop_after && steps >= *scenario_.stop_after) {
                history_.cut = true;
                break;
            }
            if (!step()) break;
        }
        for (const Node& node : nodes_) history_.dead.push_back(node.dead);
        history_.program_ended = ended_ || taken_ == spec_.tasks;
        return std::move(history_);
    }

private:
    using Action = std::function<void()>;

    bool step() {
        std::vector<Action> actions;
        manager_actions(actions);
        for (std::uint16_t node = 1; node < spec_.processors; ++node) {
            if (!nodes_[node].dead) worker_actions(node, actions);
        }
        if (actions.empty()) return false;
        actions[random_() % actions.size()]();
        return true;
    }

    bool can_take_task(std::uint16_t worker) const {
        return !nodes_[worker].dead && nodes_[worker].arrived.size() < scenario_.task_buffers;
    }
    bool can_take_result(std::uint16_t node) const {
        if (nodes_[node].dead) return false;
        if (node == 0) return received_.size() < scenario_.result_buffers;
        return nodes_[node].ready_to_join.size() + nodes_[node].to_parent.size() < scenario_.result_buffers + 1;
    }

    // The fault of this function on this sub-task, if there is one: it happens now.
    bool fails(UserFunction function, const Piece& piece, std::uint16_t node, bool& hangs) {
        for (const Fault& fault : scenario_.faults) {
            if (fault.function != function || fault.task != piece.task || (fault.node && *fault.node != node)) continue;
            history_.stops.push_back({function, piece.task, piece.subtask, node});
            (fault.kills_node ? nodes_[node].dead : hangs) = true;
            return true;
        }
        return false;
    }

    void manager_actions(std::vector<Action>& actions) {
        if (nodes_[0].dead) return;
        if (!generator_hangs_ && generated_ < spec_.tasks && can_take_task(1)) actions.push_back([this] { generate(); });
        if (!receiver_hangs_ && !received_.empty()) actions.push_back([this] { receive(); });
    }
    void generate() {
        if (fails(UserFunction::Generate, {generated_, 0}, 0, generator_hangs_)) return;
        send_down({generated_++, 0}, 1);
    }
    void receive() {
        for (const Fault& fault : scenario_.faults) {
            if (fault.function != UserFunction::Receive || fault.task != taken_) continue;
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

    void send_down(const Piece& piece, std::uint16_t worker) {
        history_.records.down(piece.task, piece.subtask, worker);
        nodes_[worker].arrived.push_back(piece);
    }

    void worker_actions(std::uint16_t number, std::vector<Action>& actions) {
        Node& node = nodes_[number];
        const bool passes = spec_.may_pass_down(number);
        if (!node.arrived.empty() && !node.computing) actions.push_back([this, number] { start_computing(number); });
        if (!node.arrived.empty() && node.computing && passes && !node.splitting) {
            actions.push_back([this, number] { start_splitting(number); });
        }
        if (node.computing && !node.comp_hangs) actions.push_back([this, number] { end_computing(number); });
        if (node.splitting && !node.split_hangs && !node.split_done) actions.push_back([this, number] { split(number); });
        for (auto& [child, queue] : node.to_child) {
            if (!queue.empty() && can_take_task(child))
                actions.push_back([this, number, at = child] { pass_down(number, at); });
        }
        if (!node.ready_to_join.empty() && !node.join_hangs) actions.push_back([this, number] { join(number); });
        if (!node.to_parent.empty() && can_take_result(*spec_.parent(number)))
            actions.push_back([this, number] { pass_up(number); });
    }

    void start_computing(std::uint16_t number) {
        Node& node = nodes_[number];
        node.computing = node.arrived.front();
        node.arrived.pop_front();
        fails(UserFunction::Compute, *node.computing, number, node.comp_hangs);
    }
    void end_computing(std::uint16_t number) {
        nodes_[number].to_parent.push_back(*nodes_[number].computing);
        nodes_[number].computing.reset();
    }
    void start_splitting(std::uint16_t number) {
        Node& node = nodes_[number];
        node.splitting = node.arrived.front();
        node.arrived.pop_front();
        node.split_done = false;
        if (!spec_.is_processor_farm()) fails(UserFunction::Split, *node.splitting, number, node.split_hangs);
    }
    void split(std::uint16_t number) {
        Node& node = nodes_[number];
        const auto children = spec_.children(number);
        if (spec_.is_processor_farm()) {
            node.to_child[children[random_() % children.size()]].push_back(*node.splitting);
        } else {
            for (unsigned j = 0; j < spec_.degree; ++j) {
                const SubTaskId id = FarmSpec::branch_id(node.splitting->subtask, spec_.level(number), j);
                node.to_child[children[j % children.size()]].push_back({node.splitting->task, id});
            }
        }
        node.split_done = true;
    }
    void pass_down(std::uint16_t number, std::uint16_t child) {
        Node& node = nodes_[number];
        send_down(node.to_child[child].front(), child);
        node.to_child[child].pop_front();
        bool all_gone = true;
        for (const auto& [each, queue] : node.to_child) all_gone = all_gone && queue.empty();
        if (all_gone) node.splitting.reset();
    }
    void pass_up(std::uint16_t number) {
        const Piece piece = nodes_[number].to_parent.front();
        nodes_[number].to_parent.pop_front();
        history_.records.up(piece.task, piece.subtask, number);
        const std::uint16_t parent = *spec_.parent(number);
        if (parent == 0) return received_.push_back(piece);
        if (spec_.is_processor_farm()) return nodes_[parent].to_parent.push_back(piece);
        const unsigned shift = 4 * (spec_.level(parent) + 1);
        const Piece whole{piece.task, piece.subtask & ~(SubTaskId{0xF} << shift)};
        if (++nodes_[parent].joining[whole] == spec_.degree) nodes_[parent].ready_to_join.push_back(whole);
    }
    void join(std::uint16_t number) {
        Node& node = nodes_[number];
        if (fails(UserFunction::Join, node.ready_to_join.front(), number, node.join_hangs)) return;
        node.to_parent.push_back(node.ready_to_join.front());
        node.ready_to_join.pop_front();
    }

    const FarmScenario& scenario_;
    const FarmSpec& spec_;
    std::mt19937 random_;
    std::vector<Node> nodes_;
    FarmHistory history_;
    std::uint32_t generated_ = 0;
    std::uint32_t taken_ = 0;
    std::deque<Piece> received_;
    bool generator_hangs_ = false;
    bool receiver_hangs_ = false;
    bool ended_ = false;
};

}  // namespace

FarmHistory run_abstract_farm(const FarmScenario& scenario) {
    return Farm(scenario).run();
}

}  // namespace tmon::testing_support
