#include "farm_trace.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace testing_support {

using trace_record::Event;
using trace_record::EventKind;
using trace_record::SubTaskId;

FarmTrace::FarmTrace(const farm_spec::FarmSpec& spec) : spec_(spec), tree_(spec), records_(spec.nodes) {}

void FarmTrace::record(std::uint16_t node, EventKind kind, std::uint16_t peer, std::uint32_t task, SubTaskId subtask,
                       bool is_result) {
    Event event;
    event.time_us = now_us_ += 10;
    event.node = node;
    event.kind = kind;
    event.peer = peer;
    event.task = task;
    event.subtask = subtask;
    event.is_result = is_result ? 1 : 0;
    event.bytes = is_result ? 100 : 1000;
    raw(event);
}

FarmTrace& FarmTrace::raw(const Event& event) {
    records_[event.node].push_back(event);
    records_[event.node].back().seq = static_cast<std::uint32_t>(records_[event.node].size() - 1);
    return *this;
}

FarmTrace& FarmTrace::sent(std::uint32_t task, SubTaskId subtask, std::uint16_t worker) {
    record(*tree_.parent(worker), EventKind::Send, worker, task, subtask, false);
    return *this;
}
FarmTrace& FarmTrace::arrived(std::uint32_t task, SubTaskId subtask, std::uint16_t worker) {
    record(worker, EventKind::Receive, *tree_.parent(worker), task, subtask, false);
    return *this;
}
FarmTrace& FarmTrace::result_sent(std::uint32_t task, SubTaskId subtask, std::uint16_t worker) {
    record(worker, EventKind::Send, *tree_.parent(worker), task, subtask, true);
    return *this;
}
FarmTrace& FarmTrace::result_arrived(std::uint32_t task, SubTaskId subtask, std::uint16_t worker) {
    record(*tree_.parent(worker), EventKind::Receive, worker, task, subtask, true);
    return *this;
}
FarmTrace& FarmTrace::given_back(std::uint32_t task, SubTaskId subtask, std::uint16_t worker) {
    record(worker, EventKind::Send, *tree_.parent(worker), task, subtask, false);
    return *this;
}
FarmTrace& FarmTrace::taken_back(std::uint32_t task, SubTaskId subtask, std::uint16_t worker) {
    record(*tree_.parent(worker), EventKind::Receive, worker, task, subtask, false);
    return *this;
}
FarmTrace& FarmTrace::back(std::uint32_t task, SubTaskId subtask, std::uint16_t worker) {
    return given_back(task, subtask, worker).taken_back(task, subtask, worker);
}
FarmTrace& FarmTrace::down(std::uint32_t task, SubTaskId subtask, std::uint16_t worker) {
    return sent(task, subtask, worker).arrived(task, subtask, worker);
}
FarmTrace& FarmTrace::up(std::uint32_t task, SubTaskId subtask, std::uint16_t worker) {
    return result_sent(task, subtask, worker).result_arrived(task, subtask, worker);
}

FarmTrace& FarmTrace::split_to_leaves(std::uint32_t task, SubTaskId subtask, std::uint16_t worker) {
    if (!tree_.may_pass_down(worker)) return *this;
    const auto children = tree_.children(worker);
    for (unsigned j = 0; j < spec_.degree; ++j) {
        const SubTaskId branch = farm_spec::FarmSpec::branch_id(subtask, tree_.level(worker), j);
        const std::uint16_t child = children[j % children.size()];
        down(task, branch, child);
        split_to_leaves(task, branch, child);
    }
    return *this;
}

FarmTrace& FarmTrace::join_from_leaves(std::uint32_t task, SubTaskId subtask, std::uint16_t worker) {
    if (tree_.may_pass_down(worker)) {
        const auto children = tree_.children(worker);
        for (unsigned j = 0; j < spec_.degree; ++j) {
            join_from_leaves(task, farm_spec::FarmSpec::branch_id(subtask, tree_.level(worker), j),
                             children[j % children.size()]);
        }
    }
    return up(task, subtask, worker);
}

FarmTrace& FarmTrace::finish_tasks(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t task = first; task <= last; ++task)
        down(task, 0, 1).split_to_leaves(task, 0, 1).join_from_leaves(task, 0, 1);
    return *this;
}

tmon_streams::Trace FarmTrace::trace(tmon_streams::SessionEnd how, std::initializer_list<std::uint16_t> open) const {
    tmon_streams::Collector collector(static_cast<std::uint16_t>(spec_.nodes));
    for (std::uint16_t node = 0; node < spec_.nodes; ++node) {
        collector.receive(node, 0, records_[node]);
        const bool ended = std::find(open.begin(), open.end(), node) == open.end();
        if (ended) collector.end(node, static_cast<std::uint32_t>(records_[node].size()));
    }
    return collector.finish(how);
}

TestFolder::TestFolder() {
    static std::atomic<int> counter = 0;
    folder_ =
        (std::filesystem::temp_directory_path() / ("tmon_test_" + std::to_string(::getpid()) + "_" + std::to_string(counter++)))
            .string();
    std::filesystem::create_directories(folder_);
}
TestFolder::~TestFolder() {
    std::filesystem::remove_all(folder_);
}

std::string TestFolder::put(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
}
std::string TestFolder::get(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace testing_support
