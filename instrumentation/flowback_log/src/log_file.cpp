#include <flowback_log/log_file.hpp>

#include <xxhash.h>

#include <cstring>
#include <utility>

#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

namespace flowback_log {

// All numbers are little-endian.
std::vector<std::byte> make_chunk(std::uint64_t number, Ending ending, std::span<const std::byte> content) {
    const auto size = static_cast<std::uint32_t>(content.size());
    const auto flag = static_cast<std::uint32_t>(ending);
    const std::uint64_t sum = XXH64(content.data(), content.size(), chunk_seed(number, flag));
    std::vector<std::byte> chunk(chunk_head + content.size());
    std::memcpy(chunk.data(), &size, sizeof size);
    std::memcpy(chunk.data() + sizeof size, &flag, sizeof flag);
    std::memcpy(chunk.data() + sizeof size + sizeof flag, &sum, sizeof sum);
    if (!content.empty()) std::memcpy(chunk.data() + chunk_head, content.data(), content.size());
    return chunk;
}

LogFile::LogFile(const std::string& path) : file_(std::fopen(path.c_str(), "wb")) {
    if (file_ == nullptr) throw vocabulary::HostError({path, 0, 0}, "cannot be written; is the disk full?");
    std::fwrite(magic, 1, sizeof magic, file_);
}

LogFile::~LogFile() {
    std::fclose(file_);
}

void LogFile::write(const std::vector<std::byte>& chunk) {
    std::fwrite(chunk.data(), 1, chunk.size(), file_);
    ++next_;
}

void LogFile::put(std::uint64_t number, std::vector<std::byte> chunk) {
    if (number < next_) return;
    if (number > next_) {
        early_.emplace(number, std::move(chunk));
        return;
    }
    write(chunk);
    for (auto first = early_.begin(); first != early_.end() && first->first == next_; first = early_.erase(first))
        write(first->second);
}

void LogFile::end(Ending why) {
    early_.clear();
    write(make_chunk(next_, why, {}));
}

}  // namespace flowback_log
