#include <tmon_detrek/fault_list.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include <vocabulary/source_position.hpp>

namespace tmon_detrek {

namespace {

constexpr auto received = EventGraphs::received;
constexpr auto result_sent = EventGraphs::result_sent;
constexpr auto result_received = EventGraphs::result_received;

// The processes that the fault model blames.
struct Blamed {
    explicit Blamed(const tmon_models::FarmRules& rules)
        : source(process_named(rules.source)),
          down(process_named(rules.down)),
          up(process_named(rules.up)),
          inner(process_named(rules.inner)),
          leaf(process_named(rules.leaf)),
          unsent_part(process_named(rules.unsent_part)),
          join(process_named(rules.join.empty() ? rules.up : rules.join)) {}

    Process source, down, up, inner, leaf, unsent_part, join;
};

// Walks the graph of one task down from node 0, as far as the records reach.
class Walk {
public:
    Walk(const EventGraphs& graphs, const Blamed& blamed, std::uint32_t task, std::vector<FaultRow>& rows)
        : graphs_(graphs), rules_(graphs.rules()), blamed_(blamed), task_(task), rows_(rows) {}

    void from_source() {
        const EventGraphs::Standing standing = graphs_.standing(graphs_.roots(), task_);
        const Process again = graphs_.manager_is_alone() ? blamed_.leaf : blamed_.down;
        if (standing.returned) return add({task_, 0, 0, again, StopKind::NotSentAgain, 0, 0, true});
        if (!standing.open) return add({task_, 0, 0, blamed_.source, StopKind::NotGenerated, 0, 0, true});
        visit_open(graphs_.roots());
    }

private:
    struct Branches {
        unsigned sent = 0;  // under way or back
        unsigned back = 0;
        std::uint32_t sent_mask = 0;      // by branch number
        std::uint32_t returned_mask = 0;  // the same, for those that are neither under way any more nor back
    };

    std::uint8_t bits(std::uint32_t edge) const { return graphs_.bits(edge, task_); }
    void add(const FaultRow& row) { rows_.push_back(row); }
    std::uint16_t parent_of(std::uint16_t worker) const { return *graphs_.tree().parent(worker); }

    void visit_open(const EventGraphs::Choice& choice) {
        for (const std::uint32_t edge : choice) {
            if (graphs_.is_open(edge, task_)) visit(edge);
        }
    }

    // The sub-task of this edge was sent by the parent and has not come back.
    void visit(std::uint32_t number) {
        const auto& edge = graphs_.edges()[number];
        const std::uint8_t have = bits(number);
        if ((have & result_received) != 0) return;
        const auto stopped = [&](std::uint16_t node, Process process, StopKind kind) {
            add({task_, edge.subtask, node, process, kind, edge.worker, edge.subtask, true});
        };
        if ((have & result_sent) != 0) return stopped(parent_of(edge.worker), blamed_.up, StopKind::ResultNotTaken);
        if (EventGraphs::on_its_way_back(have)) return stopped(parent_of(edge.worker), blamed_.down, StopKind::GivenBack);
        if ((have & received) == 0) return stopped(edge.worker, blamed_.down, StopKind::NotReceived);
        const Branches branches = visit_below(edge);
        if (branches.sent == 0 && (!rules_.divides || branches.returned_mask == 0))
            return stopped(edge.worker, graphs_.tree().may_pass_down(edge.worker) ? blamed_.inner : blamed_.leaf,
                           StopKind::Held);
        branches_not_sent(edge, branches);
        results_not_joined(edge, branches);
    }

    Branches visit_below(const EventGraphs::Edge& edge) {
        Branches branches;
        for (std::size_t j = 0; j < edge.branches.size(); ++j) {
            const EventGraphs::Standing standing = graphs_.standing(edge.branches[j], task_);
            if (standing.returned) branches.returned_mask |= 1u << j;
            if (!standing.open && !standing.back) continue;
            ++branches.sent;
            branches.sent_mask |= 1u << j;
            branches.back += standing.back ? 1 : 0;
            if (standing.open) visit_open(edge.branches[j]);
        }
        return branches;
    }

    // A branch that was sent before and is here again has nothing to wait for.
    void branches_not_sent(const EventGraphs::Edge& edge, const Branches& branches) {
        if (!rules_.divides) return;
        const unsigned level = graphs_.tree().level(edge.worker);
        for (unsigned j = 0; j < graphs_.spec().degree; ++j) {
            if ((branches.sent_mask >> j & 1u) != 0) continue;
            const SubTaskId id = farm_spec::FarmSpec::branch_id(edge.subtask, level, j);
            const bool again = (branches.returned_mask >> j & 1u) != 0;
            const bool stolen = again && !graphs_.spec().survives;
            add({task_, id, edge.worker, stolen ? blamed_.down : blamed_.unsent_part,
                 again ? StopKind::NotSentAgain : StopKind::BranchNotSent, edge.worker, edge.subtask,
                 again || branches.back == branches.sent});
        }
    }

    void results_not_joined(const EventGraphs::Edge& edge, const Branches& branches) {
        if (branches.back == 0) return;
        if (rules_.join.empty()) {
            return add({task_, edge.subtask, parent_of(edge.worker), blamed_.up, StopKind::ForwardPending, edge.worker,
                        edge.subtask, true});
        }
        const StopKind kind = branches.back == graphs_.spec().degree ? StopKind::JoinReady : StopKind::JoinWaiting;
        for (const EventGraphs::Choice& choice : edge.branches) {
            for (const std::uint32_t below : choice) {
                if ((bits(below) & result_received) == 0) continue;
                add({task_, graphs_.edges()[below].subtask, edge.worker, blamed_.join, kind, edge.worker, edge.subtask, true});
            }
        }
    }

    const EventGraphs& graphs_;
    const tmon_models::FarmRules& rules_;
    const Blamed& blamed_;
    std::uint32_t task_;
    std::vector<FaultRow>& rows_;
};

}  // namespace

std::string_view process_name(Process process) {
    switch (process) {
        case Process::DataGenerator:
            return "data_generator()";
        case Process::Distributing:
            return "Distributing";
        case Process::SplitOrCompute:
            return "split_fn()/comp_fn()";
        case Process::Compute:
            return "comp_fn()";
        case Process::Join:
            return "join_fn()";
        case Process::Collecting:
            return "Collecting";
        case Process::ResultReceiver:
            return "result_receiver()";
    }
    return "";
}

Process process_named(const std::string& name) {
    for (std::size_t i = 0; i <= static_cast<std::size_t>(Process::ResultReceiver); ++i)
        if (process_name(static_cast<Process>(i)) == name) return static_cast<Process>(i);
    throw vocabulary::RequestError("a farm has no process '" + name + "'; its fault model is not pfvm or dcvm");
}

std::string_view row_process(const FaultRow& row) {
    return row.label.empty() ? process_name(row.process) : std::string_view(row.label);
}

std::string_view stop_kind_name(StopKind kind) {
    switch (kind) {
        case StopKind::NotGenerated:
            return "not-generated";
        case StopKind::NotReceived:
            return "not-received";
        case StopKind::Held:
            return "held";
        case StopKind::BranchNotSent:
            return "branch-not-sent";
        case StopKind::JoinReady:
            return "join-ready";
        case StopKind::JoinWaiting:
            return "join-waiting";
        case StopKind::ForwardPending:
            return "forward-pending";
        case StopKind::ResultNotTaken:
            return "result-not-taken";
        case StopKind::GivenBack:
            return "given-back";
        case StopKind::NotSentAgain:
            return "not-sent-again";
        case StopKind::Unanticipated:
            return "unanticipated";
    }
    return "";
}

void rows_of_task(const EventGraphs& graphs, std::uint32_t task, std::vector<FaultRow>& rows) {
    if (graphs.finished(task) || !graphs.has_events(task)) return;
    Walk(graphs, Blamed(graphs.rules()), task, rows).from_source();
}

std::vector<FaultRow> fault_list(const EventGraphs& graphs) {
    std::vector<FaultRow> rows;
    for (std::uint32_t task = graphs.first_task(); task < graphs.tasks_seen(); task = graphs.next(task))
        rows_of_task(graphs, task, rows);
    sort_rows(rows);
    return rows;
}

void sort_rows(std::vector<FaultRow>& rows) {
    std::sort(rows.begin(), rows.end(), [](const FaultRow& a, const FaultRow& b) {
        return std::tie(a.task, a.node, a.subtask, a.process, a.kind) < std::tie(b.task, b.node, b.subtask, b.process, b.kind);
    });
}

std::string subtask_text(SubTaskId subtask, const farm_spec::FarmSpec& spec) {
    return spec.divides() ? fmt::format("{:04x}", subtask) : fmt::format("{:x}", subtask);
}

std::string classic_list(const std::vector<FaultRow>& rows, const farm_spec::FarmSpec& spec) {
    fmt::memory_buffer out;
    fmt::format_to(std::back_inserter(out), "Failure\nTASK SUBTASK NODE PROCESS\n");
    for (const FaultRow& row : rows) {
        if (!row.listed) continue;
        fmt::format_to(std::back_inserter(out), "{} {} {} {}\n", row.task, subtask_text(row.subtask, spec), row.node,
                       row_process(row));
    }
    return fmt::to_string(out);
}

}  // namespace tmon_detrek
