#include <tmon_flowback/races.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "senders.hpp"
#include "shared_accesses.hpp"

namespace tmon_flowback {

namespace {

using flowback_log::Passed;
using flowback_log::Range;

// How many calls of do_task() certainly, and how many at most, lie before something.
struct Past {
    std::uint64_t certain = 0, most = 0;
    bool operator==(const Past&) const = default;
    void join(const Past& other) {
        certain = std::max(certain, other.certain);
        most = std::max(most, other.most);
    }
};

// For each call of get_result(): the calls of do_task() that messages order before it. A task leads to the function that
// computes it, on the same process to all that it computes later, and from there to the result.
class MessageOrder {
public:
    MessageOrder(RecordedRun& run, std::uint32_t generator) : run_(run), generator_(generator) {
        for (bool changed = true; changed;) {
            changed = false;
            for (std::uint32_t process = 0; process < run.processes().size(); ++process) {
                if (process != generator) changed = pass(process) || changed;
            }
        }
    }
    // Right behind the message of that number.
    Past past(std::uint32_t process, std::uint32_t message) const { return after_message_.at({process, message}); }

private:
    // A message from one of several calls: certain is what lies before each of them.
    Past of_senders(const Origin& received) {
        const Senders senders = senders_of(run_, received);
        std::optional<Past> all;
        for (const Sender& each : senders.candidates) {
            Past its;
            if (each.process == generator_)
                its.certain = its.most = each.message + 1;
            else if (const auto found = after_message_.find({each.process, each.message}); found != after_message_.end())
                its = found->second;
            if (!all) all = its;
            all->certain = std::min(all->certain, its.certain);
            all->most = std::max(all->most, its.most);
        }
        return all.value_or(Past{});
    }
    bool pass(std::uint32_t process) {
        const ProcessLog& log = run_.process(process);
        Past now;
        bool changed = false;
        std::uint32_t root = 0;
        const auto begin_roots = [&](std::uint64_t until) {
            for (; root < log.roots().size() && log.roots()[root].offset <= until; ++root) {
                Origin origin;
                origin.process = process;
                origin.root = root;
                for (origin.part = 0; origin.part < log.roots()[root].message.size(); ++origin.part)
                    now.join(of_senders(origin));
            }
        };
        for (std::uint32_t i = 0; i < log.messages().size(); ++i) {
            begin_roots(log.messages()[i].offset);
            if (log.messages()[i].passed == Passed::Got) {
                Origin origin;
                origin.process = process;
                origin.message = i;
                now.join(of_senders(origin));
            }
            Past& its = after_message_[{process, i}];
            changed = changed || !(its == now);
            its = now;
        }
        return changed;
    }

    RecordedRun& run_;
    std::uint32_t generator_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Past> after_message_;
};

// Tasks are divided. Then one process of a node computes, splits and joins, and no log has the order of these calls.
bool divides(const RecordedRun& run) {
    return std::any_of(run.processes().begin(), run.processes().end(), [](const auto& log) {
        return std::any_of(log->messages().begin(), log->messages().end(),
                           [](const LoggedMessage& each) { return each.passed == Passed::Part; });
    });
}

using Key = std::tuple<int, int, int, int, bool, bool>;  // file and line of both, and who writes

class Search {
public:
    Search(RecordedRun& run, std::uint32_t generator, std::uint32_t receiver)
        : run_(run), order_(run, generator), receiver_(receiver), divides_(divides(run)) {}

    void compare(const std::vector<SharedAccess>& of_generator, const std::vector<SharedAccess>& of_receiver) {
        constexpr std::uint64_t block = 64;  // bytes that are looked at together
        std::map<std::uint64_t, std::vector<std::size_t>> blocks;
        for (std::size_t i = 0; i < of_generator.size(); ++i) {
            const auto& [first, bytes] = of_generator[i].place;
            for (std::uint64_t at = first / block; at <= (first + bytes - 1) / block; ++at) blocks[at].push_back(i);
        }
        for (const SharedAccess& second : of_receiver) {
            const auto& [first, bytes] = second.place;
            for (std::uint64_t at = first / block; at <= (first + bytes - 1) / block; ++at) {
                const auto found = blocks.find(at);
                if (found == blocks.end()) continue;
                for (const std::size_t i : found->second) meet(of_generator[i], second, at * block, block);
            }
        }
    }
    std::vector<Race> take() {
        std::vector<Race> all;
        for (auto& [key, race] : races_) all.push_back(std::move(race));
        return all;
    }

private:
    // A pair is counted in the block where it first meets.
    void meet(const SharedAccess& first, const SharedAccess& second, std::uint64_t from, std::uint64_t block) {
        if ((!first.writes && !second.writes) || (first.own && second.own)) return;
        const std::uint64_t begin = std::max(first.place.first, second.place.first);
        const std::uint64_t end = std::min(first.place.first + first.place.second, second.place.first + second.place.second);
        if (begin >= end || begin < from || begin >= from + block) return;
        // The first access lies before the next call of do_task(), the second one behind the last call of get_result().
        const Past past = second.edge == 0 ? Past{} : order_.past(receiver_, static_cast<std::uint32_t>(second.edge - 1));
        if (past.certain > first.edge) return;
        const Site &one = run_.site(first.event), &other = run_.site(second.event);
        Race& race = races_[{one.file, one.line, other.file, other.line, first.writes, second.writes}];
        if (race.occurrences++ == 0) {
            race.first = {first.event, first.writes, first.edge};
            race.second = {second.event, second.writes, second.edge};
            race.place = {begin, end - begin};
            race.certainty = Certainty::Likely;
        }
        // Where one of them allocated the block, an address may have had two blocks after each other.
        if (past.most <= first.edge && !divides_ && !first.own && !second.own) race.certainty = Certainty::Certain;
    }

    RecordedRun& run_;
    MessageOrder order_;
    std::uint32_t receiver_;
    const bool divides_;
    std::map<Key, Race> races_;
};

// The block that a place lies in, by the statement that allocated it.
std::string name_in(RecordedRun& run, const std::map<std::uint64_t, HeapBlock>& blocks, std::uint64_t address) {
    auto found = blocks.upper_bound(address);
    if (found == blocks.begin()) return "shared memory";
    const HeapBlock& block = std::prev(found)->second;
    if (address >= block.place.first + block.place.second) return "shared memory";
    return fmt::format("byte {} of the block that {} allocated", address - block.place.first,
                       run.program().place(run.site(block.allocated)));
}

Races finished(const RecordedRun& run, Races races, std::uint64_t emulated_before) {
    races.damaged = run.damage();
    races.differences = run.differences();
    races.emulated = run.emulated_statements() - emulated_before;
    return races;
}

}  // namespace

Races find_races(RecordedRun& run) {
    Races races;
    const std::uint64_t before = run.emulated_statements();
    const auto find = [&](const std::string& function) {
        for (std::uint32_t i = 0; i < run.processes().size(); ++i) {
            const std::string& name = run.process(i).name();
            if (name.size() > function.size() && name.ends_with("." + function)) return i;
        }
        return nothing;
    };
    const std::uint32_t init = find("init_master"), generator = find("data_generator"), receiver = find("result_receiver");
    if (generator == nothing || receiver == nothing) return finished(run, std::move(races), before);
    Allocations of_init;
    if (init != nothing) of_init = allocations_of(run, init);
    std::map<std::uint64_t, HeapBlock> blocks = of_init.left;
    for (const auto& [address, block] : blocks) races.shared_bytes += block.place.second;
    for (const std::uint32_t process : {generator, receiver}) {
        const Allocations own = allocations_of(run, process);
        blocks.insert(own.all.begin(), own.all.end());
    }
    RangeSet heap;
    std::map<std::uint64_t, std::uint64_t> sizes;
    for (const auto& [address, block] : blocks) {
        heap.add(block.place);
        sizes[address] = block.place.second;
    }
    SharedAccesses first(run, heap, sizes), second(run, heap, sizes);
    const auto of_generator = first.of(generator), of_receiver = second.of(receiver);
    races.accesses = of_generator.size() + of_receiver.size();
    Search search(run, generator, receiver);
    search.compare(of_generator, of_receiver);
    races.all = search.take();
    for (Race& race : races.all) race.name = name_in(run, blocks, race.place.first);
    for (const std::set<std::string>* doubts : {&std::as_const(of_init.doubts), &first.doubts(), &second.doubts()})
        races.doubts.insert(races.doubts.end(), doubts->begin(), doubts->end());
    return finished(run, std::move(races), before);
}

namespace {

std::string access_text(RecordedRun& run, const RacingAccess& access) {
    const Site& site = run.site(access.event);
    return fmt::format("{} {}  {}  {}   [{}]", run.process(access.event.process).name(), access.writes ? "writes" : "reads",
                       run.program().place(site), run.program().text_of(site.file, site.line), run.text_of(access.event));
}

nlohmann::ordered_json access_json(RecordedRun& run, const RacingAccess& access) {
    const Site& site = run.site(access.event);
    return {{"process", run.process(access.event.process).name()},
            {"writes", access.writes},
            {"place", run.program().place(site)},
            {"text", run.program().text_of(site.file, site.line)},
            {"event", run.text_of(access.event)},
            {"messages_before", access.edge}};
}

}  // namespace

std::string text_of(RecordedRun& run, const Races& races) {
    std::string text;
    for (const Race& race : races.all) {
        text += fmt::format("{}, {} bytes: {} pairs, {}\n  {}\n  {}\n", race.name, race.place.second, race.occurrences,
                            name_of(race.certainty), access_text(run, race.first), access_text(run, race.second));
        const auto behind = [](std::uint64_t edge, const char* call) {
            return edge == 0 ? fmt::format("before any {}", call) : fmt::format("behind {} number {}", call, edge);
        };
        text += fmt::format("  No message orders them: the first lies {}, the second {}.\n",
                            behind(race.first.edge, "do_task()"), behind(race.second.edge, "get_result()"));
    }
    text +=
        fmt::format("{} races. init_master() left {} bytes, and {} accesses touch the heap. {} statements were run again.\n",
                    races.all.size(), races.shared_bytes, races.accesses, races.emulated);
    for (const std::string& each : races.doubts) text += "There may be others: " + each + "\n";
    for (const std::string& each : races.damaged) text += "Not whole: " + each + "\n";
    for (const std::string& each : races.differences) text += "The log and its emulation differ: " + each + "\n";
    return text;
}

nlohmann::ordered_json json_of(RecordedRun& run, const Races& races) {
    nlohmann::ordered_json json = {{"schema", "magicwire.flowback_races/1"},
                                   {"shared_bytes", races.shared_bytes},
                                   {"accesses", races.accesses},
                                   {"emulated_statements", races.emulated},
                                   {"doubts", races.doubts},
                                   {"damaged", races.damaged},
                                   {"differences", races.differences},
                                   {"races", nlohmann::ordered_json::array()}};
    for (const Race& race : races.all)
        json["races"].push_back({{"variable", race.name},
                                 {"bytes", race.place.second},
                                 {"occurrences", race.occurrences},
                                 {"certainty", name_of(race.certainty)},
                                 {"first", access_json(run, race.first)},
                                 {"second", access_json(run, race.second)}});
    return json;
}

}  // namespace tmon_flowback
