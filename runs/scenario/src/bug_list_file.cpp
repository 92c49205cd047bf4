#include <scenario/bug_list_file.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include <topologies/strict_yaml.hpp>
#include <vocabulary/nearest_name.hpp>

#include <topologies/cost_settings.hpp>
#include "given.hpp"
#include "scenario_parts.hpp"
#include "subtask_numbers.hpp"

namespace scenario {
namespace {

using topologies::YamlValue;
using trek_kernel::Bug;
using trek_kernel::BugInfo;
using trek_kernel::PlannedBug;
using trek_kernel::TaskRange;
using trek_kernel::UserProcess;
using vocabulary::InputError;
using vocabulary::NodeId;

constexpr double most_slowness = 1e6;

std::vector<std::string> names_of_kinds() {
    std::vector<std::string> names;
    for (const BugInfo& info : trek_kernel::bug_kinds().subspan(1)) names.emplace_back(info.name);
    return names;
}

std::vector<std::string> words_of(const BugInfo& info) {
    std::vector<std::string> words;
    for (const UserProcess process : trek_kernel::user_processes) {
        if (info.possible(process)) words.emplace_back(word_of(process));
    }
    return words;
}

class EntryReader {
public:
    explicit EntryReader(const YamlValue& entry) : entry_(entry), info_(kind(entry.at("kind"))) {}

    PlannedBug read() {
        keys();
        bug_.bug = info_.bug;
        bug_.where = entry_.where();
        bug_.process = process(entry_.at("process"));
        if (info_.of_a_task()) {
            if (const YamlValue task = entry_.at("task"); !(task.is_scalar() && task.text() == "any")) tasks(task);
            if (const auto subtask = entry_.find("subtask")) bug_.subtask = subtask_of(*subtask);
            if (const auto times = entry_.find("occurrence"))
                bug_.occurrence = static_cast<std::uint32_t>(times->integer(1, UINT32_MAX));
            if (const auto chance = entry_.find("probability")) bug_.probability = probability(*chance);
        }
        if (const auto node = entry_.find("node")) bug_.node = node_named(*node);
        if (info_.key != nullptr) parameter();
        return std::move(bug_);
    }

private:
    static const BugInfo& kind(const YamlValue& value) {
        const auto kinds = trek_kernel::bug_kinds().subspan(1);
        const std::string name = value.text();
        const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const BugInfo& info) { return info.name == name; });
        if (found != kinds.end()) return *found;
        const std::string hint = vocabulary::did_you_mean(name, names_of_kinds());
        value.fail(fmt::format("unknown kind of bug '{}'{}", name,
                               hint.empty() ? fmt::format("; the kinds are {}", fmt::join(names_of_kinds(), ", ")) : hint));
    }

    void keys() const {
        std::vector<std::string> known{"kind", "process", "node"};
        if (info_.of_a_task()) known.insert(known.begin() + 1, {"task", "subtask"});
        if (info_.of_a_task()) known.insert(known.end(), {"occurrence", "probability"});
        if (info_.key != nullptr) known.emplace_back(info_.key);
        entry_.only_keys(known);
    }

    UserProcess process(const YamlValue& value) const {
        std::vector<std::string> all;
        for (const UserProcess process : trek_kernel::user_processes) all.emplace_back(word_of(process));
        const std::string word = value.one_of(all);
        const auto at = static_cast<std::size_t>(std::find(all.begin(), all.end(), word) - all.begin());
        const UserProcess process = trek_kernel::user_processes[at];
        if (!info_.possible(process))
            value.fail(
                fmt::format("'{}' has no meaning in {}; it may be in {}", info_.name, word, fmt::join(words_of(info_), ", ")));
        return process;
    }

    void tasks(const YamlValue& value) {
        if (!value.is_list()) return bug_.tasks.push_back(range(value));
        for (const YamlValue& item : value.items()) bug_.tasks.push_back(range(item));
        if (bug_.tasks.empty()) value.fail("the list of tasks is empty; name a task, or write 'any'");
    }

    // "49" or "10-19".
    static TaskRange range(const YamlValue& value) {
        const std::string text = value.text();
        TaskRange range;
        const char* end = text.data() + text.size();
        auto [at, error] = std::from_chars(text.data(), end, range.first);
        range.last = range.first;
        if (error == std::errc() && at != end && *at == '-') {
            const auto second = std::from_chars(at + 1, end, range.last);
            at = second.ptr;
            error = second.ec;
        }
        if (error != std::errc() || at != end)
            value.fail(fmt::format("'{}' is no task; write a number as 49, a range as 10-19, a list of these, or any", text));
        if (range.last < range.first)
            value.fail(fmt::format("the range {} ends before it begins; write {}-{}", text, range.last, range.first));
        return range;
    }

    // As the oracle and the fault list print it.
    static std::uint32_t subtask_of(const YamlValue& value) {
        const std::string text = value.text();
        std::uint32_t result = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result, 16);
        if (error != std::errc() || end != text.data() + text.size())
            value.fail(fmt::format("'{}' is no sub-task; write its 1 to 8 hexadecimal digits, as in '0110'", text));
        return result;
    }

    static double probability(const YamlValue& value) {
        const double number = value.number();
        if (!(number > 0) || number > 1)
            value.fail(
                fmt::format("'probability' is '{}', but must be above 0 and at most 1; write such a number, or leave it out "
                            "for a bug that strikes every time",
                            value.text()));
        return number;
    }

    void parameter() {
        const std::string key = info_.key;
        const auto value = entry_.find(key);
        if (!value) {
            if (info_.key_required)
                entry_.fail(fmt::format("'{}' needs '{}' ({}), as in '{}'", info_.name, key, info_.key_values, info_.example));
            return;
        }
        if (key == "factor") {
            bug_.factor = value->number();
            if (!(bug_.factor > 1) || bug_.factor > most_slowness)
                value->fail(
                    fmt::format("'factor' is '{}', but a slow block takes above 1 to {} times as long; write such a number",
                                value->text(), most_slowness));
        } else if (key == "bytes") {
            bug_.bytes =
                static_cast<std::uint32_t>(value->integer(info_.bug == Bug::WrongSize ? 0 : 1, topologies::most_message_bytes));
        } else {
            bug_.identity = static_cast<std::uint32_t>(value->integer(0, UINT32_MAX));
            const bool own = bug_.tasks.size() == 1 && bug_.tasks.front().first == bug_.tasks.front().last &&
                             bug_.tasks.front().first == *bug_.identity;
            if (own)
                value->fail(
                    fmt::format("{} is the task's own number, so the bug has no effect; write another", *bug_.identity));
        }
    }

    const YamlValue& entry_;
    const BugInfo& info_;
    PlannedBug bug_;
};

bool is_message_bug(Bug bug) {
    return trek_kernel::info_of(bug).of == trek_kernel::BugClass::Messages || bug == Bug::WrongResult;
}

// True when one step can meet both.
bool overlap(const PlannedBug& a, const PlannedBug& b) {
    if (a.process != b.process || (a.node && b.node && *a.node != *b.node)) return false;
    if (a.subtask && b.subtask && *a.subtask != *b.subtask) return false;
    if (a.tasks.empty() || b.tasks.empty()) return true;
    return std::any_of(a.tasks.begin(), a.tasks.end(), [&](const TaskRange& one) {
        return std::any_of(b.tasks.begin(), b.tasks.end(),
                           [&](const TaskRange& other) { return one.first <= other.last && other.first <= one.last; });
    });
}

// The reason why two bugs that strike the same step every time cannot both strike it; empty when they can.
std::string contradiction(const PlannedBug& a, const PlannedBug& b) {
    if (a.bug == b.bug) return "both do the same";
    for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
        if (one->bug != Bug::NeverStarted) continue;
        const bool everywhere = !one->node || one->node == other->node;  // else there is a node left for the other
        return everywhere ? "a process that was never started does nothing" : "";
    }
    if (ends_process(a.bug) && ends_process(b.bug)) return "a process ends once";
    for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
        if (ends_process(one->bug) && is_message_bug(other->bug)) return "a stopped process sends nothing";
        if (one->bug == Bug::NeverSent && is_message_bug(other->bug))
            return "a message that is never sent cannot have a second bug";
    }
    return {};
}

void check_together(const std::vector<PlannedBug>& bugs) {
    for (std::size_t i = 0; i < bugs.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const PlannedBug &a = bugs[j], &b = bugs[i];
            const bool always = !a.occurrence && !a.probability && !b.occurrence && !b.probability;
            if (!always || !overlap(a, b)) continue;
            const std::string why = contradiction(a, b);
            if (why.empty()) continue;
            const std::string other = a.where.line > 0 ? fmt::format("that of line {}", a.where.line) : "an earlier one";
            throw InputError(b.where, fmt::format("this entry ({}) and {} ({}) strike the same step, and {}; remove one of the "
                                                  "two, or change what they select",
                                                  bug_text(b), other, bug_text(a), why));
        }
    }
}

std::vector<PlannedBug> build(const YamlValue& root) {
    const YamlValue version = root.at("version");  // before the keys: another version may have others
    if (version.text() != "1")
        version.fail(fmt::format("this program reads version 1 of the bug list, not '{}'; write 'version: 1'", version.text()));
    root.only_keys({"version", "bugs"});
    std::vector<PlannedBug> bugs;
    for (const YamlValue& entry : root.at("bugs").items()) bugs.push_back(EntryReader(entry).read());
    check_together(bugs);
    return bugs;
}

// "n0 to n5", or of a tree that leaves nodes out "n0, n1, n4".
std::string members_text(const farm_spec::FarmSpec& farm) {
    const std::vector<NodeId> members = farm.members();
    if (members.size() == farm.nodes) return fmt::format("n0 to n{}", farm.nodes - 1);
    std::string text;
    for (const NodeId node : members) text += fmt::format("{}n{}", text.empty() ? "" : ", ", node.value());
    return text;
}

void check_node(const PlannedBug& bug, const farm_spec::FarmSpec& farm) {
    const NodeId node = *bug.node;
    const bool of_master = bug.process == UserProcess::Generate || bug.process == UserProcess::PostProcess;
    if (!farm.has(node))
        throw InputError(bug.where, fmt::format("n{} has no part in the farm, which has {}; name another node", node.value(),
                                                members_text(farm)));
    if (of_master != (node.value() == 0))
        throw InputError(bug.where,
                         of_master ? fmt::format("{} runs on n0 only, and not on n{}; write n0, or leave out 'node'",
                                                 word_of(bug.process), node.value())
                                   : fmt::format("n0 is the manager and does not {}; name a worker", word_of(bug.process)));
    const bool inner = bug.process == UserProcess::Split || bug.process == UserProcess::Join;
    if (inner && farm.children(node).empty())
        throw InputError(
            bug.where,
            fmt::format("n{} has no children, so nothing is split or joined there; name a node that has some", node.value()));
}

void check_subtask(const PlannedBug& bug, const farm_spec::FarmSpec& farm, bool tree_known) {
    const std::string number = fmt::format("{:04x}", *bug.subtask);
    const bool of_master = bug.process == UserProcess::Generate || bug.process == UserProcess::PostProcess;
    const auto where = subtask_key(bug.where, "bugs");
    if (*bug.subtask != 0 && of_master)
        throw InputError(where, fmt::format("{} has whole tasks only, so there is no sub-task {}; leave out 'subtask'",
                                            word_of(bug.process), number));
    if (!tree_known || of_master) return;
    if (const std::string why = why_no_subtask(farm, *bug.subtask, tree_known); !why.empty()) throw InputError(where, why);
    const std::vector<SubtaskPlace> places = places_of_subtask(farm, *bug.subtask);
    const bool inner = bug.process == UserProcess::Split || bug.process == UserProcess::Join;
    const auto fits = [&](const SubtaskPlace& place) {
        return (!bug.node || *bug.node == place.node) && (!inner || place.split);
    };
    if (std::any_of(places.begin(), places.end(), fits)) return;
    std::string nodes;
    for (const SubtaskPlace& place : places) {
        if (!inner || place.split) nodes += fmt::format("{}n{}", nodes.empty() ? "" : ", ", place.node.value());
    }
    throw InputError(
        where, nodes.empty()
                   ? fmt::format("sub-task {} is not divided any further, so nothing is split or joined there; "
                                 "name another sub-task, or choose compute",
                                 number)
                   : fmt::format("sub-task {} does not come to n{}, but to {}; name one of these, or leave out 'node'", number,
                                 bug.node->value(), nodes));
}

}  // namespace

std::vector<PlannedBug> parse_bug_list(const std::string& text, const std::string& file_name) {
    return build(YamlValue::parse(text, file_name));
}

std::vector<PlannedBug> read_bug_list(const std::string& path) {
    return build(YamlValue::read_file(path));
}

void check_bugs(const std::vector<PlannedBug>& bugs, const farm_spec::FarmSpec& farm, bool tree_known) {
    for (const PlannedBug& bug : bugs) {
        const bool divided = bug.process == UserProcess::Split || bug.process == UserProcess::Join;
        if (divided && !farm.divides())
            throw InputError(bug.where,
                             fmt::format("the farm divides no task, so it has no {}; set farm.degree to 2 or more, or choose "
                                         "generate, compute or post-process",
                                         word_of(bug.process)));
        for (const TaskRange& range : bug.tasks) {
            if (range.last >= farm.tasks)
                throw InputError(bug.where, farm.tasks == 0
                                                ? "the farm has no tasks; set farm.tasks, or write 'task: any'"
                                                : fmt::format("the farm has tasks 0 to {}, and no task {}; name one of these",
                                                              farm.tasks - 1, range.last));
        }
        if (bug.subtask && !farm.divides()) {
            if (const std::string why = why_no_subtask(farm, *bug.subtask, tree_known); !why.empty())
                throw InputError(subtask_key(bug.where, "bugs"), why);
        }
        if (bug.node && tree_known) check_node(bug, farm);
        if (bug.subtask && farm.divides()) check_subtask(bug, farm, tree_known);
    }
}

void add_bugs(Scenario& scenario, std::vector<PlannedBug> bugs) {
    const bool had_some = !scenario.bugs.empty();
    std::ranges::move(bugs, std::back_inserter(scenario.bugs));
    if (had_some) check_together(scenario.bugs);
}

// "kind: slow, task: 3, process: compute, factor: 9", the same in braces, or a list of these.
void put_bug(Scenario& scenario, const Given& given) {
    if (given.in_file() && !given.value().is_scalar()) {
        const YamlValue value = given.value();
        std::vector<PlannedBug> bugs;
        for (const YamlValue& entry : value.is_list() ? value.items() : std::vector{value})
            bugs.push_back(EntryReader(entry).read());
        check_together(bugs);
        return add_bugs(scenario, std::move(bugs));
    }
    const std::string text = given.text();
    if (text.find_first_not_of(" \t{}[]") == std::string::npos)
        given.fail("the bug is empty; write an entry of a bug list, as in 'kind: early-end, task: 3, process: compute'");
    const std::string entry = text.starts_with('{') ? "\n  - " + text : "\n  - {" + text + "}";
    try {
        std::vector<PlannedBug> bugs = parse_bug_list("version: 1\nbugs: " + (text.starts_with('[') ? text : entry), "bug");
        for (PlannedBug& bug : bugs) bug.where = given.where();
        add_bugs(scenario, std::move(bugs));
    } catch (const InputError& error) {
        given.fail(error.message());
    }
}

std::vector<PlannedBug> planted_bugs(const Scenario& scenario) {
    std::vector<PlannedBug> all = scenario.program.empty() ? scenario.tasks.bugs() : std::vector<PlannedBug>();
    all.insert(all.end(), scenario.bugs.begin(), scenario.bugs.end());
    for (PlannedBug& bug : all) {
        if (bug.bug == Bug::Unexpected && !bug.identity) bug.identity = scenario.farm.tasks;
    }
    return all;
}

}  // namespace scenario
