#include <trek_kernel/bug_list.hpp>

#include <algorithm>
#include <cstdio>

namespace trek_kernel {
namespace {

constexpr std::array<BugInfo, 16> kinds{{
    {Bug::None, "none", BugClass::None, "the block runs as described", {}, nullptr, false, "", "", ""},
    {Bug::EarlyEnd,
     "early-end",
     BugClass::Parallelism,
     "the process ends when it has done the task; the node's other processes go on",
     {"ends before it sends the task", "ends without a result", "returns with results outstanding", "ends without sub-tasks",
      "ends without the joined result"},
     nullptr,
     false,
     "",
     "The task stops there, and so does every later one that this process should have had.",
     "kind: early-end, task: 49, process: compute"},
    {Bug::NeverSent,
     "never-sent",
     BugClass::Messages,
     "an omitted message: the process's output is never sent",
     {"the task is not sent", "the result is not sent", "the result is skipped: the function never sees it",
      "no sub-task is sent", "the joined result is not sent"},
     nullptr,
     false,
     "",
     "The task stops there, and later tasks of the process go on; messages do not distinguish it from a function that keeps "
     "one task.",
     "kind: never-sent, task: 49, process: join"},
    {Bug::EndlessLoop,
     "endless-loop",
     BugClass::Inside,
     "the block never finishes; its process uses the processor for ever",
     {"loops before it sends the task", "loops before it has a result", "loops over the result",
      "loops before it has sub-tasks", "loops over the sub-results"},
     nullptr,
     false,
     "",
     "The task stops there. Messages do not tell a loop from a long computation or from waiting.",
     "kind: endless-loop, task: 49, process: compute"},
    {Bug::NodeCrash,
     "node-crash",
     BugClass::Inside,
     "the node crashes at the end of the block: nothing on it runs any more, and its trace buffers are lost",
     {"the manager's node crashes", "the worker's node crashes", "the manager's node crashes", "the worker's node crashes",
      "the worker's node crashes"},
     nullptr,
     false,
     "",
     "Everything on the node and below it stops; its last records are lost with it.",
     "kind: node-crash, task: 49, process: compute"},
    {Bug::OutOfMemory,
     "out-of-memory",
     BugClass::Inside,
     "the block asks for memory until the node has none left, and its process ends",
     {"as early-end, and result_receiver finds no memory", "as early-end, and the node's other functions find no memory",
      "as early-end, and data_generator finds no memory", "as early-end, and the node's other functions find no memory",
      "as early-end, and the node's other functions find no memory"},
     nullptr,
     false,
     "",
     "As early-end.",
     "kind: out-of-memory, task: 49, process: compute"},
    {Bug::Duplicated,
     "duplicated",
     BugClass::Messages,
     "an unanticipated message: the process's output is sent twice",
     {"the task is sent twice", "the result is sent twice", "the function gets the result twice",
      "every sub-task is sent twice", "the joined result is sent twice"},
     nullptr,
     false,
     "",
     "The second message repeats the first, so its records contradict the specification; the farm drops the second result.",
     "kind: duplicated, task: 49, process: compute"},
    {Bug::Unexpected,
     "unexpected",
     BugClass::Messages,
     "an unanticipated message: the process also sends its output with the number of another task",
     {"a task that was never requested is sent too", "a result of a task that it never had is sent too", nullptr,
      "sub-tasks of a task that it never had are sent too", "a result of a task that it never had is sent too"},
     "identity",
     false,
     "the other task's number; left out: the first number that no task of the farm has",
     "A message of a task that does not exist, or that repeats another's, contradicts the specification.",
     "kind: unexpected, task: 49, process: compute"},
    {Bug::WrongOrder,
     "wrong-order",
     BugClass::Messages,
     "a message out of order: the process's output is sent after its next one, or never if there is none",
     {"the task is sent after the next one", "the result is sent after the next one", "the function gets the next result first",
      "the sub-tasks are sent after those of the next split", "the result is sent after the next one"},
     nullptr,
     false,
     "",
     "Nothing: a farm promises no order between tasks. Only a message that is held for ever stops its task.",
     "kind: wrong-order, task: 49, process: generate"},
    {Bug::WrongIdentity,
     "wrong-identity",
     BugClass::Messages,
     "the process's output is sent with the number of another task",
     {"the task is sent as another", "the result is sent as another's", "the result is given to the function as another's",
      "the sub-tasks are sent as another's", "the result is sent as another's"},
     "identity",
     true,
     "the number in the message",
     "A message with a repeated or impossible number contradicts the specification; the task itself stops.",
     "kind: wrong-identity, task: 49, process: compute, identity: 12"},
    {Bug::WrongSize,
     "wrong-size",
     BugClass::Messages,
     "the size message gives a wrong size, and the neighbour drops both messages",
     {"of the task", "of the result", "the function gets the result with so many bytes", "of every sub-task",
      "of the joined result"},
     "bytes",
     true,
     "the size in the size message: 0 to 1048576",
     "The task stops on a link, and the neighbour counts a dropped message. A bad link looks the same.",
     "kind: wrong-size, task: 49, process: compute, bytes: 3"},
    {Bug::NeverStarted,
     "never-started",
     BugClass::Parallelism,
     "the process is never created",
     {"the farm gets no task", "the node keeps its first task", "no result is taken", "the node keeps its first split",
      "the node keeps its first results to join"},
     nullptr,
     false,
     "",
     "The first task that the process should have had stops there, as with early-end.",
     "kind: never-started, process: compute, node: n5"},
    {Bug::WaitsForEver,
     "waits-for-ever",
     BugClass::Parallelism,
     "the process waits for a message that never comes; it uses no cycles",
     {"waits before it sends the task", "waits before it sends the result", "asks for one result more than there are",
      "waits before it sends the sub-tasks", "waits before it sends the joined result"},
     nullptr,
     false,
     "",
     "The task stops there, as with early-end.",
     "kind: waits-for-ever, task: 49, process: split"},
    {Bug::Slow,
     "slow",
     BugClass::Inside,
     "the block takes so many times as long, interruptions included",
     {"before it sends the task", "before it sends the result", "over the result", "before it sends the sub-tasks",
      "before it sends the joined result"},
     "factor",
     true,
     "above 1, at most 1000000",
     "Nothing while the farm goes on: its specification has no durations.",
     "kind: slow, task: 10-19, process: compute, factor: 20, probability: 0.5"},
    {Bug::WrongResult,
     "wrong-result",
     BugClass::Inside,
     "bytes of the process's output are inverted; the seed decides which",
     {"of the task", "of the result", nullptr, "of each sub-task", "of the joined result"},
     "bytes",
     false,
     "how many: 1 to 1048576; left out: 1",
     "Nothing: records do not show the content of a message.",
     "kind: wrong-result, task: 49, process: compute"},
    {Bug::WildWrite,
     "wild-write",
     BugClass::Inside,
     "bytes of a heap block of the node's programs are inverted; the seed decides which",
     {"in the manager's memory", "in the worker's memory", "in the manager's memory", "in the worker's memory",
      "in the worker's memory"},
     "bytes",
     false,
     "how many: 1 to 1048576, as far as the block goes; left out: 4",
     "Nothing by itself; the damaged bytes may lead to any of the other bugs.",
     "kind: wild-write, task: 49, process: compute, bytes: 16"},
}};

}  // namespace

std::span<const BugInfo> bug_kinds() {
    return kinds;
}

const BugInfo& info_of(Bug bug) {
    return kinds[static_cast<std::size_t>(bug)];
}

bool ends_process(Bug bug) {
    return bug == Bug::EarlyEnd || bug == Bug::EndlessLoop || bug == Bug::NodeCrash || bug == Bug::OutOfMemory ||
           bug == Bug::WaitsForEver || bug == Bug::NeverStarted;
}

const char* class_name(BugClass of) {
    static constexpr std::array names = {"none", "in message passing", "in expressing parallelism", "inside a process"};
    return names[static_cast<std::size_t>(of)];
}

const char* word_of(UserProcess process) {
    static constexpr std::array words = {"generate", "compute", "post-process", "split", "join"};
    return words[static_cast<std::size_t>(process)];
}

bool PlannedBug::selects(vocabulary::NodeId on, UserProcess in, const TaskIdentity& what) const {
    if (in != process || (node && *node != on) || (subtask && *subtask != what.subtask)) return false;
    return tasks.empty() ||
           std::any_of(tasks.begin(), tasks.end(), [&](const TaskRange& range) { return range.has(what.task); });
}

namespace {

std::string number_text(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", number);
    return text;
}

std::string tasks_text(const std::vector<TaskRange>& tasks) {
    if (tasks.empty()) return "any task";
    const bool one = tasks.size() == 1 && tasks.front().first == tasks.front().last;
    std::string text = one ? "task " : "tasks ";
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (i > 0) text += ", ";
        text += std::to_string(tasks[i].first);
        if (tasks[i].last == UINT32_MAX && tasks[i].first < UINT32_MAX) {
            text += " and above";
        } else if (tasks[i].last > tasks[i].first) {
            text += "-" + std::to_string(tasks[i].last);
        }
    }
    return text;
}

}  // namespace

std::string bug_text(const PlannedBug& bug) {
    const BugInfo& info = info_of(bug.bug);
    std::string text = info.name;
    if (bug.bug == Bug::Slow) text += " by " + number_text(bug.factor);
    if (bug.identity) text += " as " + std::to_string(*bug.identity);
    if (bug.bytes) text += " of " + std::to_string(*bug.bytes) + " bytes";
    text += std::string(" in ") + word_of(bug.process);
    if (info.of_a_task()) text += " of " + tasks_text(bug.tasks);
    char digits[16];
    if (bug.subtask) {
        std::snprintf(digits, sizeof digits, "%04x", *bug.subtask);
        text += std::string(", sub-task ") + digits;
    }
    if (bug.node) text += " on n" + std::to_string(bug.node->value());
    if (bug.occurrence) text += ", time " + std::to_string(*bug.occurrence) + " only";
    if (bug.probability) text += ", with probability " + number_text(*bug.probability);
    return text;
}

}  // namespace trek_kernel
