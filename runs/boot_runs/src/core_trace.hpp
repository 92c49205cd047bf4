// CoreTrace: the trace of a run of machine code, in the records of every trace (docs/formats/event_record.md, Machine code).
// It sees the cores from outside, at no modelled cost. Each node has its own stream; times are those of the cores' cycles.
// Cost: some 100 ns a record, and with instructions a record each.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <hw_model/core_driver.hpp>
#include <hw_model/machine.hpp>
#include <t800_core/observer.hpp>
#include <trace_record/trace_file.hpp>

namespace boot_runs {

class NodeTrace final : public t800_core::Observer, public hw_model::CoreDriver::LinkWitness {
public:
    NodeTrace(hw_model::Machine& machine, vocabulary::NodeId node, trace_record::TraceFileWriter& writer, bool instructions);

    void flush();
    void close();

    bool wants_instructions() const override { return instructions_; }
    void instruction(const t800_core::SeenInstruction& what) override;
    void process_started(t800_core::Cycle at, std::uint32_t descriptor, std::uint32_t iptr) override;
    void process_left(t800_core::Cycle at, std::uint32_t descriptor, bool ends) override;
    void process_joined(t800_core::Cycle at, std::uint32_t descriptor, std::uint32_t successor) override;
    void message(const t800_core::SeenMessage& what) override;
    void transfer_done(t800_core::Cycle at, std::uint32_t channel, std::uint32_t descriptor) override;
    std::uint64_t name_of_output(vocabulary::LinkNo link) override;
    void bytes_came(vocabulary::LinkNo link, std::uint64_t name, std::size_t count) override;

private:
    // A transfer of a link that a process waits for.
    struct Transfer {
        std::uint32_t process = 0, count = 0, number = 0;  // number: of an output
        std::uint16_t peer = 0;
    };
    struct Came {  // bytes of one output
        std::uint64_t name = 0;
        std::uint32_t bytes = 0;
    };

    trace_record::Event& add(t800_core::Cycle at, trace_record::EventKind kind);
    void receive(t800_core::Cycle at, std::uint32_t channel, std::uint32_t process, std::uint32_t link);
    void between_processes(const t800_core::SeenMessage& what);
    std::uint32_t process_of(std::uint32_t descriptor) const;
    std::uint16_t far_node(vocabulary::LinkNo link) const;

    hw_model::Machine& machine_;
    vocabulary::NodeId node_;
    trace_record::TraceFileWriter& writer_;
    bool instructions_;
    std::int64_t cycle_ps_;
    std::vector<trace_record::Event> records_;
    std::uint32_t written_ = 0, messages_ = 0, processes_ = 0;
    std::uint32_t running_ = 0;                     // number of the process that has the processor
    std::map<std::uint32_t, std::uint32_t> waits_;  // numbers of the others, by descriptor
    std::array<Transfer, 4> outputs_{}, inputs_{};
    std::array<std::vector<Came>, 4> came_{};
    std::array<std::uint64_t, 4> named_{};  // by link: the last output that a receive has named
};

class CoreTrace {
public:
    CoreTrace(hw_model::Machine& machine, trace_record::TraceFileWriter& writer, bool instructions);
    NodeTrace* of(std::size_t node) { return nodes_[node].get(); }  // nullptr: no core
    // Passes on what the nodes have recorded. Between two parts of a run.
    void flush();
    void close();

private:
    trace_record::TraceFileWriter& writer_;
    std::vector<std::unique_ptr<NodeTrace>> nodes_;
};

}  // namespace boot_runs
