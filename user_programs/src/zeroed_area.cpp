#include "zeroed_area.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace user_programs {
namespace {

constexpr std::size_t page = 4096;

bool is_zero(const std::byte* from, std::size_t bytes) {
    return std::all_of(from, from + bytes, [](std::byte b) { return b == std::byte{}; });
}

}  // namespace

// Linux: a word of /proc/self/pagemap has bit 63 for a page in memory, and bit 62 for one that is swapped out.
std::vector<bool> ZeroedArea::touched() const {
    const std::size_t pages = (bytes_ + page - 1) / page;
    std::vector<bool> result(pages, true);
    const int file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (file < 0) return result;
    std::vector<std::uint64_t> words(pages);
    const auto first = reinterpret_cast<std::uintptr_t>(begin_) / page;
    const std::size_t wanted = pages * sizeof words[0];
    const bool whole =
        pread(file, words.data(), wanted, static_cast<off_t>(first * sizeof words[0])) == static_cast<ssize_t>(wanted);
    close(file);
    constexpr int lowest_bit = 62;
    for (std::size_t i = 0; whole && i < pages; ++i) result[i] = words[i] >> lowest_bit != 0;
    return result;
}

ZeroedArea::Pages ZeroedArea::content() const {
    Pages pages;
    if (bytes_ == 0) return pages;
    const std::vector<bool> there = touched();
    for (std::size_t i = 0; i < there.size(); ++i) {
        const std::byte* from = begin_ + i * page;
        const std::size_t bytes = std::min(page, bytes_ - i * page);
        if (there[i] && !is_zero(from, bytes)) pages.emplace_back(i * page, std::vector<std::byte>(from, from + bytes));
    }
    return pages;
}

void ZeroedArea::put(const Pages& pages) const {
    if (bytes_ == 0) return;
    if (madvise(begin_, bytes_, MADV_DONTNEED) != 0) std::memset(begin_, 0, bytes_);
    for (const auto& [at, content] : pages) std::memcpy(begin_ + at, content.data(), content.size());
}

}  // namespace user_programs
