#include "rank_programs.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <fstream>

namespace testing_support {
namespace {

using Kind = RankAct::Kind;

int below(std::mt19937& random, int limit) {
    return std::uniform_int_distribution<int>(0, limit - 1)(random);
}

bool fits(const RankAct& receive, int sender, int tag) {
    return (receive.peer == REAL_ANY || receive.peer == sender) && (receive.tag == REAL_ANY || receive.tag == tag);
}

// A run under way. Messages to a rank are one list for each sender.
class Run {
public:
    explicit Run(const RankProgram& program)
        : program_(program), at_(program.size()), received_(program.size()), boxes_(program.size()) {
        for (auto& box : boxes_) box.resize(program.size());
    }

    bool is_over(std::size_t rank) const { return at_[rank] == program_[rank].size(); }
    std::size_t at(std::size_t rank) const { return at_[rank]; }
    std::size_t received(std::size_t rank) const { return received_[rank]; }
    const RankAct& act(std::size_t rank) const { return program_[rank][at_[rank]]; }

    // Senders with a message for the receive in which the rank is.
    std::vector<int> senders(std::size_t rank) const {
        std::vector<int> found;
        for (int sender = 0; sender < static_cast<int>(program_.size()); ++sender) {
            const std::deque<int>& box = boxes_[rank][static_cast<std::size_t>(sender)];
            if (std::any_of(box.begin(), box.end(), [&](int tag) { return fits(act(rank), sender, tag); }))
                found.push_back(sender);
        }
        return found;
    }
    Match receive(std::size_t rank, int sender) {
        std::deque<int>& box = boxes_[rank][static_cast<std::size_t>(sender)];
        const auto first = std::find_if(box.begin(), box.end(), [&](int tag) { return fits(act(rank), sender, tag); });
        const Match match{sender, *first};
        box.erase(first);
        ++received_[rank], ++at_[rank];
        return match;
    }
    void send(std::size_t rank) {
        boxes_[static_cast<std::size_t>(act(rank).peer)][rank].push_back(act(rank).tag);
        ++at_[rank];
    }
    // True: all ranks are in the same barrier.
    bool pass_barrier() {
        for (std::size_t rank = 0; rank < program_.size(); ++rank) {
            if (is_over(rank) || act(rank).kind != Kind::Barrier) return false;
        }
        for (std::size_t& at : at_) ++at;
        return true;
    }

private:
    const RankProgram& program_;
    std::vector<std::size_t> at_, received_;
    std::vector<std::vector<std::deque<int>>> boxes_;  // by receiver and sender: tags
};

struct Writer {
    std::vector<real_record> records;
    void put(std::uint8_t kind, std::uint32_t number, int peer, int tag, std::uint8_t flags = 0) {
        real_record its{};
        its.kind = kind, its.number = number, its.peer = peer, its.tag = tag, its.flags = flags;
        its.time = records.size() + 1;
        its.place = static_cast<std::uint16_t>(records.size() + 1);
        records.push_back(its);
    }
};

void save(const Writer& writer, std::size_t rank, std::size_t ranks, const std::string& folder) {
    real_head head{};
    std::memcpy(head.magic, REAL_MAGIC, sizeof head.magic);
    head.rank = static_cast<std::int32_t>(rank), head.size = static_cast<std::int32_t>(ranks);
    head.behind = writer.records.size();
    for (const real_record& its : writer.records) head.counters[REAL_RECV] += its.kind == REAL_POST ? 1 : 0;
    std::ofstream file(folder + "/" + std::to_string(rank) + ".rank", std::ios::binary);
    std::string begin(REAL_HEAD_BYTES + REAL_WINDOW * sizeof(real_record), '\0');
    std::memcpy(begin.data(), &head, sizeof head);
    file << begin;
    for (const real_record& its : writer.records) file.write(reinterpret_cast<const char*>(&its), sizeof its);
}

}  // namespace

RankProgram random_program(std::mt19937& random) {
    RankProgram program(static_cast<std::size_t>(2 + below(random, 4)));
    const int ranks = static_cast<int>(program.size()), acts = 6 + below(random, 30);
    for (int i = 0; i < acts; ++i) {
        const auto rank = static_cast<std::size_t>(below(random, ranks));
        if (below(random, 12) == 0) {
            for (auto& one : program) one.push_back({.kind = Kind::Barrier});
            continue;
        }
        const int from = static_cast<int>(rank), to = (from + 1 + below(random, ranks - 1)) % ranks, tag = below(random, 2);
        program[rank].push_back({.kind = Kind::Send, .peer = to, .tag = tag});
        const bool any_source = below(random, 3) != 0, any_tag = below(random, 3) == 0;
        RankAct receive{.kind = Kind::Receive, .peer = any_source ? int{REAL_ANY} : from, .tag = any_tag ? int{REAL_ANY} : tag};
        // Not at once, so that receives come in another order than sends.
        std::vector<RankAct>& receiver = program[static_cast<std::size_t>(to)];
        const std::size_t late = std::min<std::size_t>(receiver.size(), static_cast<std::size_t>(below(random, 3)));
        const auto place = receiver.end() - static_cast<std::ptrdiff_t>(late);
        const bool over_barrier =
            std::any_of(place, receiver.end(), [](const RankAct& act) { return act.kind == Kind::Barrier; });
        receiver.insert(over_barrier ? receiver.end() : place, receive);
    }
    return program;
}

Matches random_run(RankProgram& program, std::mt19937& random) {
    Matches matches(program.size());
    Run run(program);
    for (bool moved = true; moved;) {
        std::vector<std::size_t> able;
        for (std::size_t rank = 0; rank < program.size(); ++rank) {
            if (run.is_over(rank) || run.act(rank).kind == Kind::Barrier) continue;
            if (run.act(rank).kind == Kind::Send || !run.senders(rank).empty()) able.push_back(rank);
        }
        moved = !able.empty() || run.pass_barrier();
        if (able.empty()) continue;
        const std::size_t rank = able[static_cast<std::size_t>(below(random, static_cast<int>(able.size())))];
        if (run.act(rank).kind == Kind::Send) {
            run.send(rank);
            continue;
        }
        const std::vector<int> senders = run.senders(rank);
        const int sender = senders[static_cast<std::size_t>(below(random, static_cast<int>(senders.size())))];
        matches[rank].push_back(run.receive(rank, sender));
    }
    for (std::size_t rank = 0; rank < program.size(); ++rank) program[rank].resize(run.at(rank));
    return matches;
}

std::set<int> senders_that_could(const RankProgram& program, const Matches& matches, std::size_t rank, std::size_t receive) {
    Run run(program);
    for (bool moved = true; moved;) {
        moved = run.pass_barrier();
        for (std::size_t one = 0; one < program.size(); ++one) {
            while (!run.is_over(one) && run.act(one).kind != Kind::Barrier) {
                if (run.act(one).kind == Kind::Send) {
                    run.send(one);
                } else {
                    if (one == rank && run.received(one) == receive) break;
                    const int sender = matches[one][run.received(one)].sender;
                    const std::vector<int> able = run.senders(one);
                    if (std::find(able.begin(), able.end(), sender) == able.end()) break;
                    run.receive(one, sender);
                }
                moved = true;
            }
        }
    }
    const std::vector<int> able = run.senders(rank);
    std::set<int> others(able.begin(), able.end());
    others.erase(matches[rank][receive].sender);
    return others;
}

void write_rank_files(const RankProgram& program, const Matches& matches, const std::string& folder) {
    for (std::size_t rank = 0; rank < program.size(); ++rank) {
        Writer writer;
        writer.put(REAL_COMMUNICATOR, 0, 0, 0);
        writer.records.back().time = 77;  // its identity
        for (std::size_t member = 0; member < program.size(); ++member)
            writer.put(REAL_MEMBER, static_cast<std::uint32_t>(member), static_cast<int>(member), 0);
        std::uint32_t sends = 0, receives = 0, barriers = 0;
        for (const RankAct& act : program[rank]) {
            if (act.kind == Kind::Send) {
                writer.put(REAL_SEND, ++sends, act.peer, act.tag);
                writer.put(REAL_SENT, sends, 0, 0);
            } else if (act.kind == Kind::Receive) {
                const Match match = matches[rank][receives++];
                const auto flags = static_cast<std::uint8_t>(act.peer == REAL_ANY ? REAL_WILD : 0);
                writer.put(REAL_POST, receives, act.peer, act.tag, flags);
                writer.put(REAL_CAME, receives, match.sender, match.tag);
            } else {
                writer.put(REAL_COLLECTIVE, ++barriers, REAL_NOBODY, REAL_ALL);
                writer.put(REAL_COLLECTIVE_END, barriers, REAL_NOBODY, REAL_ALL);
            }
        }
        writer.put(REAL_FINALIZE, 0, 0, 0);
        save(writer, rank, program.size(), folder);
    }
}

}  // namespace testing_support
