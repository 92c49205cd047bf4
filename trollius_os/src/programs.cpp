#include <trollius_os/programs.hpp>

namespace trollius_os {
namespace {

ProcessCode code_of(std::function<void(Api&, std::int32_t)> entry, std::int32_t argument) {
    return [entry = std::move(entry), argument](Api& api) { entry(api, argument); };
}
ProcessCode code_of(std::function<Task<>(Calls&, std::int32_t)> entry, std::int32_t argument) {
    return [entry = std::move(entry), argument](Calls& calls) { return entry(calls, argument); };
}

}  // namespace

ProcessCode Program::code(std::int32_t argument) const {
    return std::visit([argument](const auto& its) { return code_of(its, argument); }, entry);
}

}  // namespace trollius_os
