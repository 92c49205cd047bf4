// Random programs of 3 to 5 ranks with at most 8 receives of any source. The races that the library finds are held against
// all orders that the judge of race_programs.hpp allows. `random_races LIBRARY FIRST COUNT`; see scripts/race_campaign.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

#include "race_runs.hpp"

namespace lam_races {
namespace {

constexpr int most_wild = 8, most_ranks = 5, again = 6;
constexpr std::size_t most_states = 4000, most_orders = 400;
constexpr int find_all = LAM_STAMPS | LAM_ALL_SOURCES | LAM_ASKS;

struct Totals {
    long programs = 0, too_many = 0, orders = 0, runs = 0, flips = 0;
    long missed = 0, unknown = 0, infeasible = 0;                   // orders, orders, flips of the exact rule
    long annai_programs = 0, annai_orders = 0, annai_receives = 0;  // that its rule misses
    long racing_receives = 0, annai_infeasible = 0;
    long replays = 0, wrong = 0, annai_wrong = 0;
    long entries = 0, superfluous = 0;
};

using Key = std::map<std::pair<int, int>, int>;

// All orders that flips lead to, from one run on.
class Explorer {
public:
    Explorer(lam_fibers::Machine& machine, const Program& program, std::uint32_t schedule, int wishes, Totals& totals)
        : machine_(machine), program_(program), schedule_(schedule), wishes_(wishes), totals_(totals) {}

    std::set<Order> explore() {
        push({});
        while (!open_.empty()) {
            const std::vector<Choice> choices = std::move(open_.back());
            open_.pop_back();
            take(choices);
        }
        return orders_;
    }
    long infeasible() const { return infeasible_; }

private:
    void push(const std::vector<Choice>& choices) {
        if (pushed_.insert(choices).second) open_.push_back(choices);
    }
    Outcome run_with(const std::vector<Choice>& choices) {
        ++totals_.runs;
        return run(machine_, program_, wishes_, schedule_, choices);
    }
    static bool is_met(const Outcome& its, const Choice& choice) {
        const auto came = its.matches.find({choice.rank, choice.receive});
        return came != its.matches.end() && came->second == choice.source;
    }
    // A choice that an earlier one has made impossible is left. The last one is the flip: alone it must come true.
    void take(std::vector<Choice> choices) {
        while (true) {
            const Outcome outcome = run_with(choices);
            std::vector<Choice> met;
            for (const Choice& one : choices)
                if (is_met(outcome, one)) met.push_back(one);
            if (met.size() == choices.size()) return note(outcome, choices);
            const Choice flip = choices.back();
            if (met.size() + 1 == choices.size() && !is_met(outcome, flip)) {
                ++infeasible_;
                if (std::getenv("MAGICWIRE_RACES_TELL") != nullptr) tell(choices, outcome);
                return;
            }
            if (!is_met(outcome, flip)) met.push_back(flip);
            choices = met;
        }
    }
    void tell(const std::vector<Choice>& choices, const Outcome& outcome) const {
        std::fprintf(stderr, "infeasible:");
        for (const Choice& one : choices) std::fprintf(stderr, " r%d.%d<-%d", one.rank, one.receive, one.source);
        std::fprintf(stderr, "; it came%s\n", text_of(outcome.matches).c_str());
    }
    void note(const Outcome& outcome, const std::vector<Choice>& choices) {
        if (!matches_.insert(outcome.matches).second) return;
        orders_.insert(outcome.order);
        for (const Choice& flip : outcome.races) {
            ++totals_.flips;
            std::vector<Choice> next;
            for (const Choice& one : choices)
                if (one.rank != flip.rank || one.receive != flip.receive) next.push_back(one);
            next.push_back(flip);
            push(next);
        }
    }

    lam_fibers::Machine& machine_;
    const Program& program_;
    std::uint32_t schedule_;
    int wishes_;
    Totals& totals_;
    std::vector<std::vector<Choice>> open_;
    std::set<std::vector<Choice>> pushed_;
    std::set<Key> matches_;
    std::set<Order> orders_;
    long infeasible_ = 0;
};

// The least record of a run, repeated under other schedules. True: always alike.
bool repeats(lam_fibers::Machine& machine, const Program& program, const std::vector<Choice>& record, const Outcome& wanted,
             std::uint32_t schedule, int times) {
    for (int i = 1; i <= times; ++i) {
        const Outcome came = run(machine, program, LAM_SCRIPT, schedule + 7919U * static_cast<std::uint32_t>(i), record);
        if (came.order != wanted.order || came.stands != wanted.stands) return false;
    }
    return true;
}
void tell_replay(const Program& program, const Outcome& wanted, std::uint32_t schedule) {
    std::printf("program %u does not repeat%s\n%s", schedule, text_of(wanted.order).c_str(), text_of(program).c_str());
    for (const Choice& one : wanted.recorded) std::printf("recorded: r%d.%d<-%d\n", one.rank, one.receive, one.source);
}
void replay(lam_fibers::Machine& machine, const Program& program, std::uint32_t schedule, Totals& totals) {
    const Outcome exact = run(machine, program, LAM_STAMPS, schedule, {});
    const Outcome annai = run(machine, program, LAM_STAMPS | LAM_ANNAI, schedule, {});
    ++totals.replays;
    if (!repeats(machine, program, exact.recorded, exact, schedule, again)) {
        ++totals.wrong;
        tell_replay(program, exact, schedule);
    }
    totals.annai_wrong += !repeats(machine, program, annai.recorded, annai, schedule, again);
    const std::set<Choice> found(annai.recorded.begin(), annai.recorded.end());
    totals.racing_receives += static_cast<long>(exact.recorded.size());
    for (const Choice& one : exact.recorded) totals.annai_receives += found.count(one) == 0;
    for (std::size_t i = 0; i < exact.recorded.size(); ++i) {
        std::vector<Choice> fewer = exact.recorded;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        ++totals.entries;
        totals.superfluous += repeats(machine, program, fewer, exact, schedule, 4 * again);
    }
}

long missing(const Orders& wanted, const std::set<Order>& found) {
    return std::count_if(wanted.all.begin(), wanted.all.end(), [&](const Order& one) { return found.count(one) == 0; });
}

void tell(std::uint32_t seed, const Program& program, const Orders& wanted, const std::set<Order>& found) {
    std::printf("program %u: %zu orders, %zu found\n%s", seed, wanted.all.size(), found.size(), text_of(program).c_str());
    for (const Order& one : wanted.all)
        if (found.count(one) == 0) std::printf("missed:%s\n", text_of(one).c_str());
    for (const Order& one : found)
        if (!std::binary_search(wanted.all.begin(), wanted.all.end(), one))
            std::printf("not allowed:%s\n", text_of(one).c_str());
}

void check(std::vector<std::unique_ptr<lam_fibers::Machine>>& machines, std::uint32_t seed, Totals& totals) {
    const Program program = random_program(seed, most_wild);
    const Orders wanted = all_orders(program, most_states);
    if (!wanted.complete || wanted.all.size() > most_orders) {
        ++totals.too_many;
        return;
    }
    lam_fibers::Machine& machine = *machines[program.size() - 3];
    Explorer exact(machine, program, seed, find_all, totals), annai(machine, program, seed, find_all | LAM_ANNAI, totals);
    const std::set<Order> found = exact.explore();
    ++totals.programs;
    totals.orders += static_cast<long>(wanted.all.size());
    const long missed = missing(wanted, found);
    const long unknown = static_cast<long>(found.size()) - (static_cast<long>(wanted.all.size()) - missed);
    totals.missed += missed;
    totals.unknown += unknown;
    totals.infeasible += exact.infeasible();
    if (missed + unknown + exact.infeasible() > 0) tell(seed, program, wanted, found);
    const long flips = totals.flips;
    const long annai_missed = missing(wanted, annai.explore());
    totals.flips = flips;
    totals.annai_orders += annai_missed;
    totals.annai_programs += annai_missed > 0;
    totals.annai_infeasible += annai.infeasible();
    replay(machine, program, seed, totals);
}

// In a process of its own, as a run leaves what its library has allocated.
Totals part(const std::string& library, std::uint32_t first, std::uint32_t count) {
    Totals totals;
    int ends[2];
    if (pipe(ends) != 0) std::exit(1);
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        std::vector<std::unique_ptr<lam_fibers::Machine>> machines;
        for (int ranks = 3; ranks <= most_ranks; ++ranks)
            machines.push_back(std::make_unique<lam_fibers::Machine>(library, ranks, 4096));
        for (std::uint32_t seed = first; seed < first + count; ++seed) check(machines, seed, totals);
        std::fflush(nullptr);
        _exit(write(ends[1], &totals, sizeof totals) == static_cast<ssize_t>(sizeof totals) ? 0 : 1);
    }
    close(ends[1]);
    int status = 1;
    const bool whole = read(ends[0], &totals, sizeof totals) == static_cast<ssize_t>(sizeof totals);
    close(ends[0]);
    waitpid(child, &status, 0);
    if (!whole || status != 0) {
        std::fprintf(stderr, "programs %u to %u: the process ended with status %d\n", first, first + count - 1, status);
        std::exit(1);
    }
    return totals;
}

void add(Totals& all, const Totals& its) {
    constexpr std::size_t fields = sizeof(Totals) / sizeof(long);
    auto* const into = reinterpret_cast<long*>(&all);
    const auto* const from = reinterpret_cast<const long*>(&its);
    for (std::size_t i = 0; i < fields; ++i) into[i] += from[i];
}

}  // namespace
}  // namespace lam_races

int main(int argc, char** argv) {
    if (argc != 4) return std::fprintf(stderr, "usage: random_races LIBRARY FIRST COUNT\n"), 2;
    const auto first = static_cast<std::uint32_t>(std::atol(argv[2])), count = static_cast<std::uint32_t>(std::atol(argv[3]));
    constexpr std::uint32_t at_once = 25;
    lam_races::Totals all;
    for (std::uint32_t at = 0; at < count; at += at_once)
        lam_races::add(all, lam_races::part(argv[1], first + at, std::min(at_once, count - at)));
    std::printf("%ld programs with %ld orders, %ld runs, %ld flips; %ld programs with too many orders left out\n", all.programs,
                all.orders, all.runs, all.flips, all.too_many);
    std::printf("exact: %ld orders missed, %ld orders that cannot be, %ld flips that cannot be\n", all.missed, all.unknown,
                all.infeasible);
    std::printf("annai: misses %ld orders in %ld programs, and %ld of %ld racing receives; %ld flips that cannot be\n",
                all.annai_orders, all.annai_programs, all.annai_receives, all.racing_receives, all.annai_infeasible);
    std::printf("replays of %ld records, each %d times: %ld wrong; of annai's %ld wrong\n", all.replays, lam_races::again,
                all.wrong, all.annai_wrong);
    std::printf("%ld of %ld entries are superfluous by trial\n", all.superfluous, all.entries);
    return all.missed + all.unknown + all.infeasible + all.wrong == 0 ? 0 : 1;
}
