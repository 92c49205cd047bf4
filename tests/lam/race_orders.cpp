// The judge of race_programs.hpp: it knows nothing of clocks and races.
#include <algorithm>
#include <set>

#include "race_programs.hpp"

namespace lam_races {
namespace {

struct Message {
    int sender = 0, place = 0;  // place: of its operation
    int to = 0, tag = 0;
    bool matched = false;
};
struct Posted {  // a receive or probe that has begun
    int rank = 0, place = 0, number = 0;
    int peer = any, tag = any;
    bool probe = false;
    int message = -1;  // that it got
};
struct State {
    std::vector<int> at, count, barriers;  // by rank: next operation, receives so far, barriers passed
    std::vector<Message> messages;
    std::vector<Posted> posted;
    std::vector<bool> inside;  // by rank: its operation has begun and waits
    Order order;
};

class Judge {
public:
    Judge(const Program& program, std::size_t most_states) : program_(program), most_states_(most_states) {}

    Orders orders() {
        State first;
        first.at.resize(program_.size());
        first.count.resize(program_.size());
        first.barriers.resize(program_.size());
        first.inside.resize(program_.size());
        visit(first);
        return {{found_.begin(), found_.end()}, seen_.size() <= most_states_};
    }

private:
    static bool fits(const Posted& its, const Message& message) {
        return message.to == its.rank && (its.peer == any || its.peer == message.sender) &&
               (its.tag == any || its.tag == message.tag);
    }
    static Posted* posted_at(State& state, int rank, int place) {
        for (Posted& its : state.posted)
            if (its.rank == rank && its.place == place) return &its;
        return nullptr;
    }
    // No receive that was begun before takes it, and no message that was sent before is taken.
    static bool may_match(const State& state, std::size_t receive, std::size_t message) {
        const Posted& its = state.posted[receive];
        const Message& sent = state.messages[message];
        if (its.message >= 0 || sent.matched || !fits(its, sent)) return false;
        for (std::size_t i = 0; i < receive; ++i) {
            const Posted& other = state.posted[i];
            if (other.rank == its.rank && other.message < 0 && !other.probe && fits(other, sent)) return false;
        }
        for (std::size_t i = 0; i < message; ++i) {
            const Message& other = state.messages[i];
            if (other.sender == sent.sender && !other.matched && fits(its, other)) return false;
        }
        return true;
    }
    static void match(State& state, std::size_t receive, std::size_t message) {
        state.posted[receive].message = static_cast<int>(message);
        if (!state.posted[receive].probe) state.messages[message].matched = true;
    }

    void begin(State& state, int rank, int place, const Operation& its) {
        const auto r = static_cast<std::size_t>(rank);
        if (its.is_send()) {
            state.messages.push_back({rank, place, its.peer, its.tag, false});
        } else if (its.kind == Kind::RecvProbed) {
            const Posted* probe = posted_at(state, rank, its.of);
            if (probe == nullptr) return;  // the probe was left out
            const Message& found = state.messages[static_cast<std::size_t>(probe->message)];
            state.posted.push_back({rank, place, ++state.count[r], found.sender, found.tag, false, -1});
        } else if (its.counts()) {
            state.posted.push_back({rank, place, ++state.count[r], its.peer, its.tag, its.kind == Kind::Probe, -1});
        } else if (its.kind == Kind::Barrier) {
            ++state.barriers[r];
        }
    }
    bool is_over(State& state, int rank, int place, const Operation& its) {
        if (its.kind == Kind::Barrier)
            return *std::min_element(state.barriers.begin(), state.barriers.end()) >=
                   state.barriers[static_cast<std::size_t>(rank)];
        const int waited = its.kind == Kind::Wait ? its.of : place;
        const Operation& of = program_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(waited)];
        const bool starts = its.kind == Kind::Isend || its.kind == Kind::Issend || its.kind == Kind::Irecv;
        if (starts) return true;
        if (of.is_send()) {
            if (!of.is_synchronous()) return true;
            for (const Message& sent : state.messages)
                if (sent.sender == rank && sent.place == waited) return sent.matched;
            return true;
        }
        const Posted* posted = posted_at(state, rank, waited);
        if (posted == nullptr) return true;
        if (posted->message < 0) return false;
        if (of.is_wild())
            state.order[{rank, posted->number}] = state.messages[static_cast<std::size_t>(posted->message)].sender;
        return true;
    }
    // True: it has come farther.
    bool advance(State& state, int rank) {
        const auto r = static_cast<std::size_t>(rank);
        bool moved = false;
        for (; state.at[r] < static_cast<int>(program_[r].size()); ++state.at[r], state.inside[r] = false, moved = true) {
            const Operation& its = program_[r][static_cast<std::size_t>(state.at[r])];
            const auto came = state.order.find({rank, its.when});
            if (its.when >= 0 && (came == state.order.end() || came->second != its.from)) continue;
            if (!state.inside[r]) {
                begin(state, rank, state.at[r], its);
                moved = true;
            }
            state.inside[r] = true;
            if (!is_over(state, rank, state.at[r], its)) return moved;
        }
        return moved;
    }
    // Matches that can come in one way alone: they do no harm by coming early.
    void settle(State& state) {
        for (bool moved = true; moved;) {
            moved = false;
            for (int rank = 0; rank < static_cast<int>(program_.size()); ++rank) moved = advance(state, rank) || moved;
            for (std::size_t i = 0; i < state.posted.size(); ++i) {
                for (std::size_t m = 0; state.posted[i].peer != any && m < state.messages.size(); ++m) {
                    if (!may_match(state, i, m)) continue;
                    match(state, i, m);
                    moved = true;
                }
            }
        }
    }
    static std::string key_of(const State& state) {
        std::vector<std::string> matches;
        for (const Posted& its : state.posted) {
            if (its.message < 0) continue;
            const Message& sent = state.messages[static_cast<std::size_t>(its.message)];
            matches.push_back({static_cast<char>(its.rank), static_cast<char>(its.place), static_cast<char>(sent.sender),
                               static_cast<char>(sent.place)});
        }
        std::sort(matches.begin(), matches.end());
        std::string key;
        for (const std::string& one : matches) key += one;
        return key;
    }
    void visit(State state) {
        settle(state);
        if (seen_.size() > most_states_ || !seen_.insert(key_of(state)).second) return;
        bool last = true;
        for (std::size_t i = 0; i < state.posted.size(); ++i) {
            for (std::size_t m = 0; m < state.messages.size(); ++m) {
                if (!may_match(state, i, m)) continue;
                State next = state;
                match(next, i, m);
                visit(std::move(next));
                last = false;
            }
        }
        if (last) found_.insert(state.order);
    }

    const Program& program_;
    std::size_t most_states_;
    std::set<std::string> seen_;
    std::set<Order> found_;
};

}  // namespace

Orders all_orders(const Program& program, std::size_t most_states) {
    return Judge(program, most_states).orders();
}

}  // namespace lam_races
