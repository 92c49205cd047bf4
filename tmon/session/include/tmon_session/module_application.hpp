// ModuleApplication: a farm program in C, built as a loadable module against trek_kernel/trek.h. Each process has its own copy
// of the program's globals: the module's writable data is saved and put back whenever another process' turn comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <trek_kernel/application.hpp>

namespace tmon_session {

class ModuleApplication final : public trek_kernel::Application {
public:
    // Throws std::runtime_error when the module cannot be loaded or lacks a function; says which.
    explicit ModuleApplication(const std::string& path);
    ~ModuleApplication() override;

    void init_master(trek_kernel::Master& master) override;
    void data_generator(trek_kernel::Master& master) override;
    void result_receiver(trek_kernel::Master& master) override;
    trek_kernel::Bytes compute(trek_kernel::Context& context, std::span<const std::byte> task) override;
    std::function<void()> globals_of(vocabulary::NodeId node, std::optional<trek_kernel::UserProcess> process) override;

private:
    struct Globals;
    void activate(Globals& globals);

    struct Module;
    std::unique_ptr<Module> module_;
};

// Path of the program NAME among those built with Magicwire, beside the running executable; throws std::runtime_error with the
// names there are when there is none of that name.
std::string find_program(const std::string& name);

}  // namespace tmon_session
