// ZeroedArea: the part of a module's globals that its file does not fill. Static arrays can be large, and most of one may never
// be touched. So only pages that hold something are kept and copied, and the others take no memory of the host.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace user_programs {

class ZeroedArea {
public:
    using Pages = std::vector<std::pair<std::size_t, std::vector<std::byte>>>;  // offset and content, ascending

    ZeroedArea() = default;
    // Private memory of no file, which the kernel has filled with zeros. `begin` is the beginning of a page.
    ZeroedArea(std::byte* begin, std::size_t bytes) : begin_(begin), bytes_(bytes) {}
    std::size_t bytes() const { return bytes_; }

    // Cost: 8 bytes a page are read from the kernel, and all bytes of the pages that were touched.
    Pages content() const;
    // Gives the pages that were touched back to the kernel, and then writes these.
    void put(const Pages& pages) const;

private:
    std::vector<bool> touched() const;
    std::byte* begin_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace user_programs
