// The commands one by one. Each takes its words apart in its constructor, and throws vocabulary::RequestError for wrong ones.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <trollius_commands/command.hpp>

namespace trollius_commands {

using Words = std::vector<std::string>;

inline constexpr const char* state_usage = "state [-g] [-t] [-l] [NODES] [PROCESSES]";
inline constexpr const char* doom_usage = "doom [-SIGNAL] NODES [PROCESSES]";
inline constexpr const char* tping_usage = "tping [-v] [-c ROUNDS] [-d SECONDS] [-l BYTES] NODES";
inline constexpr const char* bfstate_usage = "bfstate [-g] [-l] [-p] [-B LINES] [NODES]";
inline constexpr const char* buffer_usage = "buffer [-R] [-e EVENT] [-s BYTES] [-u BYTES] NODES";
inline constexpr const char* sweep_usage = "sweep NODES";
inline constexpr const char* mstate_usage = "mstate [NODES]";
inline constexpr const char* fstate_usage = "fstate [-a] [-F LINES] NODES";
inline constexpr const char* tfile_usage = "tfile [-S] [-s DESCRIPTOR] NODES [DIRECTORY]";
inline constexpr const char* cast_usage = "cast NODES";
inline constexpr const char* cstate_usage = "cstate [NODES]";
inline constexpr const char* loadgo_usage = "loadgo [-v] [-w] NODES PROGRAM... [-- ARGUMENTS]";

std::unique_ptr<Command> make_state(const Words& words, const Site& site);
std::unique_ptr<Command> make_doom(const Words& words, const Site& site);
std::unique_ptr<Command> make_tping(const Words& words, const Site& site);
std::unique_ptr<Command> make_bfstate(const Words& words, const Site& site);
std::unique_ptr<Command> make_buffer(const Words& words, const Site& site);
std::unique_ptr<Command> make_sweep(const Words& words, const Site& site);
std::unique_ptr<Command> make_mstate(const Words& words, const Site& site);
std::unique_ptr<Command> make_fstate(const Words& words, const Site& site);
std::unique_ptr<Command> make_tfile(const Words& words, const Site& site);
std::unique_ptr<Command> make_cast(const Words& words, const Site& site);
std::unique_ptr<Command> make_cstate(const Words& words, const Site& site);
std::unique_ptr<Command> make_loadgo(const Words& words, const Site& site);

// A command whose steps are its nodes, one after the other.
class NodesCommand : public Command {
public:
    std::size_t steps() const override { return nodes_.size(); }
    NodeId asks(std::size_t step) const override { return nodes_[step]; }

protected:
    std::vector<NodeId> nodes_;
};

}  // namespace trollius_commands
