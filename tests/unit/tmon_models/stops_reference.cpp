#include "stops_reference.hpp"

#include <algorithm>
#include <memory>
#include <optional>

namespace stops_reference {

using tmon_models::ProgramAnswer;
using tmon_models::ProgramStop;
using tmon_models::StopHow;
using trace_record::Event;
using trace_record::EventKind;

namespace {

std::vector<std::uint16_t> neighbours(const std::vector<std::uint16_t>& parents, std::uint16_t node) {
    std::vector<std::uint16_t> found;
    if (node > 0) found.push_back(parents[node]);
    for (std::uint16_t other = 1; other < parents.size(); ++other)
        if (parents[other] == node) found.push_back(other);
    return found;
}

std::uint32_t full(const PlainBlock& block) {
    return (1U << block.moves.size()) - 1;
}

void advance(const PlainProgram& program, std::uint16_t node, Position& at, std::size_t move) {
    at.mask |= 1U << move;
    if (at.mask == full(program.nodes[node][at.block])) at = {at.block + 1, 0};
}

struct Spot {
    std::size_t block = 0, move = 0;
};
std::optional<Spot> find(const PlainProgram& program, std::uint16_t node, const PlainMove& wanted) {
    for (std::size_t b = 0; b < program.nodes[node].size(); ++b) {
        const auto& moves = program.nodes[node][b].moves;
        for (std::size_t m = 0; m < moves.size(); ++m) {
            if (moves[m].send == wanted.send && moves[m].peer == wanted.peer && moves[m].unit == wanted.unit) return Spot{b, m};
        }
    }
    return std::nullopt;
}

bool is_done(const Position& at, const Spot& spot) {
    return at.block > spot.block || (at.block == spot.block && (at.mask >> spot.move & 1U) != 0);
}

Spot other_end(const PlainProgram& program, std::uint16_t node, const PlainMove& move) {
    return *find(program, move.peer, {!move.send, node, move.unit});
}

// ---- random runs ----

class Run {
public:
    Run(const PlainProgram& program, std::mt19937& random) : program_(program), random_(random), at_(program.nodes.size()) {
        records_.resize(at_.size());
        stop_.resize(at_.size());
        const unsigned stops = 1 + below(8) / 7;
        for (unsigned i = 0; i < stops; ++i) {
            const auto node = static_cast<std::uint16_t>(below(static_cast<unsigned>(at_.size())));
            const auto& blocks = program.nodes[node];
            const std::size_t block = below(static_cast<unsigned>(blocks.size()));
            const auto moves = static_cast<unsigned>(blocks[block].moves.size());
            const unsigned kept = moves == 0 ? 0 : below(moves);
            stop_[node] = std::pair(block, below(3) == 0 ? kept : 0U);
        }
    }

    void go() {
        for (;;) {
            std::vector<std::pair<std::uint16_t, std::size_t>> possible;
            for (std::uint16_t node = 0; node < at_.size(); ++node) {
                if (at_[node].block == program_.nodes[node].size() || stopped(node)) continue;
                const PlainBlock& block = program_.nodes[node][at_[node].block];
                if (block.moves.empty()) possible.emplace_back(node, 0);
                for (std::size_t move = 0; move < block.moves.size(); ++move)
                    if ((at_[node].mask >> move & 1U) == 0 && can(node, block.moves[move])) possible.emplace_back(node, move);
            }
            if (possible.empty()) return;
            const auto [node, move] = possible[below(static_cast<unsigned>(possible.size()))];
            make(node, move);
        }
    }

    const std::vector<Position>& positions() const { return at_; }
    // Nodes that stand where they were made to stop; and those near a stop outside a process, which may be that of a link.
    void tell_stops(Session& session) const {
        for (std::uint16_t node = 0; node < at_.size(); ++node) {
            if (at_[node].block == program_.nodes[node].size() || !stopped(node)) continue;
            session.stopped.push_back(node);
            if (at_[node].mask == 0 && !program_.nodes[node][at_[node].block].by.empty()) continue;
            session.near_link.push_back(node);
            for (const std::uint16_t other : neighbours(program_.parents, node)) session.near_link.push_back(other);
        }
    }
    const std::vector<std::vector<Event>>& records() const { return records_; }

private:
    unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }

    bool stopped(std::uint16_t node) const {
        if (!stop_[node] || at_[node].block != stop_[node]->first) return false;
        return static_cast<unsigned>(__builtin_popcount(at_[node].mask)) >= stop_[node]->second;
    }

    bool can(std::uint16_t node, const PlainMove& move) const {
        const Spot other = other_end(program_, node, move);
        if (!program_.synchronous) return move.send || is_done(at_[move.peer], other);
        // Both ends move together; the sender makes the step.
        return move.send && at_[move.peer].block == other.block && !is_done(at_[move.peer], other) && !stopped(move.peer);
    }

    void make(std::uint16_t node, std::size_t number) {
        if (program_.nodes[node][at_[node].block].moves.empty()) {
            ++at_[node].block;
            return;
        }
        const PlainMove move = program_.nodes[node][at_[node].block].moves[number];
        const Spot other = other_end(program_, node, move);
        record(node, move);
        advance(program_, node, at_[node], number);
        if (!program_.synchronous) return;
        record(move.peer, program_.nodes[move.peer][other.block].moves[other.move]);
        advance(program_, move.peer, at_[move.peer], other.move);
    }

    void record(std::uint16_t node, const PlainMove& move) {
        Event event;
        event.node = node;
        event.peer = move.peer;
        event.task = move.unit;
        event.kind = move.send ? EventKind::Send : EventKind::Receive;
        const bool to_parent = node > 0 && program_.parents[node] == move.peer;
        event.is_result = to_parent == move.send ? 1 : 0;
        // Some numbers are those of records of other classes.
        event.seq = (records_[node].empty() ? 0 : records_[node].back().seq + 1) + (below(5) == 0 ? below(3) : 0);
        event.time_us = ++now_;
        records_[node].push_back(event);
    }

    const PlainProgram& program_;
    std::mt19937& random_;
    std::vector<Position> at_;
    std::vector<std::vector<Event>> records_;
    std::vector<std::optional<std::pair<std::size_t, unsigned>>> stop_;
    std::uint64_t now_ = 0;
};

void lose(tmon_streams::Stream& stream, std::vector<Event>& records, std::mt19937& random) {
    using trace_record::ClassSet;
    const unsigned total = records.empty() ? 0 : records.back().seq + 1;
    for (unsigned i = random() % 3; i > 0 && total > 0; --i) {
        const auto first = static_cast<std::uint32_t>(random() % total);
        const auto last = std::min(first + static_cast<std::uint32_t>(random() % 3), total - 1);
        const bool overlaps = std::any_of(stream.losses.begin(), stream.losses.end(), [&](const auto& range) {
            return range.first_seq <= last && first <= range.last_seq;
        });
        if (overlaps) continue;
        const auto is_in = [&](const Event& event) { return event.seq >= first && event.seq <= last; };
        const bool tasks_alone = std::count_if(records.begin(), records.end(), is_in) == last - first + 1;
        const ClassSet classes =
            tasks_alone && random() % 4 != 0 ? ClassSet::of(trace_record::EventClass::Task) : ClassSet::all();
        stream.losses.push_back({.node = stream.node, .first_seq = first, .last_seq = last, .classes = classes});
        std::erase_if(records, is_in);
    }
    std::sort(stream.losses.begin(), stream.losses.end(),
              [](const auto& a, const auto& b) { return a.first_seq < b.first_seq; });
}

// ---- every history ----

struct Item {
    std::optional<PlainMove> record;
    std::uint64_t least = 0, most = 0;  // of a gap
};

std::vector<Item> items_of(const tmon_streams::Stream& stream) {
    std::vector<Item> items;
    auto gap = stream.losses.begin();
    const auto add_gap = [&] {
        const std::uint64_t size = gap->last_seq - gap->first_seq + 1;
        const bool tasks = gap->classes == trace_record::ClassSet::of(trace_record::EventClass::Task);
        items.push_back({{}, tasks ? size : 0, size});
        ++gap;
    };
    for (const auto& part : stream.parts) {
        for (const Event& event : part) {
            while (gap != stream.losses.end() && gap->first_seq < event.seq) add_gap();
            items.push_back({PlainMove{event.kind == EventKind::Send, event.peer, event.task}, 0, 0});
        }
    }
    while (gap != stream.losses.end()) add_gap();
    return items;
}

class Positions {
public:
    Positions(const PlainProgram& program, const tmon_streams::Stream& stream)
        : program_(program),
          node_(stream.node),
          open_(stream.state == tmon_streams::StreamState::Open),
          items_(items_of(stream)) {
        try_from({}, 0, 0);
    }
    std::set<Position> ends;

private:
    void try_from(const Position& at, std::size_t item, std::uint64_t used) {
        if (!seen_.insert({at, {item, used}}).second) return;
        const bool end = item == items_.size();
        if (end) ends.insert(at);
        if (at.block < program_.nodes[node_].size() && program_.nodes[node_][at.block].moves.empty())
            try_from({at.block + 1, 0}, item, used);
        if (!end && !items_[item].record && used >= items_[item].least) try_from(at, item + 1, 0);
        if (at.block == program_.nodes[node_].size()) return;
        const auto& moves = program_.nodes[node_][at.block].moves;
        for (std::size_t i = 0; i < moves.size(); ++i) {
            if ((at.mask >> i & 1U) != 0) continue;
            Position next = at;
            advance(program_, node_, next, i);
            if (end && open_) try_from(next, item, 0);
            if (end) continue;
            const Item& here = items_[item];
            const auto is_it = [&](const PlainMove& record) {
                return record.send == moves[i].send && record.peer == moves[i].peer && record.unit == moves[i].unit;
            };
            if (here.record && is_it(*here.record)) try_from(next, item + 1, 0);
            if (!here.record && used < here.most) try_from(next, item, used + 1);
        }
    }

    const PlainProgram& program_;
    std::uint16_t node_;
    bool open_;
    std::vector<Item> items_;
    std::set<std::pair<Position, std::pair<std::size_t, std::uint64_t>>> seen_;
};

// A node without any record may wait at its first one.
bool is_open(const tmon_streams::Stream& stream) {
    return stream.state == tmon_streams::StreamState::Open || (stream.parts.empty() && stream.losses.empty());
}

bool all_heard(const PlainProgram& program, const std::vector<Position>& at, const std::vector<bool>& open) {
    for (std::uint16_t node = 0; node < at.size(); ++node) {
        for (std::size_t b = 0; b < program.nodes[node].size(); ++b) {
            const auto& moves = program.nodes[node][b].moves;
            for (std::size_t m = 0; m < moves.size(); ++m) {
                if (!is_done(at[node], {b, m}) || (moves[m].send && !program.synchronous)) continue;
                const Spot other = other_end(program, node, moves[m]);
                const bool begun = open[moves[m].peer] && at[moves[m].peer].block == other.block;
                if (!is_done(at[moves[m].peer], other) && !begun) return false;
            }
        }
    }
    return true;
}

}  // namespace

PlainProgram halo(const std::vector<std::uint16_t>& parents, std::uint32_t units) {
    PlainProgram program{parents, false, "Exchanging", {}};
    program.nodes.resize(parents.size());
    for (std::uint16_t node = 0; node < parents.size(); ++node) {
        for (std::uint32_t unit = 0; unit < units; ++unit) {
            PlainBlock sends{unit == 0 ? "initial_fn()" : "step_fn()", {}, unit}, receives{"", {}, unit};
            for (const std::uint16_t other : neighbours(parents, node)) {
                sends.moves.push_back({true, other, unit});
                receives.moves.push_back({false, other, unit});
            }
            program.nodes[node].push_back(sends);
            program.nodes[node].push_back(receives);
        }
    }
    return program;
}

PlainProgram pipeline(std::uint16_t nodes, std::uint32_t units, bool last_works) {
    PlainProgram program{{}, true, "Passing", {}};
    program.nodes.resize(nodes);
    for (std::uint16_t node = 0; node < nodes; ++node) {
        program.parents.push_back(node == 0 ? std::uint16_t{0} : static_cast<std::uint16_t>(node - 1));
        for (std::uint32_t unit = 0; unit < units; ++unit) {
            if (node > 0) program.nodes[node].push_back({"", {{false, static_cast<std::uint16_t>(node - 1), unit}}, unit});
            PlainBlock work{node == 0 ? "source_fn()" : "stage_fn()", {}, unit};  // of the last node, without a message
            if (node + 1 < nodes) work.moves.push_back({true, static_cast<std::uint16_t>(node + 1), unit});
            if (last_works || !work.moves.empty()) program.nodes[node].push_back(work);
        }
    }
    return program;
}

Session random_session(const PlainProgram& program, std::mt19937& random) {
    Run run(program, random);
    run.go();
    const auto records = std::make_shared<std::vector<std::vector<Event>>>(run.records());
    Session session;
    session.truth = run.positions();
    run.tell_stops(session);
    session.trace.session = tmon_streams::SessionEnd::StoodStill;
    for (std::uint16_t node = 0; node < program.nodes.size(); ++node) {
        tmon_streams::Stream stream;
        stream.node = node;
        stream.state = random() % 5 == 0 ? tmon_streams::StreamState::Open : tmon_streams::StreamState::Finished;
        std::vector<Event>& own = (*records)[node];
        if (stream.state == tmon_streams::StreamState::Open && !own.empty())
            own.resize(own.size() - random() % (own.size() + 1));
        if (random() % 2 == 0) lose(stream, own, random);
        if (!own.empty()) stream.parts.emplace_back(own);
        session.open.push_back(is_open(stream));
        session.trace.streams.push_back(std::move(stream));
    }
    session.trace.keep.push_back(records);
    return session;
}

std::set<ProgramAnswer> answers_of(const PlainProgram& program, const std::vector<Position>& positions,
                                   const std::vector<bool>& open) {
    std::set<ProgramAnswer> answers{{}};
    bool complete = true;
    for (std::uint16_t node = 0; node < positions.size(); ++node) {
        const Position& at = positions[node];
        if (at.block == program.nodes[node].size()) continue;
        complete = false;
        const PlainBlock& block = program.nodes[node][at.block];
        bool waits = false, began = at.mask != 0, may_be_dead = false;
        for (std::size_t m = 0; m < block.moves.size(); ++m) {
            const PlainMove& move = block.moves[m];
            if ((at.mask >> m & 1U) != 0) continue;
            const Spot other = other_end(program, node, move);
            // A move that the other end has done was begun here.
            began = began || ((move.send || program.synchronous) && is_done(positions[move.peer], other));
            if (move.send && !program.synchronous) continue;
            // Both wait at the same message, and its silent receiver may be dead.
            const bool both = positions[move.peer].block == other.block && !is_done(positions[move.peer], other);
            may_be_dead = may_be_dead || (program.synchronous && both && open[move.send ? move.peer : node]);
            waits = waits || (move.send ? positions[move.peer].block < other.block : !is_done(positions[move.peer], other));
        }
        std::vector<std::optional<ProgramStop>> own;
        if (waits || may_be_dead) own.emplace_back();
        if (!block.by.empty() && !began) {
            own.emplace_back(ProgramStop{block.unit, node, StopHow::InProcess, block.by});
        } else if (!waits || may_be_dead) {
            own.emplace_back(
                ProgramStop{block.unit, node, block.moves[0].send ? StopHow::NotSent : StopHow::NotReceived, program.label});
        }
        std::set<ProgramAnswer> more;
        for (const ProgramAnswer& answer : answers) {
            for (const auto& each : own) {
                ProgramAnswer next = answer;
                if (each) next.push_back(*each);
                more.insert(next);
            }
        }
        answers = more;
    }
    std::set<ProgramAnswer> first;
    for (ProgramAnswer answer : answers) {
        if (answer.empty() && !complete) continue;
        std::sort(answer.begin(), answer.end());
        std::erase_if(answer,
                      [unit = answer.empty() ? 0 : answer.front().unit](const auto& stop) { return stop.unit != unit; });
        first.insert(answer);
    }
    return first;
}

std::set<ProgramAnswer> every_answer(const PlainProgram& program, const tmon_streams::Trace& trace) {
    const auto by_key = answers_by(program, trace, {});
    return by_key.empty() ? std::set<ProgramAnswer>() : by_key.at(0);
}

std::map<unsigned, std::set<ProgramAnswer>> answers_by(const PlainProgram& program, const tmon_streams::Trace& trace,
                                                       const std::vector<Event>& records) {
    const auto key_of = [&](const std::vector<Position>& at) {
        unsigned key = 0;
        for (std::size_t i = 0; i < records.size(); ++i) {
            const PlainMove move{records[i].kind == EventKind::Send, records[i].peer, records[i].task};
            key |= is_done(at[records[i].node], *find(program, records[i].node, move)) ? 1U << i : 0;
        }
        return key;
    };
    std::vector<std::vector<Position>> choices;
    std::vector<bool> open;
    for (const auto& stream : trace.streams) {
        const auto ends = Positions(program, stream).ends;
        choices.emplace_back(ends.begin(), ends.end());
        open.push_back(is_open(stream));
        if (ends.empty()) return {};
    }
    std::map<unsigned, std::set<ProgramAnswer>> answers;
    std::vector<std::size_t> pick(choices.size());
    for (;;) {
        std::vector<Position> at;
        for (std::size_t i = 0; i < pick.size(); ++i) at.push_back(choices[i][pick[i]]);
        if (all_heard(program, at, open)) answers[key_of(at)].merge(answers_of(program, at, open));
        std::size_t i = 0;
        while (i < pick.size() && ++pick[i] == choices[i].size()) pick[i++] = 0;
        if (i == pick.size()) return answers;
    }
}

}  // namespace stops_reference
