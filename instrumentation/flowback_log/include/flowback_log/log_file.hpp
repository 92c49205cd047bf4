// LogFile: a log on the host's disk. Its chunks may come in any order, as messages do; they are written in that of their
// numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <flowback_log/format.hpp>

namespace flowback_log {

// A chunk as it is stored: bytes of content, ending, checksum, content.
std::vector<std::byte> make_chunk(std::uint64_t number, Ending ending, std::span<const std::byte> content);

class LogFile {
public:
    // Throws vocabulary::HostError when it cannot be made.
    explicit LogFile(const std::string& path);
    ~LogFile();
    LogFile(const LogFile&) = delete;
    LogFile& operator=(const LogFile&) = delete;

    // The chunk with this number, from 0. It waits for those before it. A second one with a number is left out.
    void put(std::uint64_t number, std::vector<std::byte> chunk);
    // Chunks wait for one that has not come.
    bool has_gap() const { return !early_.empty(); }
    // No more chunks come, and the log is not whole.
    void end(Ending why);

private:
    void write(const std::vector<std::byte>& chunk);

    std::FILE* file_;
    std::uint64_t next_ = 0;
    std::map<std::uint64_t, std::vector<std::byte>> early_;
};

}  // namespace flowback_log
