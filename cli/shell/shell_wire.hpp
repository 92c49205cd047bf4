// ShellWire: between the process of `magicwire shell` that reads commands and the one in which the machine runs. The second is
// forked for snapshots, and thrown away on going back to one. The first knows nothing of that: its input is read once, and its
// line numbers and history go on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <forks/channel.hpp>
#include <vocabulary/errors.hpp>

namespace cli {

// The answer to a command.
struct ShellAnswer {
    bool ok = true;
    bool over = false;   // the session is over: no more commands
    std::string text{};  // what it prints, or why it failed
    std::string data{};  // the same as JSON, for commands that have it; else empty
    std::int64_t now_ps = 0;
    vocabulary::ErrorKind kind = vocabulary::ErrorKind::Request;  // of a failure
};

class ShellWire {
public:
    ShellWire();  // throws vocabulary::HostError when the host has no channel left
    // Each side once, after fork().
    void be_reader() { machine_.close(); }
    void be_machine() { reader_.close(); }

    // For the reader. Empty: every process of the machine's side is gone.
    std::optional<ShellAnswer> ask(const std::string& command);
    std::optional<ShellAnswer> receive();  // an answer to nothing: the machine is ready, or not
    // For the machine's side. next(): empty when the reader is gone; answer() ends the process then.
    std::optional<std::string> next() { return machine_.receive(); }
    void answer(const ShellAnswer& answer);

private:
    forks::ChannelEnd reader_, machine_;
};

}  // namespace cli
