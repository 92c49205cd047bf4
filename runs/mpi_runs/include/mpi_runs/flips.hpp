// Flips: the run of a record again, with one or several receives that take the message of another rank. The machine is
// deterministic, so each run is the recorded one up to the first such receive, and begins there as a fork of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <mpi_runs/mpi_run.hpp>
#include <tmon_replay/delivery_order.hpp>

namespace mpi_runs {

// A run in a process of its own.
struct Summary {
    End end = End::Ended;
    int status = 0;
    std::int64_t ended_us = 0;
    std::string output;                // the lines that all ranks print, sorted
    tmon_replay::DeliveryOrder order;  // of this run
    std::vector<Choice> matches;       // of all receives and blocking probes of any source, sorted
    std::vector<Choice> unmet;         // choices whose message never came
    std::vector<std::size_t> waiting;  // ranks, at a standstill
    std::string failure;               // why it could not be run; empty: it was
};

// From the worst on. Impossible: the other message never comes, and the run waits for ever: a false race. Unknown: it had not
// come when the modelled time was up.
enum class Effect : std::uint8_t { Deadlock, Abort, Output, Time, Nothing, Impossible, Unknown };
Effect effect_of(const Summary& run, const Summary& base);

struct Flip {
    std::size_t rank = 0;
    std::int32_t receive = 0;
    std::int32_t source = 0, other = 0;  // that came, and that shall come
};
// By rank, receive and other rank.
std::vector<Flip> flips_of(const tmon_replay::DeliveryOrder& order);

// Forked: one run, and a fork of it before the receive of each flip. Whole: each from the beginning; it comes out the same.
enum class Way : std::uint8_t { Forked, Whole };
// Runs the plan with these choices, and then once more for each flip: with it instead of a choice for the same receive. The
// first answer is that of the run without a flip. `plan`: its functions are not used. `go_on`: asked now and then; false ends
// all, and runs without an answer have a failure. Throws vocabulary::HostError. Cost: a boot of the machine and a run; for each
// flip a fork() and the rest of the run, two at a time.
std::vector<Summary> run_flips(const Plan& plan, const std::vector<Choice>& choices, const std::vector<Choice>& flips, Way way,
                               const std::function<bool()>& go_on);

// All orders of a small program.
struct Exploration {
    struct Kind {  // runs that end and print alike
        Summary first;
        std::vector<Choice> choices;  // that lead to it
        std::size_t orders = 0;
    };
    std::vector<Kind> kinds;  // in the order of their discovery; the first is the base run's
    std::size_t runs = 0, orders = 0, impossible = 0;
    bool complete = false;  // else the budget or the user ended it
    std::string left_out;   // why other orders may exist although it is complete; empty: none do
};
// The reason, in words, for which the program may come out in ways that these races do not show. It polls, the rule misses
// races, or a receive has more sources than are told. Empty: they show all.
std::string left_out(const tmon_replay::DeliveryOrder& order, bool annai);

// Depth first: each run shows its races, and each of them that gives a new order is a further run. Runs whose matches are the
// same count once.
Exploration explore(const Plan& plan, std::size_t most_runs, Way way, const std::function<bool()>& go_on);

}  // namespace mpi_runs
