#include "processor_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "quantity.hpp"

namespace topologies {
namespace {

struct ProcessorType {
    const char* name;
    std::int64_t clock_hz;
};
// Grades of the T800 data sheet. ProcSpeedSelect multiplies the clock of 5 MHz.
constexpr std::array<ProcessorType, 4> types{
    {{"T800-17", 17'500'000}, {"T800-20", 20'000'000}, {"T800-25", 25'000'000}, {"T800-30", 30'000'000}}};

}  // namespace

std::int64_t clock_of_type(const YamlValue& type, std::optional<std::int64_t> clock_hz) {
    const std::string name = type.text();
    const auto found = std::find_if(types.begin(), types.end(), [&name](const ProcessorType& one) { return one.name == name; });
    if (found == types.end()) {
        type.fail(
            fmt::format("the model has no processor '{}', only T800s; write T800-17, T800-20, T800-25 or T800-30. A T414 "
                        "or T425 has no floating-point unit, a T414 links that answer later",
                        name));
    }
    if (clock_hz && *clock_hz != found->clock_hz) {
        type.fail(fmt::format("a {} runs at {}, but 'clock' is {}; leave out one of the two", name,
                              frequency_text(found->clock_hz), frequency_text(*clock_hz)));
    }
    return found->clock_hz;
}

}  // namespace topologies
