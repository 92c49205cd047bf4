#include <mpi_runs/findings.hpp>

#include <array>
#include <cstdlib>
#include <cstring>

#include <lam_mpi/lam_start.h>

#include "finding_reader.hpp"

namespace mpi_runs {
namespace {

// In the order of lam_finding_kind.
constexpr std::array<const char*, LAM_FINDING_KINDS> kind_names = {
    "error",         "invalid-argument",    "call-order",    "leak",       "missing-wait", "missing-start",
    "buffer-in-use", "collective-mismatch", "type-mismatch", "truncation", "unreceived",   "no-memory",
    "error"};

template <std::size_t room>
std::string text_in(const char (&text)[room]) {
    return {text, strnlen(text, room)};
}

std::string line_of(const user_programs::LoadedProgram& program, const void* call) {
    return call == nullptr ? "" : program.line_of(reinterpret_cast<std::uintptr_t>(call));
}

// The mark for the line of the other call.
std::string with_line(std::string text, const std::string& line) {
    const std::string mark = LAM_OTHER_LINE;
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark))
        text.replace(at, mark.size(), line.empty() ? "another line" : line);
    return text;
}

}  // namespace

void set_line(Finding& finding, const std::string& where) {
    const std::size_t colon = where.rfind(':');
    if (colon == std::string::npos) return;
    finding.file = where.substr(0, colon);
    finding.line = static_cast<unsigned>(std::strtoul(where.c_str() + colon + 1, nullptr, 10));
}

std::string text_of(const Finding& finding) {
    std::string text = finding.rank ? "rank " + std::to_string(*finding.rank) + ": " : "";
    if (!finding.function.empty()) text += finding.function + "()";
    if (!finding.file.empty()) text += " at " + finding.file + ":" + std::to_string(finding.line);
    if (!finding.communicator.empty()) text += " on " + finding.communicator;
    if (!finding.function.empty()) text += ": ";
    if (finding.likely) text += "likely a mistake: ";
    if (!finding.error_class.empty()) text += finding.error_class + ": ";
    text += finding.text;
    return finding.advice.empty() ? text : text + "\n  " + finding.advice;
}

void FindingReader::add(Finding finding) {
    if (tell_) tell_(finding);
    all_.push_back(std::move(finding));
}

void FindingReader::note(const node_programs::Report::Running& by, int what, std::span<const std::byte> record) {
    if (what == LAM_NOTE_FINDING) return take(by, record);
    Life& life = lives_[{by.node, by.pid}];
    life.ended = what == LAM_NOTE_ENDED;
    lam_called called{};
    if (what != LAM_NOTE_BEGUN || record.size() != sizeof called) return;
    std::memcpy(&called, record.data(), sizeof called);
    life.function = called.function == nullptr ? "MPI_Init" : called.function;
    life.call = called.from;
    life.program = &by.process->program();
}

std::optional<std::size_t> FindingReader::rank_of(vocabulary::NodeId node, vocabulary::ProcessId pid) const {
    for (std::size_t rank = 0; ranks_ != nullptr && rank < ranks_->size(); ++rank) {
        const lam_mpi::RankEnd& its = (*ranks_)[rank];
        if (its.loaded && its.pid == pid && places_[rank] == node) return rank;
    }
    return std::nullopt;
}

void FindingReader::look_for_missing_ends() {
    for (std::size_t rank = 0; ranks_ != nullptr && rank < ranks_->size(); ++rank) {
        const lam_mpi::RankEnd& its = (*ranks_)[rank];
        const auto life = lives_.find({places_[rank], its.pid});
        if (!its.ended || its.status != 0 || life == lives_.end() || life->second.ended) continue;
        Finding finding{.kind = "no-finalize", .rank = rank, .function = life->second.function};
        finding.text = "the rank has ended, and MPI_Finalize() was not called";
        set_line(finding, line_of(*life->second.program, life->second.call));
        add(std::move(finding));
    }
}

void FindingReader::take(const node_programs::Report::Running& by, std::span<const std::byte> record) {
    lam_finding its{};
    if (record.size() != sizeof its) return;
    std::memcpy(&its, record.data(), sizeof its);
    Finding finding;
    const auto kind = static_cast<std::size_t>(its.kind);
    finding.kind = kind < kind_names.size() ? kind_names.at(kind) : "error";
    finding.likely = its.is_likely != 0;
    finding.fatal = its.is_fatal != 0;
    finding.rank = its.rank >= 0 ? static_cast<std::size_t>(its.rank) : rank_of(by.node, by.pid);
    finding.function = text_in(its.function);
    finding.communicator = text_in(its.communicator);
    finding.error_class = text_in(its.error_class);
    finding.text = with_line(text_in(its.text), line_of(by.process->program(), its.other));
    finding.advice = text_in(its.advice);
    set_line(finding, line_of(by.process->program(), its.from));
    add(std::move(finding));
}

}  // namespace mpi_runs
