// Names and values as the program's author writes them: "result.member[3]", "42", "0.5".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <tmon_flowback/recorded_run.hpp>

namespace tmon_flowback {

// Bytes of a type; long ones are cut, and say so.
std::string value_text(const PreparedProgram& program, std::span<const std::byte> bytes, int type);
// The same without a type: by the kind of value that the code handles.
std::string value_text(std::span<const std::byte> bytes, ValueKind kind);

// The name of a variable that the compiler made, of a condition.
inline constexpr const char* compilers_variable = "(condition)";

// A place in memory, and the type that its owner gives it; 0: none known.
struct Named {
    std::string name;
    int type = 0;
    std::uint64_t begin = 0, bytes = 0;  // the object that the name stands for
};
// The object at an address before an event: a variable of an active frame, a global, or a part of one. Others are shown by
// address.
Named name_of(RecordedRun& run, const EventId& before, std::uint64_t address, std::uint64_t bytes);

// The part of an object that covers [offset, offset + bytes) most closely: ".x0", "[3]".
Named part_of(const PreparedProgram& program, int type, std::uint64_t offset, std::uint64_t bytes);

}  // namespace tmon_flowback
