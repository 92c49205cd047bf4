// Breakpoints and steps.
#include <rank_debugger/rank_debugger.hpp>

#include <algorithm>
#include <regex>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include <vocabulary/source_position.hpp>

#include "parts.hpp"
#include "places.hpp"

namespace rank_debugger {

using user_programs::CodeRegisters;
using user_programs::LoadedProgram;
using user_programs::ProgramProcess;
using vocabulary::RequestError;

RankDebugger::RankDebugger(Program program, std::function<bool()> may_stop, std::function<void(const Answer&)> stopped)
    : program_(std::move(program)), may_stop_(std::move(may_stop)), stopped_(std::move(stopped)) {}
RankDebugger::~RankDebugger() = default;

// It reads a copy that nobody changes: the program's own file may be built anew meanwhile.
RankDebugger::Parts& RankDebugger::parts() const {
    if (parts_) return *parts_;
    const auto modules = program_.modules();
    if (modules.empty()) throw RequestError("the program is not loaded");
    parts_ = std::make_unique<Parts>(modules.back()->path());
    return *parts_;
}

const CodeBreakpoint& RankDebugger::add(std::size_t number, const std::string& ranks, const std::string& place) {
    CodeBreakpoint made{.number = number, .ranks = {}, .words = place, .place = {}, .note = {}, .addresses = {}};
    if (!ranks.empty() && ranks != "all") made.ranks = parse_ranks(ranks, program_.ranks);
    if (place.starts_with("race ")) {
        add_receive(made);
    } else {
        CodePlace found = place_of(parts().info, place);
        made.place = std::move(found.text);
        made.note = std::move(found.note);
        made.addresses = std::move(found.addresses);
    }
    all_.push_back(std::move(made));
    refresh();
    return all_.back();
}

namespace {

// Names in the library of MPI (lam_delivery.h).
constexpr const char* receive_begins = "lam_receive_begins";
constexpr const char* receives_begun = "lam_receives";

std::optional<std::uint32_t> receives_of(const ProgramProcess& process, const DebugInfo& info) {
    const Symbol* const variable = info.symbol(receives_begun);
    std::uint32_t begun = 0;
    if (variable == nullptr) return std::nullopt;
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    const auto* const at = reinterpret_cast<const void*>(process.program().addresses().load + variable->begin);
    return process.copy_out(at, &begun, sizeof begun) ? std::optional(begun) : std::nullopt;
}

}  // namespace

// A receive has its number in the order of their beginning, in each run. So it is that of a race, whatever comes.
void RankDebugger::add_receive(CodeBreakpoint& to) const {
    static const std::regex form("race (?:r|rank )([0-9]{1,9}),? (?:recv|receive) ([0-9]{1,9})");
    std::smatch parts_of;
    if (!std::regex_match(to.words, parts_of, form) || std::stoul(parts_of[2]) == 0)
        throw RequestError(
            fmt::format("expected a receive as records and races name it, 'race r0 recv 3', and got '{}'", to.words));
    if (!to.ranks.empty() && ranks_text(to.ranks) != parts_of[1].str())
        throw RequestError("the receive names its rank already");
    to.ranks = parse_ranks(parts_of[1], program_.ranks);
    to.receive = static_cast<std::uint32_t>(std::stoul(parts_of[2]));
    const DebugInfo& info = parts().info;
    const Symbol* const place = info.symbol(receive_begins);
    if (place == nullptr || info.symbol(receives_begun) == nullptr)
        throw RequestError("the program does not say where a receive begins; link it anew with 'magicwire mpicc', without -s");
    to.place = fmt::format("receive {} begins", to.receive);
    to.addresses = {place->begin};
    const ProgramProcess* const process = program_.processes()[to.ranks[0]];
    const auto begun = process != nullptr ? receives_of(*process, info) : std::nullopt;
    if (begun && *begun >= to.receive)
        to.note = fmt::format("the rank has begun {} receives already, so it stops there only after going back", *begun);
}

bool RankDebugger::is_at(const CodeBreakpoint& one, std::size_t rank, const ProgramProcess& process) const {
    if (!one.ranks.empty() && !std::binary_search(one.ranks.begin(), one.ranks.end(), rank)) return false;
    return one.receive == 0 || receives_of(process, parts_->info) == one.receive - 1;
}

bool RankDebugger::remove(std::optional<std::size_t> number) {
    const auto gone = std::erase_if(all_, [&](const CodeBreakpoint& one) { return !number || one.number == *number; });
    refresh();
    return gone > 0 || !number;
}

std::string RankDebugger::text() const {
    std::string text;
    for (const CodeBreakpoint& one : all_)
        text += fmt::format("{} {} {}\n", one.number, one.ranks.empty() ? "all" : ranks_text(one.ranks), one.words);
    return text;
}

void RankDebugger::take(const std::string& text) {
    all_.clear();
    step_.reset();
    std::istringstream lines(text);
    std::string ranks, place;
    for (std::size_t number = 0; lines >> number >> ranks;) {
        lines.ignore();
        std::getline(lines, place);
        add(number, ranks, place);
    }
    refresh();
}

void RankDebugger::let_go(bool gone) {
    all_.clear();
    step_.reset();
    if (!parts_ || !parts_->stops) return;
    if (gone) parts_->stops->forget();
    if (!gone) refresh();
}

void RankDebugger::forget_step() {
    step_.reset();
    refresh();
}

// A copy of the module that no rank has yet gets all breakpoints.
void RankDebugger::refresh() {
    if (all_.empty() && !step_ && (!parts_ || !parts_->stops)) return;
    Parts& its = parts();
    if (!its.stops) {
        its.stops = std::make_unique<user_programs::CodeStops>(
            [this](ProgramProcess& process, const CodeRegisters& at) { return wants(process, at); },
            [this](ProgramProcess& process) { tell_stop(process); });
    }
    const auto processes = program_.processes();
    for (LoadedProgram* module : program_.modules()) {
        const auto its_rank = std::find_if(processes.begin(), processes.end(), [&](const ProgramProcess* process) {
            return process != nullptr && &process->program() == module;
        });
        const bool runs = its_rank != processes.end();
        const auto rank = static_cast<std::size_t>(its_rank - processes.begin());
        std::set<std::uintptr_t> places;
        for (const CodeBreakpoint& one : all_) {
            const bool is_meant = !runs || one.ranks.empty() || std::binary_search(one.ranks.begin(), one.ranks.end(), rank);
            if (is_meant) places.insert(one.addresses.begin(), one.addresses.end());
        }
        if (step_ && runs && rank == step_->rank) {
            places.insert(step_->inside.begin(), step_->inside.end());
            places.insert(step_->entries.begin(), step_->entries.end());
            if (step_->back) places.insert(*step_->back);
        }
        std::vector<std::uintptr_t> addresses;
        for (const std::uintptr_t place : places) addresses.push_back(place + module->addresses().load);
        its.stops->set(*module, addresses);
    }
}

bool RankDebugger::is_step(const ProgramProcess& process, const CodeRegisters& at, std::uintptr_t offset) const {
    if (!step_ || !step_->has(offset)) return false;
    const ReadMemory read = [&](std::uintptr_t from, void* to, std::size_t bytes) {
        return process.copy_out(reinterpret_cast<const void*>(from), to, bytes);  // NOLINT(performance-no-int-to-ptr)
    };
    const auto canonical = parts_->stacks.canonical(process.program().addresses(), at, read);
    if (!canonical) return false;
    if (step_->back == offset && *canonical == step_->back_canonical) return true;
    if (step_->inside.contains(offset) && *canonical == step_->canonical) return true;
    return step_->entries.contains(offset) && *canonical < step_->canonical;
}

// On the stack of the process, which has come to a place.
bool RankDebugger::wants(const ProgramProcess& process, const CodeRegisters& at) {
    const auto processes = program_.processes();
    const auto found = std::find(processes.begin(), processes.end(), &process);
    if (found == processes.end() || !may_stop_()) return false;
    const auto rank = static_cast<std::size_t>(found - processes.begin());
    const std::uintptr_t offset = *at.get(CodeRegisters::instruction) - process.program().addresses().load;
    hit_.clear();
    bool is_another_ranks = false;
    for (const CodeBreakpoint& one : all_) {
        if (!std::binary_search(one.addresses.begin(), one.addresses.end(), offset)) continue;
        if (is_at(one, rank, process)) hit_.push_back(one.number);
        is_another_ranks =
            is_another_ranks || (!one.ranks.empty() && !std::binary_search(one.ranks.begin(), one.ranks.end(), rank));
    }
    const bool stops = (step_ && rank == step_->rank && is_step(process, at, offset)) || !hit_.empty();
    if (stops) stopped_rank_ = rank;
    if (!stops && is_another_ranks) refresh();  // it is known now whose copy of the module this is
    return stops;
}

void RankDebugger::tell_stop(const ProgramProcess&) {
    step_.reset();
    refresh();
    const std::size_t rank = *stopped_rank_;
    stopped_(where({rank}));
    stopped_rank_.reset();
    hit_.clear();
}

// The lines at which a step from here may end. A function that is a part of another one is left to the lines around it.
void RankDebugger::add_lines(Step& to, const Frame& from) const {
    const DebugInfo& info = parts_->info;
    const Line* const here = info.line_at(from.in.code);
    const Dwarf_Die whole_of = from.is_inlined ? from.scopes.back() : Dwarf_Die{};
    const auto is_left = [&](const Function& function, std::uintptr_t address) {
        if (to.kind != StepKind::Out) return true;
        const auto scopes = DebugInfo::scopes_at(function, address);
        return std::none_of(scopes.begin(), scopes.end(), [&](const Dwarf_Die& scope) { return scope.addr == whole_of.addr; });
    };
    if (to.kind == StepKind::Out && !from.is_inlined) return;
    for (const Line& line : info.lines()) {
        if (!line.begins || line.last || line.line == 0) continue;
        const Function* const function = info.function_at(line.address);
        const Line* const its = info.line_at(line.address);
        if (function == nullptr || its == nullptr || function->die.addr != from.function->die.addr) continue;
        const bool same = here != nullptr && its->line == here->line && std::string(its->file) == here->file;
        if (!same && is_left(*function, line.address)) to.inside.insert(line.address);
    }
}

void RankDebugger::step(std::size_t rank, StepKind kind) {
    const View view = view_of(rank);
    if (view.frames.empty()) throw RequestError(fmt::format("rank {} {}, so it cannot make a step", rank, view.state));
    const Frame& frame = view.frames[0];
    auto made = std::make_unique<Step>();
    made->rank = rank;
    made->kind = kind;
    if (!frame.in.canonical)
        throw RequestError("nothing is known of the frame of " + frame.name + "(), so it cannot make a step");
    made->canonical = *frame.in.canonical;
    if (frame.function == nullptr)
        throw RequestError("nothing is known of the lines of " + frame.name + "(), so it cannot make a step");
    add_lines(*made, frame);
    for (const Frame& outer : view.frames) {
        if (!outer.in.canonical || *outer.in.canonical == made->canonical) continue;
        made->back = *outer.in.registers.get(CodeRegisters::instruction) - outer.in.load;
        made->back_canonical = *outer.in.canonical;
        break;
    }
    if (kind == StepKind::Into) {
        const DebugInfo& info = parts_->info;
        for (const Function& function : info.functions()) {
            if (function.begin == function.entry) made->entries.insert(entry_of(info, function));
        }
    }
    step_ = std::move(made);
    refresh();
}

bool RankDebugger::step_is_over() const {
    return step_ && program_.processes()[step_->rank] == nullptr;
}

}  // namespace rank_debugger
