#include <trollius_os/programs.hpp>
#include <trollius_os/services/rfiles.hpp>

namespace trollius_os {
namespace {

ProcessCode code_of(std::function<void(Api&, const Arguments&)> entry, Arguments arguments) {
    return [entry = std::move(entry), arguments = std::move(arguments)](Api& api) {
        entry(api, arguments);
        rfclose_all(api);
    };
}
ProcessCode code_of(std::function<Task<>(Calls&, const Arguments&)> entry, Arguments arguments) {
    return [entry = std::move(entry), arguments = std::move(arguments)](Calls& calls) { return entry(calls, arguments); };
}

}  // namespace

ProcessCode Program::code(Arguments arguments) const {
    return std::visit([&](const auto& its) { return code_of(its, std::move(arguments)); }, entry);
}

}  // namespace trollius_os
