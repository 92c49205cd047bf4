// An Environment without a machine: notes what a program does.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <farm_programs/farm_program.hpp>

namespace test_support {

class HostEnvironment final : public farm_programs::Environment {
public:
    explicit HostEnvironment(std::uint16_t node) : node_(node) {}

    vocabulary::NodeId node() const override { return vocabulary::NodeId(node_); }
    void do_task(std::span<const std::byte> task, std::int32_t) override { tasks.emplace_back(task.begin(), task.end()); }
    trek_kernel::Bytes get_result(trek_kernel::TaskIdentity& whose) override {
        whose.task = next_result;
        return results.at(next_result++);
    }
    std::uint32_t total_tasks() const override { return 3; }
    void charge(vocabulary::Cycles cycles) override {
        charged.push_back(cycles.count());
        if (meanwhile) std::exchange(meanwhile, nullptr)();
    }
    vocabulary::Cycles cycles_of(vocabulary::SimTime time) const override { return vocabulary::Cycles(time.in_us() * 20); }
    std::uint64_t clock_us() const override { return 1'500'000; }
    bool take_memory(std::uint64_t bytes) override {
        if (bytes > memory) return false;
        memory -= bytes;
        return true;
    }
    void give_back_memory(std::uint64_t bytes) override { memory += bytes; }
    void print(const std::string& text) override { printed += text; }
    void save(const std::string& name, trek_kernel::Bytes content) override { files.emplace_back(name, content); }
    std::size_t read(std::span<std::byte> room) override {
        std::size_t count = 0;
        while (count < room.size() && !input.empty()) {
            room[count++] = static_cast<std::byte>(input[0]);
            input.erase(0, 1);
        }
        return count;
    }
    void user_event(std::uint32_t number, std::uint64_t value) override { events.emplace_back(number, value); }
    bool switch_event_classes(const std::string& classes, bool on) override {
        switched.emplace_back(classes, on);
        return classes != "tsk";
    }
    void diagnose(user_programs::Diagnosis diagnosis) override { diagnoses.add(std::move(diagnosis)); }
    [[noreturn]] void fault() override { throw trek_kernel::ProcessEnds{}; }

    std::int64_t sum() const {
        std::int64_t all = 0;
        for (const std::int64_t one : charged) all += one;
        return all;
    }
    std::string said() const { return diagnoses.empty() ? "" : user_programs::text_of(diagnoses.all().front()); }

    std::vector<trek_kernel::Bytes> tasks, results;
    std::uint32_t next_result = 0;
    std::vector<std::int64_t> charged;
    std::uint64_t memory = 1 << 20;
    std::string printed, input;
    std::vector<std::pair<std::string, trek_kernel::Bytes>> files;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> events;
    std::vector<std::pair<std::string, bool>> switched;
    user_programs::Diagnoses diagnoses;
    std::function<void()> meanwhile;  // happens while modelled time passes, once

private:
    std::uint16_t node_;
};

}  // namespace test_support
