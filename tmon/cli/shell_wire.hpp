// ShellWire: between the process of `magicwire shell` that reads commands and the one in which the machine runs. The second is
// forked and thrown away as snapshots are taken and gone back to; the first knows nothing of that, so its input is read once
// and its line numbers and history go on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <tmon_session/channel.hpp>

namespace tmon_cli {

// What came of a command.
struct ShellAnswer {
    bool ok = true;
    bool over = false;   // the session is: no more commands
    std::string text{};  // what it prints, or why it failed
    std::string data{};  // the same as JSON, for commands that have it; else empty
    std::int64_t now_ps = 0;
};

class ShellWire {
public:
    ShellWire();  // throws std::runtime_error when the host has no channel left
    // Each side once, after fork().
    void be_reader() { machine_.close(); }
    void be_machine() { reader_.close(); }

    // By the reader. Empty: every process of the machine's side is gone.
    std::optional<ShellAnswer> ask(const std::string& command);
    std::optional<ShellAnswer> receive();  // an answer to nothing: the machine is ready, or not
    // By the machine's side. next(): empty when the reader is gone; answer() ends the process then.
    std::optional<std::string> next() { return machine_.receive(); }
    void answer(const ShellAnswer& answer);

private:
    tmon_session::ChannelEnd reader_, machine_;
};

}  // namespace tmon_cli
