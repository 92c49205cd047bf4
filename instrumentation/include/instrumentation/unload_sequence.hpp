// The static list of unload commands of a node in Tmon-de (thesis, section 5.3.3), lines `<Time> <LowerBound> <UpperBound>`.
// More than UpperBound records: unload at once. More than LowerBound, and processor and links idle: unload. A line is in force
// until the node's clock reaches Time (microseconds since its monitoring began); the last line stays in force. Bounds above the
// room of both buffers are cut to it. An upper bound of that size unloads nothing before the end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <vocabulary/source_position.hpp>

namespace instrumentation {

struct UnloadCommand {
    std::uint64_t until_us = 0;
    std::uint32_t lower = 0, upper = 0;
    vocabulary::SourcePosition where;  // for messages
};

class UnloadSequence {
public:
    // Throws vocabulary::InputError when times do not rise or a lower bound exceeds its upper one.
    explicit UnloadSequence(std::vector<UnloadCommand> commands);
    // Text form: three whole numbers a line, '#' comments and blank lines.
    static UnloadSequence parse(const std::string& text, const std::string& file_name);
    static UnloadSequence read(const std::string& path);

    const UnloadCommand& at(std::uint64_t clock_us) const;
    const std::vector<UnloadCommand>& commands() const { return commands_; }

private:
    std::vector<UnloadCommand> commands_;
};

}  // namespace instrumentation
