// The simulated application of the thesis, section 6.1. A task description file gives time, memory and bug for each of a task's
// five blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <trek_kernel/bug_list.hpp>

namespace trek_kernel {

struct Segment {
    std::uint64_t time_us = 0, space_bytes = 0;
    int bug = 0;  // bug_list.hpp
};

struct TaskDescription {
    std::array<Segment, 5> segments;  // index: UserProcess
};

// A task without a row is like the last row before it; tasks before the first row are like default_task().
class TaskTable {
public:
    // Reads a .dat file: task number and five triples a line; blank lines and '#' comments. Throws vocabulary::InputError.
    static TaskTable parse(const std::string& text, const std::string& file_name);
    static TaskTable read(const std::string& path);
    static TaskDescription default_task();

    const TaskDescription& of(std::uint32_t task) const;
    void set(std::uint32_t task, const TaskDescription& description);
    void set_time(UserProcess process, std::uint64_t time_us);  // sets it for the process in every task
    std::vector<PlannedBug> bugs() const;                       // all bugs that its lines plant

private:
    TaskDescription before_first_ = default_task();
    std::vector<std::pair<std::uint32_t, TaskDescription>> rows_;  // ascending
};

// Data that travels: task_bytes down, result_bytes up, both at least 4.
struct SimulatedSizes {
    std::size_t task_bytes = 64, result_bytes = 64;
};

class SimulatedApplication final : public Application {
public:
    SimulatedApplication(TaskTable tasks, SimulatedSizes sizes) : tasks_(std::move(tasks)), sizes_(sizes) {}
    void data_generator(Master& master) override;
    void result_receiver(Master& master) override;
    Bytes compute(Context& context, std::span<const std::byte> task) override;
    std::vector<Bytes> split(Context& context, std::span<const std::byte> task, std::size_t degree) override;
    Bytes join(Context& context, const std::vector<Bytes>& results) override;

private:
    void run(Context& context);
    TaskTable tasks_;
    SimulatedSizes sizes_;
};

}  // namespace trek_kernel
