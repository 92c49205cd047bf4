// Log: a stored log, as far as it is whole. A damaged or missing chunk ends it: nothing behind it is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <flowback_log/format.hpp>

namespace flowback_log {

class Log {
public:
    // Throws std::runtime_error when there is no such file, or it is none of these.
    static Log read(const std::string& path);

    bool whole() const { return whole_; }
    // Why it is not: "chunk 3 is damaged", "it ends without its last chunk".
    const std::string& problem() const { return problem_; }
    std::uint64_t size() const { return entries_.size(); }
    std::uint64_t file_bytes() const { return file_bytes_; }

    // The entry at `offset`, which becomes the next one's. Empty: the log ends there, or what follows is no entry.
    std::optional<Entry> next(std::uint64_t& offset) const;

private:
    std::vector<std::byte> entries_;
    std::uint64_t file_bytes_ = 0;
    bool whole_ = false;
    std::string problem_;
};

}  // namespace flowback_log
