// LeftText: text that a process of the shell leaves for its snapshot. Going back ends the process, so the text lies in memory
// that both share.
#pragma once

#include <string>

namespace cli {

class LeftText {
public:
    static constexpr std::size_t most_bytes = 64 << 20;  // the host gives what is used

    LeftText();  // throws vocabulary::HostError when the host has no memory
    ~LeftText();
    LeftText(const LeftText&) = delete;
    LeftText& operator=(const LeftText&) = delete;

    void leave(const std::string& line);  // throws vocabulary::RequestError when it has more than most_bytes
    std::string take();                   // empty: none; it is gone then
    std::string read() const;             // likewise, and it stays

private:
    struct Place;
    Place* place_;
};

}  // namespace cli
