// TypedApplication: an application whose messages have the sizes of the types that its specification names. A message of
// another size is reported and sent unchanged.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <farm_programs/program_application.hpp>
#include <trek_kernel/application.hpp>

namespace farm_programs {

struct MessageType {
    std::string key, name;  // "task_type", "struct task"
    std::size_t bytes = 0;
};

class TypedApplication final : public trek_kernel::Application {
public:
    // `report` must outlive it.
    TypedApplication(std::unique_ptr<trek_kernel::Application> application, std::optional<MessageType> task,
                     std::optional<MessageType> result, ProgramReport& report);

    void init_master(trek_kernel::Master& master) override { application_->init_master(master); }
    void data_generator(trek_kernel::Master& master) override;
    void result_receiver(trek_kernel::Master& master) override { application_->result_receiver(master); }
    trek_kernel::Bytes compute(trek_kernel::Context& context, std::span<const std::byte> task) override;
    std::vector<trek_kernel::Bytes> split(trek_kernel::Context& context, std::span<const std::byte> task,
                                          std::size_t degree) override;
    trek_kernel::Bytes join(trek_kernel::Context& context, const std::vector<trek_kernel::Bytes>& results) override;
    bool starts(vocabulary::NodeId node, trek_kernel::UserProcess process) override {
        return application_->starts(node, process);
    }

private:
    class Checked;
    void check(const std::optional<MessageType>& type, std::size_t bytes, Function function, const char* call,
               vocabulary::NodeId node, trek_kernel::TaskIdentity task);

    std::unique_ptr<trek_kernel::Application> application_;
    std::optional<MessageType> task_, result_;
    ProgramReport& report_;
};

}  // namespace farm_programs
