#include "histories.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "completion.hpp"
#include "task_messages.hpp"

namespace tmon_detrek {

namespace {

using trace_record::ClassSet;
using trace_record::EventClass;

struct Range {
    std::int64_t least = 0, most = 0;
};

class Search {
public:
    Search(const tmon_streams::Trace& tasks, const EventGraphs& graphs, const HistoryBudget& budget,
           const std::function<void(const History&)>& take)
        : trace_(tasks), graphs_(graphs), tree_(graphs.tree()), budget_(budget), take_(take), nodes_(tasks.streams.size()) {
        for (const tmon_streams::Stream& stream : tasks.streams) {
            Node& node = nodes_[stream.node];
            node.lossy = is_lossy(stream);
            if (!node.lossy) continue;
            node.left = static_cast<std::int64_t>(lost_records(stream));
            node.tasks_only = std::all_of(stream.losses.begin(), stream.losses.end(), [](const LossRange& range) {
                return range.classes == ClassSet::of(EventClass::Task);
            });
        }
    }

    Shown run() {
        if (work_of_one() > budget_.records || !read_tasks()) return Shown::Some;
        if (most_looks() > budget_.records) return Shown::Some;
        // When more happened than was lost, no history agrees.
        const bool possible = std::all_of(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.left >= 0; });
        find_needs();
        if (possible && !choose(0)) return Shown::Some;
        return !leaves_out_some_ && losses_may_be_told(trace_, graphs_) ? Shown::All : Shown::Recorded;
    }

private:
    struct Node {
        bool lossy = false;
        bool tasks_only = false;   // else some of its lost records may be of other classes
        std::int64_t left = 0;     // lost records that are not told yet
        std::int64_t detours = 0;  // finished tasks that may have gone to it and back
    };

    // Node 0 may have lost the record that it sent a task of which nothing else is known.
    bool read_tasks() {
        TaskMessages messages(trace_, graphs_);
        const std::uint32_t end = nodes_[0].lossy ? graphs_.spec().tasks : graphs_.tasks_seen();
        for (std::uint32_t task = 0; task < end; task = graphs_.next(task)) {
            if (budget_.steps == 0) return false;
            --budget_.steps;
            auto reading = messages.read(task, budget_.steps);
            if (!reading) return false;
            for (const std::uint16_t worker : reading->detours) ++nodes_[worker].detours;
            if (reading->options.size() == 1) note(reading->options.front(), 1);
            if (reading->options.size() != 1) choices_.push_back(std::move(reading->options));
        }
        leaves_out_some_ = messages.leaves_out_some();
        // The lowest task is chosen last, so it varies first: if the budget ends, histories that differ in it have been seen.
        std::reverse(choices_.begin(), choices_.end());
        return true;
    }

    // The work of find_needs().
    std::uint64_t most_looks() const {
        std::uint64_t options = 1;
        for (const auto& each : choices_) options += 1 + each.size();
        return options * nodes_.size();
    }

    // By number of tasks that are chosen, and by node: what the others take from its lost records.
    void find_needs() {
        needs_.assign(choices_.size() + 1, std::vector<Range>(nodes_.size()));
        for (std::size_t number = choices_.size(); number-- > 0;) {
            std::vector<std::optional<Range>> of_task(nodes_.size());
            for (const TaskMessages::Option& option : choices_[number]) {
                std::vector<std::int64_t> takes(nodes_.size());
                for (const LostEvent& each : option) ++takes[record_of(each, tree_).node];
                for (std::size_t node = 0; node < nodes_.size(); ++node) {
                    auto& range = of_task[node];
                    if (!range) range = Range{takes[node], takes[node]};
                    range = Range{std::min(range->least, takes[node]), std::max(range->most, takes[node])};
                }
            }
            needs_[number] = needs_[number + 1];
            for (std::size_t node = 0; node < nodes_.size(); ++node) {
                needs_[number][node].least += of_task[node].value_or(Range{}).least;
                needs_[number][node].most += of_task[node].value_or(Range{}).most;
            }
        }
        most_of_finished_.assign(nodes_.size(), 0);
        for (const std::uint16_t node : tree_.from_the_top()) {
            most_of_finished_[node] += 2 * nodes_[node].detours;
            if (node != 0) most_of_finished_[*tree_.parent(node)] += 2 * nodes_[node].detours;
        }
    }

    // False when the tasks that are still to choose take more than some node has left, or leave more than finished tasks take.
    bool may_go_on(std::size_t number) const {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            const Node& node = nodes_[i];
            if (!node.lossy) continue;
            const Range& need = needs_[number][i];
            if (node.left < need.least || (node.tasks_only && node.left - need.most > most_of_finished_[i])) return false;
        }
        return true;
    }

    // Takes the events of an option from what the nodes lost, or gives them back.
    void note(const TaskMessages::Option& option, int sign) {
        for (const LostEvent& each : option) nodes_[record_of(each, tree_).node].left -= sign;
        if (sign > 0) lost_.insert(lost_.end(), option.begin(), option.end());
        if (sign < 0) lost_.resize(lost_.size() - option.size());
    }

    bool choose(std::size_t number) {
        const std::uint64_t steps = 1 + nodes_.size() / 64;  // each looks at all nodes
        if (budget_.steps < steps) return false;
        budget_.steps -= steps;
        if (!may_go_on(number)) return true;
        if (number == choices_.size()) return may_leave_the_rest() ? judge() : true;
        for (const TaskMessages::Option& option : choices_[number]) {
            note(option, 1);
            const bool goes_on = choose(number + 1);
            note(option, -1);
            if (!goes_on) return false;
        }
        return true;
    }

    // True when finished tasks can have made the records that are left: each of their ways adds two at each end. From the
    // leaves up, the number of ways over each node's link to its parent is a range.
    bool may_leave_the_rest() const {
        std::vector<Range> below(nodes_.size());  // over the links to the children, in sum
        const auto& order = tree_.from_the_top();
        for (auto at = order.rbegin(); at != order.rend(); ++at) {
            const Node& node = nodes_[*at];
            Range up{0, *at == 0 ? 0 : node.detours};
            if (node.lossy) {
                if (node.tasks_only && node.left % 2 != 0) return false;
                const std::int64_t ways = node.left / 2;
                up.most = std::min(up.most, ways - below[*at].least);
                if (node.tasks_only) up.least = std::max(up.least, ways - below[*at].most);
            }
            if (up.least > up.most) return false;
            if (*at == 0) continue;
            below[*tree_.parent(*at)].least += up.least;
            below[*tree_.parent(*at)].most += up.most;
        }
        return true;
    }

    // The records and streams of one history.
    std::uint64_t work_of_one() const { return trace_.size() + nodes_.size(); }

    bool judge() {
        if (budget_.histories == 0 || budget_.records < work_of_one()) return false;
        std::optional<History> history = made();
        budget_.records -= work_of_one();
        if (!history) return true;
        --budget_.histories;
        take_(*history);
        return true;
    }

    // Empty: the events have no order in the gaps.
    std::optional<History> made() const {
        History history{trace_, lost_, {}, std::vector<std::uint32_t>(nodes_.size()), 0};
        std::sort(history.lost.begin(), history.lost.end());
        std::vector<std::vector<LostEvent>> by_node(nodes_.size());
        for (const LostEvent& each : history.lost) by_node[record_of(each, tree_).node].push_back(each);
        for (const tmon_streams::Stream& stream : trace_.streams) {
            const Node& node = nodes_[stream.node];
            if (!node.lossy) continue;
            auto filled = with_gaps_filled(stream, tree_, by_node[stream.node]);
            if (!filled) return {};
            history.filled.insert(history.filled.end(), filled->in_gaps.begin(), filled->in_gaps.end());
            const std::uint64_t lost = lost_records(stream);
            history.filled_by[stream.node] =
                static_cast<std::uint32_t>(std::min<std::uint64_t>(lost, std::numeric_limits<std::uint32_t>::max()));
            history.unlisted += static_cast<std::uint64_t>(node.left);
            replace_stream(history.trace, stream.node, std::move(filled->records));
        }
        return history;
    }

    const tmon_streams::Trace& trace_;
    const EventGraphs& graphs_;
    const farm_spec::FarmTree& tree_;
    HistoryBudget budget_;
    const std::function<void(const History&)>& take_;
    std::vector<Node> nodes_;
    std::vector<std::vector<TaskMessages::Option>> choices_;  // by task that has several or none
    std::vector<std::vector<Range>> needs_;
    std::vector<std::int64_t> most_of_finished_;  // by node: lost records that finished tasks can have made
    std::vector<LostEvent> lost_;
    bool leaves_out_some_ = false;
};

}  // namespace

Shown each_history(const tmon_streams::Trace& tasks, const EventGraphs& graphs, const HistoryBudget& budget,
                   const std::function<void(const History&)>& take) {
    return Search(tasks, graphs, budget, take).run();
}

}  // namespace tmon_detrek
