// The time of the host that a command may take: the alarm (alarm(2)) of this process.
#pragma once

#include <unistd.h>

#include <chrono>

namespace sweeps {

// The alarm does not end this process while it waits, which would leave the command behind; it is set again afterwards.
class HostTime {
public:
    HostTime() : seconds_(alarm(0)), began_(Clock::now()) {}
    HostTime(const HostTime&) = delete;
    HostTime& operator=(const HostTime&) = delete;
    ~HostTime() {
        const auto used = static_cast<unsigned>(spent());
        if (seconds_ > 0) alarm(seconds_ > used ? seconds_ - used : 1);
    }
    bool is_over() const { return seconds_ > 0 && spent() >= seconds_; }
    unsigned seconds() const { return seconds_; }

private:
    using Clock = std::chrono::steady_clock;
    double spent() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }
    unsigned seconds_;  // 0: no limit
    Clock::time_point began_;
};

}  // namespace sweeps
