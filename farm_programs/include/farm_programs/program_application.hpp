// ProgramApplication: a user's program as the application of a modelled farm. Each process of the farm that runs user code is a
// FarmProcess. A worker's process runs the computation, and in divide and conquer the split and the join. The manager's
// processes run data_generator and result_receiver. They start with the state that init_master left, and share the manager's
// heap.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <farm_programs/farm_program.hpp>
#include <flowback_unload/log_keeping.hpp>
#include <trek_kernel/application.hpp>

namespace farm_programs {

// True when a program may save a file of this name: letters, digits, '.', '_' and '-', no folder, no '.' in front, at most 100
// characters. It is checked again before the file is written, because a fault may damage the message that carries the name.
bool plain_file_name(const std::string& name);

// Report on a program after its run.
struct ProgramReport {
    std::string program;  // path; empty: the application was no program
    CostSource costs = CostSource::Explicit;
    std::string machine_code = {};                // T800 code that ran instead of compute_fn; empty: none
    std::array<ChargedSum, functions> charged{};  // index: Function
    Diagnoses diagnoses;
    user_programs::LogSums logs{};  // for flowback

    bool found() const;  // true when there is any diagnosis
    // Functions that ran without charging anything, although the costs are CostSource::Explicit.
    std::vector<std::string> silent() const;

    struct Exchange {
        std::uint32_t total_tasks = 0;                    // from the specification
        std::uint64_t tasks_made = 0, results_taken = 0;  // calls of do_task() and get_result() that returned
        bool generated = false, received = false;         // data_generator(), result_receiver() returned
    } exchange;
    // Mismatches between the program's counts of tasks and results and the specification; a sentence for each function.
    std::vector<std::string> mismatches() const;
};

class ProgramApplication final : public trek_kernel::Application {
public:
    // `report` must outlive it. Throws as FarmProgram does, and vocabulary::RequestError when a farm that divides lacks
    // split_fn or join_fn.
    ProgramApplication(const std::string& path, ProgramCosts costs, bool divides, ProgramReport& report);
    ~ProgramApplication() override;
    // For the logging version of a prepared program: each process keeps a log. Call it before the farm begins.
    void keep_flowback_logs(flowback_unload::LogKeeping keeping);
    // When the run is over: the logs are complete, and report.logs has their sums. Cost: the last blocks of each.
    void finish_logs();

    void init_master(trek_kernel::Master& master) override;
    void data_generator(trek_kernel::Master& master) override;
    void result_receiver(trek_kernel::Master& master) override;
    trek_kernel::Bytes compute(trek_kernel::Context& context, std::span<const std::byte> task) override;
    std::vector<trek_kernel::Bytes> split(trek_kernel::Context& context, std::span<const std::byte> task,
                                          std::size_t degree) override;
    trek_kernel::Bytes join(trek_kernel::Context& context, const std::vector<trek_kernel::Bytes>& results) override;

private:
    class Seat;
    FarmProcess& process(vocabulary::NodeId node, Function function);
    void begin_log(FarmProcess& made, vocabulary::NodeId node, Function function, bool of_master);
    CallResult run(trollius_os::Api& api, trek_kernel::Master* master, const Call& call);
    trek_kernel::Bytes result_of(trek_kernel::Context& context, Function function, CallResult&& result);
    CallResult run_master(trek_kernel::Master& master, Function function);

    FarmProgram program_;
    ProgramReport& report_;
    std::map<std::pair<vocabulary::NodeId, Function>, FarmProcess*> processes_;
    std::optional<flowback_unload::LogKeeping> logs_;
};

}  // namespace farm_programs
