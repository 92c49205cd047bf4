// FarmTrace: writes the records of a task farm by hand, one message or one whole task at a time, and makes a Trace of them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <farm_spec/farm_tree.hpp>
#include <tmon_streams/collector.hpp>
#include <tmon_streams/trace.hpp>

namespace testing_support {

using trace_record::Event;
using trace_record::EventKind;
using trace_record::SubTaskId;

class FarmTrace {
public:
    explicit FarmTrace(const farm_spec::FarmSpec& spec);

    const farm_spec::FarmSpec& spec() const { return spec_; }
    // Records of one side only.
    FarmTrace& sent(std::uint32_t task, SubTaskId subtask, std::uint16_t worker);
    FarmTrace& arrived(std::uint32_t task, SubTaskId subtask, std::uint16_t worker);
    FarmTrace& result_sent(std::uint32_t task, SubTaskId subtask, std::uint16_t worker);
    FarmTrace& result_arrived(std::uint32_t task, SubTaskId subtask, std::uint16_t worker);
    FarmTrace& given_back(std::uint32_t task, SubTaskId subtask, std::uint16_t worker);  // stolen; the worker's side
    FarmTrace& taken_back(std::uint32_t task, SubTaskId subtask, std::uint16_t worker);  // the parent's
    // Both sides.
    FarmTrace& back(std::uint32_t task, SubTaskId subtask, std::uint16_t worker);
    FarmTrace& down(std::uint32_t task, SubTaskId subtask, std::uint16_t worker);
    FarmTrace& up(std::uint32_t task, SubTaskId subtask, std::uint16_t worker);
    // Splits a sub-task from its worker over the whole tree below, down to the leaves.
    FarmTrace& split_to_leaves(std::uint32_t task, SubTaskId subtask, std::uint16_t worker);
    // Results of everything below a worker, joined, and its own to the parent.
    FarmTrace& join_from_leaves(std::uint32_t task, SubTaskId subtask, std::uint16_t worker);
    // Tasks first ... last, split to the leaves, computed, joined and received.
    FarmTrace& finish_tasks(std::uint32_t first, std::uint32_t last);
    // A record that no rule would make.
    FarmTrace& raw(const Event& event);

    std::vector<std::vector<Event>>& records() { return records_; }
    Event& last_of(std::uint16_t node) { return records_[node].back(); }

    // Every stream has its end mark, except those of `open`.
    tmon_streams::Trace trace(tmon_streams::SessionEnd how, std::initializer_list<std::uint16_t> open = {}) const;

private:
    void record(std::uint16_t node, EventKind kind, std::uint16_t peer, std::uint32_t task, SubTaskId subtask, bool is_result);

    farm_spec::FarmSpec spec_;
    farm_spec::FarmTree tree_;
    std::uint64_t now_us_ = 0;
    std::vector<std::vector<Event>> records_;
};

// A file in a folder of its own, which is deleted with the object.
class TestFolder {
public:
    TestFolder();
    ~TestFolder();
    std::string path(const std::string& name) const { return folder_ + "/" + name; }
    std::string put(const std::string& name, const std::string& text) const;
    std::string get(const std::string& name) const;

private:
    std::string folder_;
};

}  // namespace testing_support
