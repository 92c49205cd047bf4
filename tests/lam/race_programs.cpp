#include "race_programs.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace lam_races {
namespace {

struct Open {  // a message that has no receive yet
    int from = 0, to = 0, tag = 0;
};

class Writer {
public:
    Writer(std::uint32_t seed, int most_wild) : random_(seed), wild_left_(most_wild), program_(3 + seed % 3) {
        waits_.resize(program_.size());
        wild_.resize(program_.size());
        numbers_.resize(program_.size());
        tags_ = 1 + chance(3);
        synchronous_ = chance(3);
        begun_ = chance(3);
    }

    Program write() {
        int sends = 4 + chance(6);
        int barriers = chance(3) == 0 ? 1 : 0;
        while (sends > 0 || !open_.empty()) {
            const int dice = chance(10);
            if (dice < 4 && sends > 0) {
                send();
                --sends;
            } else if (dice < 8 && !open_.empty()) {
                receive(static_cast<std::size_t>(chance(static_cast<int>(open_.size()))));
            } else if (dice == 8) {
                wait(chance(size()));
            } else if (barriers > 0 && chance(4) == 0) {
                --barriers;
                for (auto& rank : program_) rank.push_back({.kind = Kind::Barrier});
            }
        }
        for (int rank = 0; rank < size(); ++rank)
            while (!waits_[static_cast<std::size_t>(rank)].empty()) wait(rank);
        return program_;
    }

private:
    int chance(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }
    int size() const { return static_cast<int>(program_.size()); }
    std::vector<Operation>& at(int rank) { return program_[static_cast<std::size_t>(rank)]; }

    void add(int rank, Operation its) {
        const auto r = static_cast<std::size_t>(rank);
        if (its.counts()) ++numbers_[r];
        if (its.is_wild()) wild_[r].push_back(numbers_[r]);
        program_[r].push_back(its);
        if (its.kind == Kind::Isend || its.kind == Kind::Issend || its.kind == Kind::Irecv)
            waits_[r].push_back(static_cast<int>(program_[r].size()) - 1);
    }
    void send() {
        Operation its;
        const int from = chance(size());
        its.peer = (from + 1 + chance(size() - 1)) % size();
        its.tag = chance(tags_);
        const bool waits = chance(4) < synchronous_, begins = chance(4) < begun_;
        its.kind = waits ? (begins ? Kind::Issend : Kind::Ssend) : (begins ? Kind::Isend : Kind::Send);
        const auto& wild = wild_[static_cast<std::size_t>(from)];
        // One that depends on an order leaves its receive without a message otherwise.
        if (!wild.empty() && chance(12) == 0) {
            its.when = wild[static_cast<std::size_t>(chance(static_cast<int>(wild.size())))];
            its.from = chance(size());
        }
        add(from, its);
        open_.push_back({from, its.peer, its.tag});
    }
    void receive(std::size_t which) {
        const Open message = open_[which];
        open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(which));
        Operation its;
        const bool wild = wild_left_ > 0 && chance(6) != 0;
        its.peer = wild ? any : message.from;
        its.tag = chance(4) == 0 ? any : message.tag;
        if (wild) --wild_left_;
        const int way = chance(10);
        its.kind = way < 1 ? Kind::Probe : way < 1 + 3 * begun_ ? Kind::Irecv : Kind::Recv;
        add(message.to, its);
        if (its.kind == Kind::Probe)
            add(message.to, {.kind = Kind::RecvProbed, .of = static_cast<int>(at(message.to).size()) - 1});
    }
    void wait(int rank) {
        auto& waits = waits_[static_cast<std::size_t>(rank)];
        if (waits.empty()) return;
        const auto which = static_cast<std::size_t>(chance(static_cast<int>(waits.size())));
        add(rank, {.kind = Kind::Wait, .of = waits[which]});
        waits.erase(waits.begin() + static_cast<std::ptrdiff_t>(which));
    }

    std::mt19937 random_;
    int wild_left_, tags_ = 1, synchronous_ = 0, begun_ = 0;
    Program program_;
    std::vector<std::vector<int>> waits_;  // by rank: operations that are not waited for
    std::vector<std::vector<int>> wild_;   // by rank: numbers of wild receives
    std::vector<int> numbers_;
    std::vector<Open> open_;
};

std::string text_of(const Operation& its) {
    constexpr const char* names[] = {"send",  "ssend", "isend",       "issend", "recv",
                                     "irecv", "probe", "recv-probed", "wait",   "barrier"};
    std::string text = names[static_cast<std::size_t>(its.kind)];
    if (its.is_send()) text += fmt::format(" to {} tag {}", its.peer, its.tag);
    if (its.counts() && its.of < 0)
        text += fmt::format(" from {} tag {}", its.peer == any ? "any" : std::to_string(its.peer),
                            its.tag == any ? "any" : std::to_string(its.tag));
    if (its.of >= 0) text += fmt::format(" of {}", its.of);
    if (its.when >= 0) text += fmt::format(" if receive {} was from {}", its.when, its.from);
    return text;
}

}  // namespace

Program random_program(std::uint32_t seed, int most_wild) {
    return Writer(seed, most_wild).write();
}
std::string text_of(const Program& program) {
    std::string text;
    for (std::size_t rank = 0; rank < program.size(); ++rank) {
        text += fmt::format("rank {}:\n", rank);
        for (std::size_t i = 0; i < program[rank].size(); ++i)
            text += fmt::format("  {:>2} {}\n", i, text_of(program[rank][i]));
    }
    return text;
}
std::string text_of(const Order& order) {
    std::string text;
    for (const auto& [receive, source] : order) text += fmt::format(" r{}.{}<-{}", receive.first, receive.second, source);
    return text;
}

}  // namespace lam_races
