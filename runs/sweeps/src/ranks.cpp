#include <sweeps/ranks.hpp>

#include <poll.h>
#include <spawn.h>
#include <unistd.h>

#include <cstring>

#include <forks/child_process.hpp>
#include <vocabulary/errors.hpp>

extern char** environ;

namespace sweeps {
namespace {

using vocabulary::HostError;

constexpr std::uint32_t finish = UINT32_MAX;  // magicwire_mpi.cpp
constexpr int socket_there = 3;

std::string frame(std::uint32_t rank, const std::string& text) {
    const std::uint32_t head[2] = {rank, static_cast<std::uint32_t>(text.size())};
    return std::string(reinterpret_cast<const char*>(head), sizeof head) + text;
}

}  // namespace

Ranks::Ranks(const std::string& bridge) {
    if (access(bridge.c_str(), X_OK) != 0)
        throw HostError("--engine mpi needs the program '" + bridge +
                        "', which this build does not have; install libopenmpi-dev ('scripts/setup tests'), run cmake and "
                        "build again, or take "
                        "--engine local or slurm");
    auto [mine, its] = forks::make_channel();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, its.handle(), socket_there);
    std::string name = bridge, argument = std::to_string(socket_there);
    char* const words[] = {name.data(), argument.data(), nullptr};
    const int failed = posix_spawn(&process_, bridge.c_str(), &actions, nullptr, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) throw HostError(bridge + " cannot be started: " + std::strerror(failed));
    its.close();
    channel_ = std::move(mine);
    const auto first = receive(-1);
    rank_ = first->first;
    size_ = static_cast<std::size_t>(std::stoul(first->second));
}

Ranks::~Ranks() {
    channel_.close();
    if (process_ > 0) forks::wait_for_child(process_);
}

void Ranks::leave() {
    if (!channel_.send_bytes(frame(finish, {}))) throw HostError("magicwire-mpi has died; give the same command again");
    const int status = forks::wait_for_child(std::exchange(process_, -1));
    channel_.close();
    if (status != 0) throw HostError("magicwire-mpi ended with " + forks::how_it_ended(status));
}

void Ranks::send(std::size_t to, const std::string& text) {
    if (!channel_.send_bytes(frame(static_cast<std::uint32_t>(to), text)))
        throw HostError("magicwire-mpi has died; give the same command again");
}

std::optional<std::pair<std::size_t, std::string>> Ranks::take() {
    std::uint32_t head[2];
    if (received_.size() < sizeof head) return std::nullopt;
    std::memcpy(head, received_.data(), sizeof head);
    if (received_.size() < sizeof head + head[1]) return std::nullopt;
    std::pair<std::size_t, std::string> text(head[0], received_.substr(sizeof head, head[1]));
    received_.erase(0, sizeof head + head[1]);
    return text;
}

std::optional<std::pair<std::size_t, std::string>> Ranks::receive(int most_ms) {
    for (;;) {
        if (auto text = take()) return text;
        pollfd ready{channel_.handle(), POLLIN, 0};
        const int there = poll(&ready, 1, most_ms);
        if (there <= 0 && most_ms >= 0) return std::nullopt;
        if (there > 0 && !channel_.receive_some(received_))
            throw HostError("magicwire-mpi cannot join the MPI job, or has died; was it started with 'mpirun -np N'?");
    }
}

}  // namespace sweeps
