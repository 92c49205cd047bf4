// A farm whose workers run T800 machine code as their computation. A node keeps a core (t800_core) with memory of its own. The
// cycles of its instructions are computed by the worker's process, so they are interrupted and billed as any computation. Code
// that waits, starts processes or uses links has no place there. Cost: the core's, some 2 ns an instruction.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <farm_programs/program_application.hpp>
#include <t800_core/settings.hpp>
#include <trek_kernel/application.hpp>

namespace farm_programs {

struct MachineCode {
    std::string file;          // for messages
    std::uint32_t origin = 0;  // address of the first byte, where it begins
    std::vector<std::uint8_t> code;
};

// Everything but the computation is the other application's.
class MachineCodeApplication final : public trek_kernel::Application {
public:
    MachineCodeApplication(std::unique_ptr<trek_kernel::Application> application, MachineCode code,
                           std::function<t800_core::CoreSettings(vocabulary::NodeId)> settings, ProgramReport& report);
    ~MachineCodeApplication() override;

    void init_master(trek_kernel::Master& master) override { application_->init_master(master); }
    void data_generator(trek_kernel::Master& master) override { application_->data_generator(master); }
    void result_receiver(trek_kernel::Master& master) override { application_->result_receiver(master); }
    // The code is called as a function: A has the address of the task, B its bytes, C where the result goes. It returns with
    // the result's bytes in A.
    trek_kernel::Bytes compute(trek_kernel::Context& context, std::span<const std::byte> task) override;
    std::vector<trek_kernel::Bytes> split(trek_kernel::Context& context, std::span<const std::byte> task,
                                          std::size_t degree) override {
        return application_->split(context, task, degree);
    }
    trek_kernel::Bytes join(trek_kernel::Context& context, const std::vector<trek_kernel::Bytes>& results) override {
        return application_->join(context, results);
    }
    bool starts(vocabulary::NodeId node, trek_kernel::UserProcess process) override {
        return application_->starts(node, process);
    }
    void set_seed(std::uint64_t seed) override { application_->set_seed(seed); }

private:
    class Worker;
    Worker& worker(trek_kernel::Context& context);
    trek_kernel::Bytes without_result(trek_kernel::Context& context, Diagnosis diagnosis);

    std::unique_ptr<trek_kernel::Application> application_;
    const MachineCode code_;
    const std::function<t800_core::CoreSettings(vocabulary::NodeId)> settings_;
    ProgramReport& report_;
    std::map<vocabulary::NodeId, std::unique_ptr<Worker>> workers_;
};

}  // namespace farm_programs
