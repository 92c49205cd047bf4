// QuietEnvironment: where a farm program's process runs without a machine. It notes what no record of a run has. Private.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <farm_programs/farm_program.hpp>
#include <isolation/readings.hpp>

namespace isolation {

// Thrown on the way out of a function that is not needed any further: it has made the task, or asks for a result.
struct EnoughSeen {};
// A function that computes on; thrown likewise.
struct GivenUp {};

// Acts of calls that the records of a run do not have.
struct Noted {
    bool read_clock = false, read_input = false, sent_address = false;
    bool used_kept = false, lossy_readings = false, switched_classes = false;  // of readings that the run has kept
    std::uint64_t memory_bytes = 0;                                            // taken and not given back
    std::string printed;
    farm_programs::Diagnoses diagnoses;
};

class QuietEnvironment final : public farm_programs::Environment {
public:
    // `unread`: what is left of the program's input, for what `readings` do not have. All of it must outlive this object.
    QuietEnvironment(std::uint16_t node, std::uint32_t total_tasks, std::int64_t most_cycles, std::string& unread,
                     ReadingsOfProcess& readings, Noted& noted)
        : node_(node),
          total_tasks_(total_tasks),
          most_cycles_(most_cycles),
          unread_(unread),
          readings_(readings),
          noted_(noted) {}

    std::function<void(trek_kernel::Bytes)> on_task;                                // do_task()
    std::function<trek_kernel::Bytes(trek_kernel::TaskIdentity&)> on_result_asked;  // get_result()

    vocabulary::NodeId node() const override { return vocabulary::NodeId(node_); }
    void do_task(std::span<const std::byte> task, std::int32_t priority) override;
    trek_kernel::Bytes get_result(trek_kernel::TaskIdentity& whose) override;
    // Only the manager knows the number, as on the machine.
    std::uint32_t total_tasks() const override { return node_ == 0 ? total_tasks_ : 0; }
    void charge(vocabulary::Cycles cycles) override;
    vocabulary::Cycles cycles_of(vocabulary::SimTime time) const override;
    std::uint64_t clock_us() const override;
    bool take_memory(std::uint64_t bytes) override;
    void give_back_memory(std::uint64_t bytes) override;
    void print(const std::string& text) override { noted_.printed += text; }
    void save(const std::string& name, trek_kernel::Bytes content) override;
    std::size_t read(std::span<std::byte> room) override;
    void user_event(std::uint32_t number, std::uint64_t value) override;
    bool switch_event_classes(const std::string& classes, bool on) override;
    void diagnose(user_programs::Diagnosis diagnosis) override;
    [[noreturn]] void fault() override { throw trek_kernel::ProcessEnds{}; }

private:
    void note_kept(bool used) const;

    std::uint16_t node_;
    std::uint32_t total_tasks_;
    std::int64_t most_cycles_, cycles_ = 0;
    std::string& unread_;
    ReadingsOfProcess& readings_;
    Noted& noted_;
};

}  // namespace isolation
