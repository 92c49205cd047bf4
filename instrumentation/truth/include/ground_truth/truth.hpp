// Truth: the witness of a run, the source of the oracle. It records the true events in true order and hashes them: the run
// hash. No analysis may read it; tests and scores do.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <scratch/record_list.hpp>
#include <trace_record/event.hpp>
#include <trek_kernel/witness.hpp>
#include <trollius_os/witness.hpp>

namespace ground_truth {

// One step of a task. The last step of an unfinished task shows where it stopped.
struct TrueStep {
    vocabulary::SimTime time;
    trek_kernel::TaskStep step;
};

struct TrueBug {
    vocabulary::SimTime time;
    trek_kernel::BugStruck bug;
};

struct TrueSuspicion {
    vocabulary::SimTime time;
    trek_kernel::NodeGivenUp given_up;
};

struct TrueReissue {
    vocabulary::SimTime time;
    trek_kernel::TaskReissued reissue;
};

// The messages that a user's function was given, by size and hash.
struct TrueInput {
    trek_kernel::UserProcess process = trek_kernel::UserProcess::Compute;
    std::uint16_t node = 0;
    std::uint32_t task = 0, subtask = 0;
    std::uint64_t bytes = 0;
    std::uint64_t xxh3 = 0;  // of several messages: each with its length in front, 4 bytes, the least first
};

// The state of data_generator or result_receiver: its last step, and its number of returns from do_task() or get_result().
struct TrueMaster {
    std::optional<vocabulary::SimTime> began;
    trek_kernel::MasterMoment last = trek_kernel::MasterMoment::Began;
    vocabulary::SimTime since;
    std::optional<std::uint32_t> task;  // task of the last call of do_task(), or of the last result taken
    std::uint64_t calls = 0;
};

// Long runs have more of these than fit into memory.
using TrueEvents = scratch::RecordList<trace_record::Event>;
using TrueSteps = scratch::RecordList<TrueStep>;

class Truth final : public trek_kernel::Witness, public trollius_os::Witness {
public:
    // With `keep` false it keeps only counts and the hash. Otherwise memory grows by 8 bytes a task.
    explicit Truth(bool keep = true);
    ~Truth() override;
    // Continues as with `keep` false.
    void count_only() { keep_ = false; }
    // Keeps the inputs of the user's functions, too: the first 20000. Cost: 32 bytes and a hash of its bytes for each.
    void keep_inputs() { keep_inputs_ = true; }

    void on_moved(const trek_kernel::TaskMoved& what, vocabulary::SimTime now) override;
    void on_step(const trek_kernel::TaskStep& what, vocabulary::SimTime now) override;
    void on_bug(const trek_kernel::BugStruck& what, vocabulary::SimTime when) override;
    void on_given_up(const trek_kernel::NodeGivenUp& what, vocabulary::SimTime when) override;
    void on_reissued(const trek_kernel::TaskReissued& what, vocabulary::SimTime when) override;
    // The hash does not include these, only their consequences.
    void on_master(const trek_kernel::MasterStep& what, vocabulary::SimTime when) override;
    void on_home(std::uint32_t task, vocabulary::SimTime when) override;
    void on_input(const trek_kernel::FunctionInput& what, vocabulary::SimTime when) override;
    void on_result(const trek_kernel::ResultTaken& what, vocabulary::SimTime when) override;
    // Damaged or lost messages, on the kernels that this witness is added to.
    void on_dropped(const trollius_os::MessageDropped& what) override;

    // Events in true order. time_us is true time since the start of the run; seq counts per node.
    const TrueEvents& events() const { return events_; }
    const TrueSteps& steps() const { return steps_; }
    const std::vector<TrueBug>& bugs() const { return bugs_; }
    const std::vector<TrueSuspicion>& given_up() const { return given_up_; }
    const std::vector<TrueReissue>& reissued() const { return reissued_; }
    const std::vector<trollius_os::MessageDropped>& dropped() const { return dropped_; }  // the first thousand
    std::uint64_t dropped_count() const { return dropped_count_; }
    const std::vector<TrueInput>& inputs() const { return inputs_; }
    std::uint64_t inputs_left_out() const { return inputs_left_out_; }
    const TrueMaster& generator() const { return generator_; }
    const TrueMaster& receiver() const { return receiver_; }
    // Tasks whose results the manager has accepted, and tasks whose results result_receiver has taken, in true order.
    const std::vector<std::uint32_t>& home() const { return home_; }
    const std::vector<std::uint32_t>& taken() const { return taken_; }
    std::uint64_t moved() const { return moved_; }
    std::uint64_t results_at_manager() const { return results_at_manager_; }  // its own computations included
    vocabulary::SimTime first_event() const { return first_; }
    vocabulary::SimTime last_activity() const { return last_; }  // time of the last event of any kind
    std::string run_hash() const;                                // 16 hexadecimal digits (XXH3, 64 bit)

private:
    struct Hash;
    void hash(const void* data, std::size_t bytes);
    void keep_input(const trek_kernel::FunctionInput& what);
    bool keep_, keep_inputs_ = false;
    std::unique_ptr<Hash> hash_;
    TrueEvents events_;
    std::vector<std::uint32_t> next_seq_;
    TrueSteps steps_;
    std::vector<TrueBug> bugs_;
    std::vector<TrueSuspicion> given_up_;
    std::vector<TrueReissue> reissued_;
    std::vector<trollius_os::MessageDropped> dropped_;
    TrueMaster generator_, receiver_;
    std::vector<std::uint32_t> home_, taken_;
    std::vector<TrueInput> inputs_;
    std::uint64_t dropped_count_ = 0, inputs_left_out_ = 0;
    std::uint64_t moved_ = 0, results_at_manager_ = 0;
    vocabulary::SimTime first_ = vocabulary::SimTime::never(), last_;
};

}  // namespace ground_truth
