// The bugs that can be planted in a task: the classification of Lin 1993, section 3.4.1, as kinds. It gives the meaning of each
// kind at each of the user's five processes, and a type for one planted bug. One table drives the .dat files, the bug lists
// (docs/formats/bug_list.md), `magicwire bugs` and the oracle.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <trek_kernel/application.hpp>
#include <vocabulary/source_position.hpp>

namespace trek_kernel {

// The value is the bug id of a .dat file.
enum class Bug : std::uint8_t {
    None,
    EarlyEnd,
    NeverSent,
    EndlessLoop,
    NodeCrash,
    OutOfMemory,
    Duplicated,
    Unexpected,
    WrongOrder,
    WrongIdentity,
    WrongSize,
    NeverStarted,
    WaitsForEver,
    Slow,
    WrongResult,
    WildWrite
};
inline constexpr int last_bug_by_application = 5;  // kinds up to here strike inside the simulated application's own blocks

enum class BugClass : std::uint8_t { None, Messages, Parallelism, Inside };  // the three of section 3.4.1
const char* class_name(BugClass of);  // "in message passing", "in expressing parallelism", "inside a process"

struct BugInfo {
    Bug bug = Bug::None;
    const char* name = "";
    BugClass of = BugClass::None;
    const char* effect = "";
    std::array<const char*, 5> at{};  // index: UserProcess; meaning at the process; nullptr: impossible there
    const char* key = nullptr;        // its parameter; nullptr: none
    bool key_required = false;
    const char* key_values = "";
    const char* seen = "";     // its symptoms for an observer of messages only
    const char* example = "";  // an entry of a bug list

    int id() const { return static_cast<int>(bug); }
    bool possible(UserProcess process) const { return at[static_cast<std::size_t>(process)] != nullptr; }
    bool of_a_task() const { return bug != Bug::NeverStarted; }  // else it concerns a process of a node
    bool in_dat_file() const { return of_a_task() && !key_required; }
};
std::span<const BugInfo> bug_kinds();  // index: id
const BugInfo& info_of(Bug bug);
bool ends_process(Bug bug);  // true when the bug ends the process it strikes

inline constexpr std::array<UserProcess, 5> user_processes = {UserProcess::Generate, UserProcess::Compute, UserProcess::Split,
                                                              UserProcess::Join, UserProcess::PostProcess};
const char* word_of(UserProcess process);  // name in files: "generate", "compute", "split", "join", "post-process"

struct TaskRange {
    std::uint32_t first = 0, last = 0;
    bool has(std::uint32_t task) const { return first <= task && task <= last; }
};

// One entry of a bug list, or the bug of one block of a .dat line.
struct PlannedBug {
    Bug bug = Bug::None;
    std::vector<TaskRange> tasks;          // empty: any
    std::optional<std::uint32_t> subtask;  // empty: any
    UserProcess process = UserProcess::Compute;
    std::optional<vocabulary::NodeId> node;   // empty: any
    std::optional<std::uint32_t> occurrence;  // only this time, from 1; empty: every time
    std::optional<double> probability;        // probability at each occurrence; empty: 1
    double factor = 1;                        // Slow
    std::optional<std::uint32_t> bytes;       // WrongSize, WrongResult, WildWrite
    std::optional<std::uint32_t> identity;    // WrongIdentity, Unexpected
    bool of_dat_file = false;
    vocabulary::SourcePosition where;

    bool selects(vocabulary::NodeId on, UserProcess in, const TaskIdentity& what) const;
};
// "slow by 3 in join of tasks 10-19 on n5, with probability 0.5"
std::string bug_text(const PlannedBug& bug);

}  // namespace trek_kernel
