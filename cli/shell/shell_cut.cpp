// `back cut`: the run again from a snapshot, to the cut of a breakpoint. A cut is no instant: each node is held at its own part
// while the others go on. Here the machine itself is looked at, so this is truth.
#include <algorithm>
#include <charconv>
#include <memory>
#include <sstream>

#include <fmt/format.h>

#include <tmon_predicates/predicate_watch.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "shell/breakpoints.hpp"
#include "shell/cut_order.hpp"
#include "shell/shell_line.hpp"
#include "shell/shell_machine.hpp"

namespace cli {

using tmon_predicates::Cut;
using tmon_predicates::Truth;
using trace_record::Event;
using vocabulary::NodeId;
using vocabulary::RequestError;
using vocabulary::SimTime;

namespace {

// All records that the nodes have made: those at the host, and those in the nodes' buffers. What is on its way between is
// missing.
std::vector<std::vector<Event>> records_made(session::LiveSession& session) {
    std::vector<std::vector<Event>> made;
    const tmon_streams::Trace trace = session.collected();
    for (std::size_t node = 0; node < trace.streams.size(); ++node) {
        std::vector<Event> records;
        for (const auto& part : trace.streams[node].parts) records.insert(records.end(), part.begin(), part.end());
        for (const Event& event : session.monitors()[node]->state().buffers.records()) {
            if (records.empty() || event.seq > records.back().seq) records.push_back(event);
        }
        made.push_back(std::move(records));
    }
    return made;
}

// What a record says, without its time.
std::uint64_t hash_of(const Event& event) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const std::uint64_t part :
         {std::uint64_t{event.seq}, std::uint64_t{event.task}, std::uint64_t{event.subtask}, std::uint64_t{event.bytes},
          std::uint64_t{event.peer}, static_cast<std::uint64_t>(event.kind), std::uint64_t{event.is_result}})
        hash = (hash ^ part) * 0x100000001b3;
    return hash;
}

std::pair<std::uint16_t, std::uint32_t> node_and_number(const std::string& word, std::size_t nodes) {
    std::uint32_t node = 0, number = 0;
    const char* const end = word.data() + word.size();
    const std::size_t colon = word.find(':');
    const bool shaped = word.size() > 3 && word.front() == 'n' && colon != std::string::npos;
    const char* const middle = word.data() + std::min(colon, word.size());
    if (!shaped || std::from_chars(word.data() + 1, middle, node) != std::from_chars_result{middle, std::errc()} ||
        std::from_chars(middle + 1, end, number) != std::from_chars_result{end, std::errc()})
        throw RequestError(fmt::format("expected NODE:RECORD, as n3:17, and got '{}'", word));
    if (node >= nodes) throw RequestError(fmt::format("there is no node n{}; the last one is n{}", node, nodes - 1));
    return {static_cast<std::uint16_t>(node), number};
}

}  // namespace

ShellAnswer ShellMachine::hold_nodes(const std::string& arguments) {
    breakpoints();  // throws
    const auto monitors = running().monitors();
    std::vector<std::pair<std::uint16_t, std::uint32_t>> wanted;
    for (const std::string& word : words_of(arguments)) {
        wanted.push_back(node_and_number(word, monitors.size()));
        const auto [node, number] = wanted.back();
        if (monitors[node]->recorded() > number)
            throw RequestError(fmt::format("n{} has made n{}:{} already; go back to a snapshot first", node, node, number));
    }
    if (wanted.empty()) throw RequestError("expected NODE:RECORD, for example 'hold n3:17 n4:20'");
    for (const auto& [node, number] : wanted) monitors[node]->hold_from(number);
    note_command();
    return {.text = fmt::format("{} nodes are held before these records", wanted.size())};
}

ShellAnswer ShellMachine::release(const std::string& arguments) {
    if (!arguments.empty()) throw RequestError(fmt::format("'release' takes no argument, and got '{}'", arguments));
    breakpoints();
    const auto monitors = running().monitors();
    for (const NodeId node : scenario_.farm.members()) monitors[node.value()]->release(live().machine().kernel(node));
    note_command();
    return {.text = "all processes go on"};
}

// What `back cut` leaves for the snapshot, as text.
struct ShellMachine::ToCut {
    std::string number, predicate;
    SimTime stopped_at;  // of the run before
    struct Part {
        std::uint32_t count = 0, known = 0;  // records of the cut, and those of them that came
        std::uint64_t hash = 0;              // the sum over these
    };
    std::vector<Part> nodes{};

    std::string text() const {
        std::string text = fmt::format("{} {}\n{}\n", number, stopped_at.in_ps(), predicate);
        for (const Part& part : nodes) text += fmt::format("{} {} {}\n", part.count, part.known, part.hash);
        return text;
    }
    static ToCut of(const std::string& text) {
        ToCut made;
        std::istringstream stream(text);
        std::int64_t ps = 0;
        stream >> made.number >> ps;
        made.stopped_at = SimTime::ps(ps);
        stream.ignore();
        std::getline(stream, made.predicate);
        for (Part part; stream >> part.count >> part.known >> part.hash;) made.nodes.push_back(part);
        return made;
    }
    Cut cut() const {
        Cut cut;
        for (const Part& part : nodes) cut.push_back(part.count);
        return cut;
    }
};

namespace {

// Of the records below `count`: how many there are, and the sum of their hashes.
std::pair<std::uint32_t, std::uint64_t> known_of(const std::vector<Event>& records, std::uint32_t count) {
    std::pair<std::uint32_t, std::uint64_t> known{};
    for (const Event& event : records) {
        if (event.seq >= count) break;
        ++known.first;
        known.second += hash_of(event);
    }
    return known;
}

// The predicate on these first parts of the nodes' records, with nothing behind them.
tmon_predicates::PredicateAnswer evaluated(const std::string& predicate, const Cut& cut,
                                           const std::vector<std::vector<Event>>& made) {
    const auto nodes = static_cast<std::uint16_t>(cut.size());
    tmon_predicates::PredicateWatch watch(nodes);
    watch.add(tmon_predicates::parse_predicate(predicate, nodes));
    tmon_order::TraceSorter sorter(nodes, watch, {});
    for (std::uint16_t node = 0; node < nodes; ++node) {
        std::uint32_t next = 0;
        const auto lose_to = [&](std::uint32_t end) {
            if (next < end) sorter.lost({.node = node, .first_seq = next, .last_seq = end - 1});
        };
        for (const Event& event : made[node]) {
            if (event.seq >= cut[node]) break;
            lose_to(event.seq);
            sorter.records(node, event.seq, {&event, 1}, 0);
            next = event.seq + 1;
        }
        lose_to(cut[node]);
    }
    sorter.finish();
    return watch.answer(0);
}

}  // namespace

// The order for the snapshot: the breakpoint, its predicate, and for each node its part and a hash of the records in it.
ShellAnswer ShellMachine::back_to_cut(const std::string& arguments) {
    const Breakpoint* which = breakpoints().last_hit();
    if (!arguments.empty()) {
        const auto& all = breakpoints().all();
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](const Breakpoint& one) { return std::to_string(one.number) == arguments; });
        if (found == all.end()) throw RequestError(fmt::format("there is no breakpoint '{}'; 'break' lists them", arguments));
        which = &*found;
    }
    if (which == nullptr || which->answer.truth != Truth::Holds)
        throw RequestError(
            "no predicate has become true so far, so there is no cut to go back to; give 'break when PREDICATE' and 'run'");
    // The last snapshot at which no node had passed its part.
    const Cut& cut = which->answer.cut;
    std::size_t place = snapshots_.size();
    const auto is_before = [&](const Snapshot& snapshot) {
        for (std::size_t node = 0; node < cut.size(); ++node) {
            if (snapshot.made[node] > cut[node]) return false;
        }
        return true;
    };
    while (place > 0 && !is_before(snapshots_[place - 1])) --place;
    if (place == 0) throw RequestError("no snapshot lies before the cut; go back, and give 'break when' or 'snapshot' earlier");
    const auto made = records_made(live());
    ToCut to{std::to_string(which->number), which->predicate.text, now()};
    for (std::size_t node = 0; node < cut.size(); ++node) {
        const auto [known, hash] = known_of(made[node], cut[node]);
        to.nodes.push_back({cut[node], known, hash});
    }
    cut_order_->leave(to.text());
    return back(snapshots_[place - 1].name);
}

// In the process that goes on from the snapshot.
ShellAnswer ShellMachine::go_to_cut(const std::string& order, const std::string& back) {
    const auto to = std::make_shared<const ToCut>(ToCut::of(order));
    std::string line = "hold";
    for (const NodeId node : scenario_.farm.members()) {
        const std::uint32_t count = to->nodes[node.value()].count;
        live().monitors()[node.value()]->hold_from(count);
        line += fmt::format(" n{}:{}", node.value(), count);
    }
    changes_.push_back({now(), now(), line});
    goes_to_cut_ = true;
    return go({.until = to->stopped_at + SimTime::s(1),
               .there = [this, to] { return is_at_cut(*to); },
               .answer =
                   [this, to, back] {
                       goes_to_cut_ = false;
                       if (breakpoints_) breakpoints_->take_news();
                       return ShellAnswer{.ok = is_at_cut(*to), .text = back + "\n" + cut_text(*to)};
                   },
               .by_session = !by_hand_});
}

// Records on their way are waited for, so that all can be seen.
bool ShellMachine::is_at_cut(const ToCut& to) const {
    for (const NodeId node : scenario_.farm.members()) {
        if (live().monitors()[node.value()]->recorded() < to.nodes[node.value()].count) return false;
    }
    const auto made = records_made(live());
    for (std::size_t node = 0; node < to.nodes.size(); ++node) {
        if (known_of(made[node], to.nodes[node].count).first < to.nodes[node].known) return false;
    }
    return true;
}

std::string ShellMachine::cut_text(const ToCut& to) const {
    const auto made = records_made(live());
    std::string text =
        fmt::format("at {}, each node is held at its part of the cut of breakpoint {}\n", time_word(now()), to.number);
    text += fmt::format("  {:<6} {:>9} {:>9} {:>9}  {}\n", "NODE", "PART", "MADE", "HELD", "RECORDS OF THE RUN BEFORE");
    bool all_the_same = true;
    for (const NodeId id : scenario_.farm.members()) {
        const auto node = id.value();
        const ToCut::Part& part = to.nodes[node];
        const auto [known, hash] = known_of(made[node], part.count);
        const std::uint32_t recorded = live().monitors()[node]->recorded();
        const bool same = recorded == part.count && known == part.known && hash == part.hash;
        all_the_same = all_the_same && same;
        text += fmt::format("  n{:<5} {:>9} {:>9} {:>9}  {}\n", node, part.count, recorded,
                            live().monitors()[node]->state().held.size(),
                            same                    ? "the same"
                            : recorded < part.count ? "it has not come there"
                            : known != part.known   ? fmt::format("{} of {} are here", known, part.known)
                                                    : "others: the run took another way while nodes were held");
    }
    const auto answer = evaluated(to.predicate, to.cut(), made);
    const bool holds = answer.truth == Truth::Holds && all_the_same;
    text += fmt::format("  truth, from what the probes of the nodes have recorded up to now: {}\n    {}\n", to.predicate,
                        holds ? "it holds in this state, in which no node is past its part" : "it is not shown to hold here");
    return text + "'state', 'why' and the others show the machine; 'release' lets the held processes go on";
}

}  // namespace cli
