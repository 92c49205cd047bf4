// FarmReport: what a farm did, beyond the report that TrEK itself prints (docs/guide/farms.md). It has each node's tasks,
// busy time and queue, each link's load and the phases of the run. It compares the steady rate with the predicted one, and
// names the limit of the rate. All of it comes from the truth and the totals after the run. Nothing is measured inside, so a
// run costs the same with and without it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <farm_model/prediction.hpp>
#include <oracle/session_result.hpp>
#include <scenario/scenario.hpp>

namespace oracle {

// Moments are since power-up, shares are 0 to 1.
struct FarmReport {
    struct Node {
        vocabulary::NodeId node;
        std::optional<vocabulary::NodeId> parent;
        std::uint32_t depth = 0;  // links from the manager
        bool answers = true;
        std::uint32_t computed = 0, split = 0, joined = 0;  // tasks, or sub-tasks where tasks are divided
        std::uint64_t tasks_forwarded = 0, results_forwarded = 0;
        // Processor time, from the first task until the node had ended or the farm fell silent. `computing`: the user's
        // functions, at low priority. `high`: kernel, managers, links, splitting and joining, at high priority. `idle`:
        // nothing.
        vocabulary::SimTime computing, high, idle;
        vocabulary::SimTime waiting_for_work;  // nothing begun and nothing in the queue, from the first task to the last result
        double mean_queue = 0;                 // tasks that wait in the node, over the same time
        std::uint32_t longest_queue = 0;
        double mean_results = 0;  // results that wait in the node, from the first task to Phases::returned
        std::uint32_t longest_results = 0;
        std::uint64_t most_result_bytes = 0;  // of its memory
        std::vector<double> queue;            // mean length in each bin of over_time; empty where there are too many nodes
        double steady_high = 0;  // share, between Rate's from and to (docs/guide/farms.md says how it is estimated)
        double steady_busy = 0;  // the same with computing
        std::optional<double> predicted_tasks;
    };
    struct Link {  // of the tree, both directions
        vocabulary::NodeId parent, child;
        std::uint64_t tasks = 0, results = 0, bytes_down = 0, bytes_up = 0;  // bytes of the data messages
        vocabulary::SimTime busy_down = {}, busy_up = {};                    // with the farm's messages
        double steady_down = 0, steady_up = 0;                               // share, as of Node
    };
    struct Phases {
        bool began = false;  // without it the rest means nothing
        vocabulary::SimTime first_task;
        vocabulary::SimTime last_first;   // the last worker that ever began something began it
        vocabulary::SimTime last_task;    // the last task has left the manager
        vocabulary::SimTime last_result;  // the last result is back; first_task when none came back
        vocabulary::SimTime returned;     // result_receiver has returned; last_result when it never did or did before that
        vocabulary::SimTime end;          // the last node has ended, or the farm has fallen silent
        std::uint32_t never_began = 0;    // workers that got nothing to do
        bool steady() const { return began && last_first < last_task; }
    };
    struct Rate {
        std::optional<double> steady;  // tasks a second, as measured()
        vocabulary::SimTime from,
            to;  // between these came the results that the rate is taken from, the middle of all; "steady" below means then
        std::string no_steady;  // why there is no steady rate
        double whole = 0;       // tasks that came back by the time from the first task until result_receiver returned
    };
    enum class LimitKind : std::uint8_t { Unknown, Link, Manager, Forwarding, Workers, Waiting };
    struct Limit {  // of the rate, and where it lies
        LimitKind kind = LimitKind::Unknown;
        std::optional<vocabulary::NodeId> node;
        double share = 0;  // of what limits
        std::string reason;
    };
    struct OverTime {  // means in bins of equal length from the first task to the last result
        vocabulary::SimTime bin;
        std::vector<double> computing, queued;  // nodes that compute, split or join; tasks that wait in all nodes
        std::vector<std::uint32_t> results;     // that came back
    };
    struct Reissued {
        vocabulary::NodeId node, child;
        std::uint32_t task = 0, subtask = 0;
    };

    std::string scenario, machine, run_hash;
    std::uint64_t seed = 0;
    farm_spec::FarmSpec config;
    std::uint32_t completed = 0;  // tasks whose result is back
    bool finished = false;
    Phases phases;
    Rate rate;
    Limit limit;
    // From the first task to Phases::end: shares of time are shares of this.
    vocabulary::SimTime window;
    std::vector<Node> nodes;  // members of the farm, the manager first
    std::vector<Link> links;  // by child
    OverTime over_time;
    std::optional<farm_model::Prediction> prediction;
    std::vector<Reissued> reissued;
};

const char* limit_name(FarmReport::LimitKind kind);  // "link", "manager", "forwarding", "workers", "waiting", "unknown"

// Cost: some tenths of a microsecond for each event of the truth.
FarmReport farm_report(const scenario::Scenario& scenario, const oracle::SessionResult& result,
                       std::optional<farm_model::Prediction> prediction = {});

}  // namespace oracle
