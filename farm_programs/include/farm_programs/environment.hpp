// Environment: the receiver of a farm program's calls. It is a process of the modelled machine (program_application.hpp); tests
// use a simpler one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <trek_kernel/application.hpp>
#include <user_programs/environment.hpp>

namespace farm_programs {

class Environment : public user_programs::Environment {
public:
    // For data_generator and result_receiver.
    virtual void do_task(std::span<const std::byte> task, std::int32_t priority) = 0;
    virtual trek_kernel::Bytes get_result(trek_kernel::TaskIdentity& whose) = 0;
    virtual std::uint32_t total_tasks() const = 0;

    virtual void save(const std::string& name, trek_kernel::Bytes content) = 0;

    // Calls to the node's monitor; without one nothing happens. False: `classes` has an unknown name.
    virtual void user_event(std::uint32_t number, std::uint64_t value) = 0;
    virtual bool switch_event_classes(const std::string& classes, bool on) = 0;

protected:
    ~Environment() = default;
};

}  // namespace farm_programs
