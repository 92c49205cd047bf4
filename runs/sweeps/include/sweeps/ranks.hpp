// The ranks of an MPI job, and texts between them. A program of its own, magicwire-mpi, talks to MPI; this process starts it
// and may fork as it likes.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <forks/channel.hpp>

namespace sweeps {

class Ranks {
public:
    // Joins the job that `mpirun` started this process for; without mpirun it is a job of one rank. `bridge`: path of
    // magicwire-mpi. Throws vocabulary::HostError when it is not there or cannot join.
    explicit Ranks(const std::string& bridge);
    ~Ranks();  // without leave(): ends the job, as a crash does
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;

    std::size_t rank() const { return rank_; }
    std::size_t size() const { return size_; }
    // Texts from one rank come in the order in which it sent them. Both throw vocabulary::HostError when the bridge has died.
    void send(std::size_t to, const std::string& text);
    std::optional<std::pair<std::size_t, std::string>> receive(int most_ms);  // empty: none has come; -1: waits
    int handle() const { return channel_.handle(); }
    void leave();  // each rank calls it, and the last one ends the job

private:
    std::optional<std::pair<std::size_t, std::string>> take();

    pid_t process_ = -1;
    forks::ChannelEnd channel_;
    std::string received_;
    std::size_t rank_ = 0, size_ = 1;
};

}  // namespace sweeps
