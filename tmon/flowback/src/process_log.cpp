#include <tmon_flowback/process_log.hpp>

#include <algorithm>
#include <stdexcept>

#include <vocabulary/source_position.hpp>

namespace tmon_flowback {

using flowback_log::Entry;
using flowback_log::Kind;

ProcessLog::ProcessLog(const std::string& path, const PreparedProgram& program) : program_(program) {
    try {
        log_ = flowback_log::Log::read(path);
    } catch (const std::runtime_error& error) {
        throw vocabulary::InputError({path, 0, 0}, error.what());
    }
    std::uint64_t offset = 0;
    const auto first = log_.next(offset);
    if (!first && log_.size() == 0) throw vocabulary::InputError({path, 0, 0}, "holds nothing: " + log_.problem());
    if (!first || first->kind != Kind::Process)
        throw vocabulary::InputError({path, 0, 0}, "does not say which process it is of; its beginning is damaged");
    if (first->program != program.digest())
        throw vocabulary::InputError({path, 0, 0},
                                     "was made by another build of the program than the prepared one beside it; answers from "
                                     "it would be wrong");
    name_ = first->name;
    like_ = first->like;
    shared_ = first->ranges.front();
    index();
}

void ProcessLog::index() {
    for (std::uint64_t offset = 0; offset < log_.size();) {
        const std::uint64_t at = offset;
        const auto entry = log_.next(offset);
        if (!entry) {
            // Blocks are cut anywhere, so the last entry of a log that is not whole may be a part of one.
            if (log_.whole()) problem_ = "entry at byte " + std::to_string(at) + " is none that a program makes";
            break;
        }
        switch (entry->kind) {
            case Kind::Addresses:
                take_addresses(*entry);
                break;
            case Kind::Root:
                close_to(0, *entry, Interval::End::Unwound);
                roots_.push_back({entry->number, entry->task, entry->subtask, entry->ranges, at});
                break;
            case Kind::Enter:
                enter(*entry, offset);
                break;
            case Kind::Leave:
                close_to(entry->depth, *entry, Interval::End::Left);
                break;
            case Kind::Stopped:
                if (!open_.empty()) intervals_[open_.back()].touches = entry->touches;
                if (!open_.empty()) intervals_[open_.back()].end = at;
                break;
            case Kind::Unwound:
                if (!open_.empty()) intervals_[open_.back()].touches = entry->touches;
                close_to(entry->depth, *entry, Interval::End::Unwound);
                break;
            case Kind::Message:
                messages_.push_back({entry->passed, entry->task, entry->subtask, entry->ranges.front(), at,
                                     open_.empty() ? nothing : open_.back(),
                                     roots_.empty() ? 0 : static_cast<std::uint32_t>(roots_.size() - 1)});
                break;
            case Kind::Act:
                take_act(*entry);
                break;
            default:
                break;
        }
        if (!problem_.empty()) break;
    }
    for (const std::uint32_t each : open_) {
        intervals_[each].after = log_.size();
        if (!intervals_[each].touches) intervals_[each].end = log_.size();
    }
}

void ProcessLog::enter(const Entry& entry, std::uint64_t after) {
    if (entry.depth != open_.size() || !program_.has_function(entry.number)) {
        problem_ = "entry at byte " + std::to_string(entry.offset) + " does not fit the program";
        return;
    }
    Interval made;
    made.function = entry.number;
    made.parent = open_.empty() ? nothing : open_.back();
    made.root = roots_.empty() ? 0 : static_cast<std::uint32_t>(roots_.size() - 1);
    made.begin = entry.offset;
    made.body = after;
    const auto number = static_cast<std::uint32_t>(intervals_.size());
    by_begin_[entry.offset] = number;
    open_.push_back(number);
    intervals_.push_back(std::move(made));
}

void ProcessLog::close_to(std::size_t depth, const Entry& entry, Interval::End how) {
    if (how == Interval::End::Left && open_.size() != depth + 1) {
        problem_ = "entry at byte " + std::to_string(entry.offset) + " does not fit those before it";
        return;
    }
    while (open_.size() > depth) {
        Interval& its = intervals_[open_.back()];
        open_.pop_back();
        its.how = how;
        its.end = entry.offset;
        std::uint64_t after = entry.offset;
        log_.next(after);
        its.after = how == Interval::End::Left ? after : entry.offset;
        its.unknown_inside = how != Interval::End::Left || entry.unknown_inside;
        if (how == Interval::End::Left) its.wrote = entry.ranges;
    }
}

void ProcessLog::take_addresses(const Entry& entry) {
    std::uint32_t number = program_.first_global(entry.number);
    for (const std::uint64_t address : entry.addresses) {
        if (number >= program_.globals().size()) break;
        if (addresses_.size() <= number) addresses_.resize(number + 1, 0);
        addresses_[number] = address;
        if (program_.globals()[number].bytes > 0 && address != 0) by_address_[address] = number;
        ++number;
    }
}

void ProcessLog::take_act(const Entry& entry) {
    if (entry.act == flowback_log::ActKind::Rank) {
        rank_ = entry.peer;
        return;
    }
    const auto number = static_cast<std::uint32_t>(acts_.size());
    acts_.push_back({entry.act, entry.peer, entry.flow, entry.tag, entry.context, entry.operation, entry.from, entry.to,
                     entry.offset, open_.empty() ? nothing : open_.back()});
    if (entry.act == flowback_log::ActKind::Begun) begun_[entry.operation] = number;
    const bool passes = entry.act == flowback_log::ActKind::Sent || entry.act == flowback_log::ActKind::Received;
    if (!passes || entry.flow == 0) return;
    const auto [at, is_new] = by_flow_.try_emplace({entry.act, entry.peer, entry.flow}, number);
    if (!is_new) at->second = nothing;  // two claim to be it
}

std::uint32_t ProcessLog::act_at(std::uint64_t offset) const {
    const auto found = std::lower_bound(acts_.begin(), acts_.end(), offset,
                                        [](const LoggedAct& act, std::uint64_t at) { return act.offset < at; });
    return found == acts_.end() || found->offset != offset ? nothing : static_cast<std::uint32_t>(found - acts_.begin());
}

std::size_t ProcessLog::passed_messages() const {
    const auto passed = std::count_if(acts_.begin(), acts_.end(), [](const LoggedAct& act) {
        return act.kind == flowback_log::ActKind::Sent || act.kind == flowback_log::ActKind::Received;
    });
    return messages_.size() + static_cast<std::size_t>(passed);
}

std::uint32_t ProcessLog::begin_of(const LoggedAct& act) const {
    const auto found = begun_.find(act.operation);
    return act.operation == 0 || found == begun_.end() ? nothing : found->second;
}

std::uint32_t ProcessLog::act_of(flowback_log::ActKind kind, std::uint32_t peer, std::uint32_t flow) const {
    const auto found = by_flow_.find({kind, peer, flow});
    return found == by_flow_.end() ? nothing : found->second;
}

std::uint64_t ProcessLog::address_of(std::uint32_t global) const {
    return global < addresses_.size() ? addresses_[global] : 0;
}

std::uint32_t ProcessLog::global_at(std::uint64_t address) const {
    auto found = by_address_.upper_bound(address);
    if (found == by_address_.begin()) return nothing;
    --found;
    return address - found->first < program_.globals()[found->second].bytes ? found->second : nothing;
}

std::uint32_t ProcessLog::interval_at(std::uint64_t offset) const {
    const auto found = by_begin_.find(offset);
    return found == by_begin_.end() ? nothing : found->second;
}

}  // namespace tmon_flowback
