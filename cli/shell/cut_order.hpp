// CutOrder: a line that a process of the shell leaves for its snapshot. Going back ends the process, so the line lies in memory
// that both share.
#pragma once

#include <string>

namespace cli {

class CutOrder {
public:
    static constexpr std::size_t most_bytes = 64 << 20;  // the host gives what is used

    CutOrder();  // throws vocabulary::HostError when the host has no memory
    ~CutOrder();
    CutOrder(const CutOrder&) = delete;
    CutOrder& operator=(const CutOrder&) = delete;

    void leave(const std::string& line);  // throws vocabulary::RequestError when it has more than most_bytes
    std::string take();                   // empty: none

private:
    struct Place;
    Place* place_;
};

}  // namespace cli
