#include <oracle/true_account.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace oracle {
namespace {

using ground_truth::TrueMaster;
using Json = nlohmann::ordered_json;

std::string hex4(std::uint32_t value) {
    return fmt::format("{:04x}", value);
}

// Ascending numbers as ranges: [[3, 3], [9, 79]].
Json ranges_json(const std::vector<std::uint32_t>& numbers) {
    auto json = Json::array();
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
        json.push_back({numbers[i], numbers[last]});
        i = last + 1;
    }
    return json;
}

Json master_json(const TrueMaster& master, const char* called) {
    const std::array states = {"began", called, "in its own code", "returned", "ended"};
    Json json = {{"state", master.began ? states[static_cast<std::size_t>(master.last)] : "never began"}};
    if (master.began) {
        json["began_ps"] = master.began->in_ps();
        json["since_ps"] = master.since.in_ps();
    }
    json["task"] = master.task ? Json(*master.task) : Json(nullptr);
    json["done"] = master.calls;
    return json;
}

class TrueAccount {
public:
    TrueAccount(const scenario::Scenario& scenario, const oracle::SessionResult& result, std::size_t most_lines)
        : scenario_(scenario), result_(result), most_lines_(most_lines) {
        std::vector<bool> home(scenario.farm.tasks), taken(scenario.farm.tasks);
        mark(home, result.truth.home());
        mark(taken, result.truth.taken());
        for (std::uint32_t task = 0; task < scenario.farm.tasks; ++task) {
            if (!home[task]) missing_.push_back(task);
            if (home[task] && !taken[task]) not_taken_.push_back(task);
        }
    }

    Json json() {
        Json json = {
            {"tasks", scenario_.farm.tasks}, {"granularity", scenario_.farm.granularity}, {"degree", scenario_.farm.degree}};
        json["parents"] = Json::array();
        for (const vocabulary::NodeId node : scenario_.farm.members()) {
            const auto parent = scenario_.farm.parent(node);
            if (parent) json["parents"].push_back({node.value(), parent->value()});
        }
        json["missing"] = ranges_json(missing_);
        json["not_taken"] = ranges_json(not_taken_);
        json["generator"] = master_json(result_.truth.generator(), "in do_task()");
        json["receiver"] = master_json(result_.truth.receiver(), "in get_result()");
        add_unfinished(json);
        json["lost"] = lost_json();
        json["cut"] = Json::array();  // links of the farm's tree that lead elsewhere or nowhere at the end
        for (const auto& [lower, upper] : result_.simulated.switches.cuts)
            json["cut"].push_back({lower.value(), upper.value()});
        return json;
    }

private:
    struct Lines {
        std::vector<std::uint32_t> missing;
        Json moves = Json::array(), functions = Json::array();
        std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint16_t, trek_kernel::UserProcess>, std::size_t> open;
    };

    void mark(std::vector<bool>& marks, const std::vector<std::uint32_t>& tasks) const {
        for (const std::uint32_t task : tasks) {
            if (task < marks.size()) marks[task] = true;
        }
    }
    // Messages have the number of a bundle's first.
    std::uint32_t bundle_of(std::uint32_t task) const { return task - task % scenario_.farm.granularity; }

    void add_unfinished(Json& json) {
        std::map<std::uint32_t, Lines> lines;
        for (const std::uint32_t task : missing_) lines[bundle_of(task)].missing.push_back(task);
        for (const trace_record::Event& event : result_.truth.events()) {
            const auto found = lines.find(bundle_of(event.task));
            if (found == lines.end()) continue;
            found->second.moves.push_back(
                {{"time_us", event.time_us},
                 {"node", event.node},
                 {event.kind == trace_record::EventKind::Send ? "sent_to" : "received_from", event.peer},
                 {"what", event.is_result != 0 ? "result" : "task"},
                 {"subtask", hex4(event.subtask)}});
        }
        for (const ground_truth::TrueStep& step : result_.truth.steps()) {
            const auto found = lines.find(bundle_of(step.step.task));
            if (found != lines.end()) add_step(found->second, step);
        }
        json["unfinished"] = Json::array();
        std::size_t written = 0;
        for (auto& [task, line] : lines) {
            written += 1 + line.moves.size() + line.functions.size();
            if (written > most_lines_) {
                json["left_out_from"] = task;
                break;
            }
            json["unfinished"].push_back({{"task", task},
                                          {"missing", ranges_json(line.missing)},
                                          {"moves", std::move(line.moves)},
                                          {"functions", std::move(line.functions)}});
        }
    }

    static void add_step(Lines& lines, const ground_truth::TrueStep& told) {
        const auto& [time, step] = told;
        const auto key = std::make_tuple(step.task, step.subtask, step.node.value(), step.process);
        if (step.moment == trek_kernel::Moment::Begin) {
            lines.open[key] = lines.functions.size();
            lines.functions.push_back({{"task", step.task},
                                       {"subtask", hex4(step.subtask)},
                                       {"node", step.node.value()},
                                       {"process", name_of(step.process)},
                                       {"began_ps", time.in_ps()},
                                       {"ended_ps", nullptr}});
        } else if (const auto open = lines.open.find(key); open != lines.open.end()) {
            lines.functions[open->second]["ended_ps"] = time.in_ps();
            lines.open.erase(open);
        }
    }

    // Messages of the farm that got stuck, were changed or lost on a link of two neighbours, whichever task they belonged to.
    Json lost_json() const {
        auto json = Json::array();
        for (const session::LostOnLink& loss : result_.simulated.faults.lost_on_links) {
            Json line = {{"time_ps", loss.when.in_ps()}, {"why", loss.cause}};
            if (loss.fault) line["fault"] = *loss.fault + 1;
            if (loss.between) line["between"] = {loss.between->first.value(), loss.between->second.value()};
            add_task(line, loss.task);
            json.push_back(std::move(line));
            if (json.size() == most_lines_) break;
        }
        return json;
    }
    static void add_task(Json& line, const std::optional<trek_kernel::TaskOnWire>& task) {
        if (!task) return;
        line["task"] = task->task;
        line["subtask"] = hex4(task->subtask);
        line["what"] = task->result ? "result" : "task";
    }

    const scenario::Scenario& scenario_;
    const oracle::SessionResult& result_;
    std::size_t most_lines_;
    std::vector<std::uint32_t> missing_, not_taken_;  // ascending
};

}  // namespace

Json true_account_json(const scenario::Scenario& scenario, const oracle::SessionResult& result, std::size_t most_lines) {
    return TrueAccount(scenario, result, most_lines).json();
}

}  // namespace oracle
