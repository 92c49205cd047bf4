#include "program_session.hpp"

#include <algorithm>
#include <memory>

namespace session {

void serve_program(trollius_hosted::Multicomputer& machine, const scenario::Scenario& scenario, SessionResult& result) {
    trollius_os::NodeServices& services = machine.host_services();
    services.save = [&result](const std::string& name, std::vector<std::byte> content) {
        result.program.save(name, std::move(content));
    };
    services.read = [&scenario, at = std::size_t{0}](std::span<std::byte> room) mutable {
        const std::string& input = scenario.program_settings.input;
        const std::size_t count = std::min(room.size(), input.size() - at);
        std::transform(input.begin() + static_cast<std::ptrdiff_t>(at), input.begin() + static_cast<std::ptrdiff_t>(at + count),
                       room.begin(), [](char c) { return static_cast<std::byte>(c); });
        at += count;
        return count;
    };
}

}  // namespace session
