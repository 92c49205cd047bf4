// FarmReport: figures of a farm beyond the report that TrEK itself prints (docs/guide/farms.md). It has each node's tasks,
// busy time and queue, each link's load and the phases of the run. It compares the steady rate with the predicted one, and
// names the limit of the rate. All figures come from the truth and the totals after the run, so the report costs no modelled
// time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <farm_model/prediction.hpp>
#include <oracle/session_result.hpp>
#include <scenario/scenario.hpp>

namespace oracle {

// Moments count from power-up; shares lie in 0 to 1.
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
        vocabulary::SimTime waiting_for_work;  // idle with an empty queue, from the first task to the last result
        double mean_queue = 0;                 // tasks waiting in the node, over the same time
        std::uint32_t longest_queue = 0;
        double mean_results = 0;  // results waiting there, from the first task to Phases::returned
        std::uint32_t longest_results = 0;
        std::uint64_t most_result_bytes = 0;  // of the node's memory
        std::vector<double> queue;            // mean length in each bin of over_time; empty with too many nodes
        double steady_high = 0;               // share between Rate's from and to (estimate: docs/guide/farms.md)
        double steady_busy = 0;               // the same with computing
        std::optional<double> predicted_tasks;
    };
    struct Link {  // of the tree, both directions
        vocabulary::NodeId parent, child;
        std::uint64_t tasks = 0, results = 0, bytes_down = 0, bytes_up = 0;  // bytes of the data messages
        vocabulary::SimTime busy_down = {}, busy_up = {};                    // by the farm's messages
        double steady_down = 0, steady_up = 0;                               // share, as in Node
    };
    struct Phases {
        bool began = false;  // false: the other members are invalid
        vocabulary::SimTime first_task;
        vocabulary::SimTime last_first;   // the last worker to get work began
        vocabulary::SimTime last_task;    // the last task left the manager
        vocabulary::SimTime last_result;  // the last result came back; first_task if none did
        vocabulary::SimTime returned;     // result_receiver returned; last_result if it did not, or earlier
        vocabulary::SimTime end;          // the last node ended, or the farm fell silent
        std::uint32_t never_began = 0;    // workers that never got work
        bool steady() const { return began && last_first < last_task; }
    };
    struct Rate {
        std::optional<double> steady;  // tasks a second, as measured()
        vocabulary::SimTime from,
            to;                 // bounds of the results that give the rate, the middle of all; "steady" below means this span
        std::string no_steady;  // why there is no steady rate
        double whole = 0;       // returned tasks a second, from the first task until result_receiver returned
    };
    enum class LimitKind : std::uint8_t { Unknown, Link, Manager, Forwarding, Workers, Waiting };
    struct Limit {  // the limit of the rate
        LimitKind kind = LimitKind::Unknown;
        std::optional<vocabulary::NodeId> node;
        double share = 0;  // load of the limiting link or processor
        std::string reason;
    };
    struct OverTime {  // means in bins of equal length from the first task to the last result
        vocabulary::SimTime bin;
        std::vector<double> computing, queued;  // nodes that compute, split or join; waiting tasks in all nodes
        std::vector<std::uint32_t> results;     // returned in the bin
    };
    struct Reissued {
        vocabulary::NodeId node, child;
        std::uint32_t task = 0, subtask = 0;
    };

    std::string scenario, machine, run_hash;
    std::uint64_t seed = 0;
    farm_spec::FarmSpec config;
    std::uint32_t completed = 0;  // tasks whose result came back
    bool finished = false;
    Phases phases;
    Rate rate;
    Limit limit;
    // From the first task to Phases::end: shares of time are shares of this.
    vocabulary::SimTime window;
    std::vector<Node> nodes;  // members of the farm, the manager first
    std::vector<Link> links;  // by child
    // Branches that are no links of the machine; empty when all are (scenario/virtual_branches.hpp). Otherwise `links` has no
    // times, because links carry messages of several branches, and the limit is Unknown.
    std::string virtual_branches;
    OverTime over_time;
    std::optional<farm_model::Prediction> prediction;
    std::vector<Reissued> reissued;
};

const char* limit_name(FarmReport::LimitKind kind);  // "link", "manager", "forwarding", "workers", "waiting", "unknown"

// Cost: a few tenths of a microsecond for each event of the truth.
FarmReport farm_report(const scenario::Scenario& scenario, const oracle::SessionResult& result,
                       std::optional<farm_model::Prediction> prediction = {});

}  // namespace oracle
