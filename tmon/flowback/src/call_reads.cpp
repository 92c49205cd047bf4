#include "call_reads.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include <flowback_log/recorder.hpp>
#include <tmon_flowback/question.hpp>

namespace tmon_flowback {

namespace {

using flowback_log::Range;

using flowback_log::Effect;

template <std::size_t count>
bool is_one_of(const std::string& name, const char* const (&names)[count]) {
    return std::any_of(std::begin(names), std::end(names), [&](const char* each) { return name == each; });
}

// C standard, 7.21 and 7.24. Each pointer is to a text that ends with a zero, where it is no destination.
bool reads_texts(const std::string& name) {
    static const char* const names[] = {"atof",   "atoi",   "atol",   "printf", "puts",    "snprintf", "sprintf",
                                        "strchr", "strcmp", "strcpy", "strlen", "strrchr", "strstr",   "trek_print"};
    return is_one_of(name, names);
}
// The third argument counts the bytes.
bool reads_counted(const std::string& name) {
    static const char* const names[] = {"memchr", "memcmp"};
    return is_one_of(name, names);
}
// Their result rests on what was called before.
bool has_state(const std::string& name) {
    static const char* const names[] = {"rand", "result_task", "srand"};
    return is_one_of(name, names);
}
bool reads_nothing(const std::string& name) {
    static const char* const names[] = {"free", "trek_release"};
    return is_one_of(name, names);
}

// A text up to its zero. False: the logs do not tell where it ends, and the place stays.
bool cut_to_text(RecordedRun& run, const EventId& before, Range& place) {
    const std::uint64_t all = place.second;
    for (std::uint64_t bytes = 1; bytes <= all; ++bytes) {
        const auto byte = bytes_before(run, before, place.first + bytes - 1, 1);
        if (!byte) return false;
        if (byte->front() != std::byte{0}) continue;
        place.second = bytes;
        return true;
    }
    return false;
}

bool is_constant(const RecordedRun& run, const EventId& before, std::uint64_t address) {
    const std::uint32_t global = run.process(before.process).global_at(address);
    return global != nothing && run.program().globals()[global].constant;
}

// The rest of one of the texts that main() was called with; the last part of that message is the list of them.
bool is_rest_of_argument(const ProcessLog& log, const Range& place) {
    return std::any_of(log.roots().begin(), log.roots().end(), [&](const Root& root) {
        return root.entry == main_entry && !root.message.empty() &&
               std::any_of(root.message.begin(), std::prev(root.message.end()), [&](const Range& text) {
                   return place.first >= text.first && place.first + place.second == text.first + text.second;
               });
    });
}

// MPI 3.1, sections 6.4 and 6.6: the ranks of the new communicator rest on arguments of all.
bool depends_on_others(const std::string& name) {
    static const char* const names[] = {"MPI_Comm_split",        "MPI_Comm_split_type",  "MPI_Comm_create",
                                        "MPI_Comm_create_group", "MPI_Intercomm_create", "MPI_Intercomm_merge"};
    return is_one_of(name, names);
}

// Those of a function that tells the rest (Effect::Told).
CallReads told_reads(RecordedRun& run, const EventId& call, const CallDetails& details) {
    CallReads reads;
    const Site& site = run.site(call);
    for (const CallStep& step : details.steps) {
        if (!step.is_act) continue;
        const LoggedAct& act = run.process(call.process).acts()[step.number];
        if (act.kind == flowback_log::ActKind::Read) reads.places.insert(reads.places.end(), act.from.begin(), act.from.end());
    }
    if (depends_on_others(site.callee))
        reads.doubt = fmt::format("{}() at {} depends on what other ranks gave it, which is not followed",
                                  run.shown(site.callee), run.program().place(site));
    for (const flowback_log::Access& each : flowback_log::inputs_of(site.callee)) {
        const auto argument = [&](int number) {
            return static_cast<std::size_t>(number) < details.words.size() ? details.words[static_cast<std::size_t>(number)]
                                                                           : 0;
        };
        const std::uint64_t times = each.times < 0 ? 1 : argument(each.times) & 0x7fffffffU;
        const std::uint64_t address = argument(each.argument);
        constexpr std::uint64_t first_page = 4096;
        if (address >= first_page && times > 0)
            reads.places.emplace_back(address, times * static_cast<std::uint64_t>(each.bytes));
    }
    return reads;
}

}  // namespace

std::optional<Range> rest_of_object(RecordedRun& run, const EventId& before, std::uint64_t address) {
    const PreparedProgram& program = run.program();
    const ProcessLog& log = run.process(before.process);
    const auto rest = [&](std::uint64_t begin, std::uint64_t bytes) -> std::optional<Range> {
        if (address < begin || address >= begin + bytes) return std::nullopt;
        return Range{address, begin + bytes - address};
    };
    if (const std::uint32_t global = log.global_at(address); global != nothing)
        return rest(log.address_of(global), program.globals()[global].bytes);
    std::uint32_t interval = before.interval;
    for (std::uint32_t until = before.event; interval != nothing; interval = log.intervals()[interval].parent) {
        const Emulation& emulation = run.emulation(before.process, interval);
        for (std::size_t i = std::min<std::size_t>(until, emulation.events().size()); i-- > 0;) {
            const Event& event = emulation.events()[i];
            const SiteKind kind = program.kind(event.site);
            if (kind == SiteKind::Variable) {
                if (const auto found = rest(event.address, event.bytes)) return found;
            } else if (kind == SiteKind::Call && event.extra != nothing) {
                const CallDetails& details = emulation.call(event);
                if (const auto found = rest(details.fresh.first, details.fresh.second)) return found;
                if (details.message == nothing) continue;
                const Range& place = log.messages()[details.message].place;
                if (const auto found = rest(place.first, place.second)) return found;
            }
        }
        until = nothing;
    }
    for (const Root& root : log.roots()) {
        for (const Range& part : root.message) {
            if (const auto found = rest(part.first, part.second)) return found;
        }
    }
    return std::nullopt;
}

CallReads reads_of(RecordedRun& run, const EventId& call) {
    CallReads reads;
    const Emulation& emulation = run.emulation(call.process, call.interval);
    const Event& event = emulation.events()[call.event];
    const Site& site = run.program().site(event.site);
    const CallDetails& details = emulation.call(event);
    if (has_state(site.callee))
        reads.doubt = fmt::format("{}() at {} rests on earlier calls, which are not followed", run.shown(site.callee),
                                  run.program().place(site));
    const auto effect = static_cast<Effect>(site.effect);
    if (effect == Effect::Told) return told_reads(run, call, details);
    const bool into_first = effect == Effect::WritesString || effect == Effect::WritesPrinted || effect == Effect::PrintsText;
    if ((effect != Effect::None && !into_first) || reads_nothing(site.callee)) return reads;
    const auto doubt = [&] {
        reads.doubt =
            fmt::format("how much memory {}() at {} reads is not known", run.shown(site.callee), run.program().place(site));
    };
    for (std::size_t i = into_first ? 1 : 0; i < details.words.size() && i < 64; ++i) {
        const std::uint64_t address = details.words[i];
        if ((site.bits >> i & 1) == 0 || address == 0 || is_constant(run, call, address)) continue;
        auto place = rest_of_object(run, call, address);
        if (!place) {
            doubt();
            continue;
        }
        bool exact = false;
        if (reads_texts(site.callee))
            exact = is_rest_of_argument(run.process(call.process), *place) || cut_to_text(run, call, *place);
        if (reads_counted(site.callee) && details.words.size() > 2) {
            exact = details.words[2] <= place->second;
            if (exact) place->second = details.words[2];
        }
        if (!exact) doubt();
        reads.places.push_back(*place);
    }
    return reads;
}

}  // namespace tmon_flowback
