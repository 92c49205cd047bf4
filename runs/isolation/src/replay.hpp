// Replay: the processes of a farm's program, each with the calls that the records show, as far as another call needs them.
// Private.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <isolation/isolation.hpp>

#include "quiet_environment.hpp"

namespace isolation {

using farm_programs::FarmProcess;
using tmon_stories::Act;
using tmon_stories::ActKind;

// A call and how it ended.
struct Done {
    End end = End::Returned;
    std::vector<Bytes> made;
};

class Replay {
public:
    // All of it must outlive this object.
    Replay(const tmon_stories::FarmActs& acts, const tmon_stories::Stories& stories, farm_programs::FarmProgram& program,
           const Request& request);

    // The messages that a worker's function is given. Throws vocabulary::RequestError when a function on the way to it does not
    // make it.
    std::vector<Bytes> input(ActKind kind, std::uint16_t worker, const Act& act);
    Bytes task(std::uint32_t number);  // as data_generator() makes it; throws likewise
    // The result that a worker gives for a part; throws likewise.
    Bytes result(std::uint16_t worker, const Act& act);

    // The process that runs this function, with its earlier calls done; `earlier` gets them. `fresh`: without them.
    FarmProcess& worker_process(ActKind kind, std::uint16_t worker, const Act& act, bool fresh, std::vector<Act>& earlier);
    // A process of the manager, as init_master() leaves it.
    FarmProcess& manager_process();

    // Runs the function on its input.
    Done call(FarmProcess& process, ActKind kind, const Act& act, const std::vector<Bytes>& input, Noted& noted);
    Done generate(FarmProcess& process, std::uint32_t last, Noted& noted);
    Done receive(FarmProcess& process, const std::vector<std::pair<std::uint32_t, Bytes>>& results,
                 std::optional<std::uint32_t> last, std::size_t& taken, Noted& noted);

    // The doubts of all calls so far.
    const std::set<std::string>& doubts() const { return doubts_; }
    void note(const Noted& noted, const std::string& function);

private:
    struct Seat {
        FarmProcess* process = nullptr;
        std::map<Act, Done> done;
    };
    const farm_spec::FarmSpec& spec() const { return stories_.spec(); }
    const farm_spec::FarmTree& tree() const { return stories_.analysis().graphs.tree(); }
    Seat& seat(ActKind kind, std::uint16_t worker);
    const Done& done(ActKind kind, std::uint16_t worker, const Act& act);
    void do_earlier(ActKind kind, std::uint16_t worker, const Act& act, std::vector<Act>* list);
    const Done& do_one(Seat& seat, ActKind kind, std::uint16_t worker, const Act& act);
    const Bytes& only(const Done& done, const std::string& what);
    Bytes part(std::uint16_t worker, const Act& act);
    QuietEnvironment environment(std::uint16_t node, farm_programs::Function function, Noted& noted);
    template <class Run>
    End end_of(const Run& run);

    const tmon_stories::FarmActs& acts_;
    const tmon_stories::Stories& stories_;
    farm_programs::FarmProgram& program_;
    const Request& request_;
    std::string unread_;
    std::map<std::pair<std::uint16_t, farm_programs::Function>, ReadingsOfProcess> readings_;
    std::map<std::pair<std::uint16_t, ActKind>, Seat> seats_;
    FarmProcess* init_ = nullptr;
    std::optional<Done> tasks_;
    std::string why_no_more_tasks_;
    std::set<std::string> doubts_;
};

const char* function_of(ActKind kind);                                  // "comp_fn()" ...
std::string act_text(const Act& act, const farm_spec::FarmSpec& spec);  // "task 3", "part 0010 of task 3"

}  // namespace isolation
