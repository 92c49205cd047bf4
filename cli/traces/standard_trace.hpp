// A trace on standard input. A sort reads a trace more than once, so it is copied to an unnamed file first.
#pragma once

#include <string>

namespace cli {

class StandardTrace {
public:
    // Copies all of standard input to a file in the folder TMPDIR, or else /tmp. The file disappears with the process. Throws
    // vocabulary::HostError when the host has no room, and vocabulary::InputError when nothing comes. An interrupt ends the
    // copy.
    StandardTrace();
    ~StandardTrace();
    StandardTrace(const StandardTrace&) = delete;
    StandardTrace& operator=(const StandardTrace&) = delete;

    const std::string& path() const { return path_; }  // under which this process can open it

private:
    void copy();
    int file_ = -1;
    std::string path_;
};

}  // namespace cli
