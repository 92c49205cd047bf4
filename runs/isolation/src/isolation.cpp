#include <isolation/isolation.hpp>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vocabulary/errors.hpp>

#include "replay.hpp"

namespace isolation {

using tmon_stories::FarmActs;
using tmon_stories::Stories;
using trace_record::SubTaskId;
using vocabulary::RequestError;

const char* end_name(End end) {
    constexpr const char* names[] = {"returned", "made-task", "asks-for-more", "asks-for-other",
                                     "stopped",  "endless",   "not-made"};
    return names[static_cast<std::size_t>(end)];
}

const std::vector<std::string>& assumptions() {
    static const std::vector<std::string> all = {
        "the virtual machine and the links hand on every message unchanged",
        "a node takes sub-tasks in the order of their arrival and calls a function for one at a time",
        "the program's functions do not rest on memory that they never set, on addresses, or on how much memory a node has "
        "left",
    };
    return all;
}

namespace {

ActKind kind_of(UserProcess process) {
    return process == UserProcess::Compute ? ActKind::Compute : process == UserProcess::Split ? ActKind::Split : ActKind::Join;
}

void settle(Claim& claim, const std::set<std::string>& doubts) {
    claim.depends_on.insert(claim.depends_on.end(), doubts.begin(), doubts.end());
    if (!claim.depends_on.empty()) claim.certainty = Certainty::Likely;
    if (!claim.contradictions.empty()) claim.certainty = Certainty::Unknown;
}

class Isolation {
public:
    Isolation(const FarmActs& acts, const Stories& stories, farm_programs::FarmProgram& program, const Request& request)
        : acts_(acts), stories_(stories), request_(request), replay_(acts, stories, program, request) {
        if (request.task >= stories.spec().tasks)
            throw RequestError(
                fmt::format("there is no task {}; the farm has tasks 0 to {}", request.task, stories.spec().tasks - 1));
        result_.process = request.process;
        result_.task = request.task;
        result_.input_claim.depends_on = request.doubts;
    }

    Isolated run() {
        switch (request_.process) {
            case UserProcess::Generate:
                generate();
                break;
            case UserProcess::PostProcess:
                receive();
                break;
            default:
                work(kind_of(request_.process));
        }
        settle(result_.input_claim, {});
        settle(result_.state_claim, {});
        return std::move(result_);
    }

private:
    const farm_spec::FarmTree& tree() const { return stories_.analysis().graphs.tree(); }
    bool divides() const { return stories_.spec().divides(); }

    // ---- which call ----

    bool possible(std::uint16_t node, const Act& act) const {
        const auto& nodes = tree().from_the_top();
        return node != 0 && std::find(nodes.begin(), nodes.end(), node) != nodes.end() &&
               (divides() ? stories_.spec().possible_at(act.subtask, tree().level(node)) : act.subtask == 0);
    }

    std::uint16_t place(ActKind kind, const Act& act) const {
        const std::string what = fmt::format("{} of {}", function_of(kind), act_text(act, stories_.spec()));
        if (request_.node) {
            if (possible(*request_.node, act) && (kind == ActKind::Compute || tree().may_pass_down(*request_.node)))
                return *request_.node;
            throw RequestError(fmt::format("{} cannot be on node {}; 'magicwire story' lists the parts and their nodes", what,
                                           *request_.node));
        }
        const std::vector<std::uint16_t> places = acts_.places(kind, act);
        if (places.empty())
            throw RequestError(fmt::format(
                "no record shows {} on any node; 'magicwire story' tells where the task was, and --node names a node", what));
        if (places.size() > 1)
            throw RequestError(
                fmt::format("the records allow {} on nodes {}; choose one with --node", what, fmt::join(places, " and ")));
        return places.front();
    }

    void check_functions(ActKind kind) const {
        if (kind != ActKind::Compute && !divides())
            throw RequestError(
                fmt::format("a processor farm has no {}; give compute, generate or post-process", function_of(kind)));
    }

    // ---- a worker's function ----

    void work(ActKind kind) {
        check_functions(kind);
        const Act act{request_.task, request_.subtask.value_or(0)};
        const std::uint16_t node = place(kind, act);
        result_.subtask = act.subtask;
        result_.node = node;
        weigh_place(kind, act);
        result_.input = replay_.input(kind, node, act);
        settle(result_.input_claim, replay_.doubts());
        FarmProcess& process = replay_.worker_process(kind, node, act, request_.alone, result_.earlier);
        if (request_.before_call) request_.before_call();
        Noted noted;
        Done done = replay_.call(process, kind, act, result_.input, noted);
        finish(std::move(done), noted, function_of(kind));
        compare_input(kind, act);
        compare_output(kind, act);
    }

    // A call that the records do not show may be asked for, too.
    void weigh_place(ActKind kind, const Act& act) {
        const std::string part = act_text(act, stories_.spec());
        const bool further = acts_.went_below(result_.node, act);
        Claim& claim = result_.state_claim;
        if (!acts_.arrived(result_.node, act))
            claim.depends_on.push_back(fmt::format("no record shows that {} came to n{}", part, result_.node));
        if (further && kind == ActKind::Compute)
            claim.contradictions.push_back(
                fmt::format("records show that {} went further than n{}, so it was not computed there", part, result_.node));
        if (!further && kind != ActKind::Compute)
            claim.depends_on.push_back(fmt::format("no record shows that {} was split on n{}", part, result_.node));
    }

    void finish(Done done, Noted& noted, const char* function) {
        result_.output = std::move(done.made);
        result_.end = done.end;
        result_.diagnoses = std::move(noted.diagnoses);
        result_.printed = std::move(noted.printed);
        replay_.note(noted, function);
        if (request_.alone) result_.state_claim.depends_on.emplace_back("earlier calls of its process are left out");
        settle(result_.state_claim, replay_.doubts());  // earlier calls rest on what the input rests on, too
    }

    void compare(Claim& claim, std::optional<std::uint32_t> recorded, std::size_t here, const std::string& what) {
        if (recorded && *recorded != here)
            claim.contradictions.push_back(fmt::format("{} had {} bytes in the run, and has {} here", what, *recorded, here));
    }

    SubTaskId branch(const Act& act, unsigned number) const {
        return farm_spec::FarmSpec::branch_id(act.subtask, tree().level(result_.node), number);
    }
    std::uint16_t child(const Act& act, unsigned number) const { return acts_.child_of(result_.node, act, number); }

    void compare_input(ActKind kind, const Act& act) {
        if (kind != ActKind::Join)
            return compare(result_.input_claim, acts_.bytes(result_.node, act, false), result_.input.front().size(),
                           "the task");
        for (unsigned i = 0; i < result_.input.size(); ++i)
            compare(result_.input_claim, acts_.bytes(child(act, i), {act.task, branch(act, i)}, true), result_.input[i].size(),
                    fmt::format("the result of part {}", i));
    }

    // A record of a result also shows that the function came to its end in the run.
    void compare_output(ActKind kind, const Act& act) {
        if (kind == ActKind::Split) {
            for (unsigned i = 0; i < result_.output.size() && i < stories_.spec().degree; ++i)
                compare(result_.state_claim, acts_.bytes(child(act, i), {act.task, branch(act, i)}, false),
                        result_.output[i].size(), fmt::format("part {}", i));
            return;
        }
        const auto recorded = acts_.bytes(result_.node, act, true);
        if (result_.end == End::Returned && result_.output.size() == 1)
            return compare(result_.state_claim, recorded, result_.output.front().size(), "the result");
        if (recorded) result_.state_claim.contradictions.emplace_back("a record shows that it gave a result in the run");
    }

    // ---- the manager's functions ----

    void generate() {
        FarmProcess& process = replay_.manager_process();
        if (request_.before_call) request_.before_call();
        Noted noted;
        Done done = replay_.generate(process, request_.task, noted);
        if (done.made.size() > request_.task) {
            done.made = {std::move(done.made[request_.task])};
        } else {
            done.made.clear();
        }
        finish(std::move(done), noted, name_of(UserProcess::Generate));
        const auto children = tree().children(0);
        const Act act{request_.task, 0};
        const bool sent =
            std::any_of(children.begin(), children.end(), [&](std::uint16_t node) { return acts_.arrived(node, act); });
        if (result_.output.empty() && sent)
            result_.state_claim.contradictions.emplace_back("a record shows that the task was made in the run");
        for (const std::uint16_t node : children)
            if (!result_.output.empty())
                compare(result_.state_claim, acts_.bytes(node, act, false), result_.output.front().size(), "the task");
    }

    void receive() {
        const tmon_stories::ActList order = acts_.results();
        std::vector<std::pair<std::uint32_t, Bytes>> results;
        bool came = false;
        for (const Act& act : order.acts) {
            if (came) break;
            came = act.task == request_.task;
            results.emplace_back(act.task, replay_.result(root_of(act), act));
        }
        for (const auto& [task, bytes] : results) {
            result_.input.push_back(bytes);
            compare(result_.input_claim, acts_.bytes(root_of({task, 0}), {task, 0}, true), bytes.size(),
                    fmt::format("the result of task {}", task));
        }
        std::set<std::string> doubts = replay_.doubts();
        doubts.insert(order.doubts.begin(), order.doubts.end());
        settle(result_.input_claim, doubts);
        FarmProcess& process = replay_.manager_process();
        if (request_.before_call) request_.before_call();
        Noted noted;
        Done done = replay_.receive(process, results, came ? std::optional(request_.task) : std::nullopt, result_.taken, noted);
        finish(std::move(done), noted, name_of(UserProcess::PostProcess));
    }
    std::uint16_t root_of(const Act& act) const { return acts_.child_of(0, act, 0); }

    const FarmActs& acts_;
    const Stories& stories_;
    const Request& request_;
    Replay replay_;
    Isolated result_;
};

}  // namespace

Isolated isolate(const FarmActs& acts, const Stories& stories, const std::string& module, farm_programs::CostSource costs,
                 const Request& request) {
    farm_programs::FarmProgram program(module, {.source = costs});
    return Isolation(acts, stories, program, request).run();
}

}  // namespace isolation
