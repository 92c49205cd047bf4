// ShellWire: connects the process of `magicwire shell` that reads commands with the process that runs the machine. The
// machine's process is forked for snapshots, and discarded on going back to one. The reader is unaffected: its input is read
// once, and its line numbers and history go on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <forks/channel.hpp>
#include <vocabulary/errors.hpp>

namespace cli {

inline constexpr const char* interrupted_text = "stopped by Ctrl-C";

// The answer to a command.
struct ShellAnswer {
    bool ok = true;
    bool over = false;   // the session is over: no more commands
    std::string text{};  // printed text, or reason of the failure
    std::string data{};  // the same as JSON, if the command has JSON; else empty
    std::string asks{};  // `text` is a plan, and nothing is done yet: the command that does it; else empty
    std::int64_t now_ps = 0;
    vocabulary::ErrorKind kind = vocabulary::ErrorKind::Request;  // of a failure
};

class ShellWire {
public:
    ShellWire();  // throws vocabulary::HostError when the host has no channel left
    // Each side calls one of these once, after fork().
    void be_reader() { machine_.close(); }
    void be_machine() { reader_.close(); }

    // For the reader. Empty: every process of the machine's side has ended.
    std::optional<ShellAnswer> ask(const std::string& command);
    std::optional<ShellAnswer> receive();  // the first answer: the machine is ready, or failed
    // For the machine's side. next(): empty when the reader has ended; answer() then ends the process.
    std::optional<std::string> next() { return machine_.receive(); }
    void answer(const ShellAnswer& answer);

private:
    forks::ChannelEnd reader_, machine_;
};

}  // namespace cli
