#include <tmon_flowback/emulation.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include <flowback_log/recorder.hpp>
#include <vocabulary/errors.hpp>

#include "memory.hpp"

namespace tmon_flowback {

using flowback_log::Effect;
using flowback_log::Entry;
using flowback_log::Kind;

namespace {

std::uint64_t first_word(const void* data, std::uint64_t bytes) {
    std::uint64_t word = 0;
    if (bytes > 0) std::memcpy(&word, data, std::min<std::uint64_t>(bytes, sizeof word));
    return word;
}

std::uint64_t word_of(const CallDetails& details, std::size_t argument) {
    return argument < details.words.size() ? details.words[argument] : 0;
}

}  // namespace

Emulation::Emulation(const PreparedProgram& program, const TraceModule& module, const ProcessLog& log, std::uint32_t interval,
                     std::size_t most_events)
    : program_(program),
      log_(log),
      interval_(log.intervals()[interval]),
      most_events_(most_events),
      cursor_(interval_.body),
      memory_(std::make_unique<Memory>()),
      next_local_(first_local + (std::uint64_t{interval} << local_bits)) {
    run(module);
    memory_.reset();
}

Emulation::~Emulation() = default;

void Emulation::stop(std::string why, bool differs) {
    if (stopped_.empty()) stopped_ = std::move(why);
    differs_ = differs_ || differs;
    throw Stop{};
}

std::span<const std::byte> Emulation::content(const Event& event) const {
    if (event.bytes <= 8 && program_.kind(event.site) != SiteKind::Copy)
        return {reinterpret_cast<const std::byte*>(&event.value), event.bytes};
    return {pool_.data() + event.extra, event.bytes};
}

Event& Emulation::add(std::uint32_t site) {
    if (events_.size() >= most_events_)
        stop(
            "the interval has more than " + std::to_string(most_events_) + " events; prepare the program with smaller e-blocks",
            false);
    constexpr std::size_t most_unproved = 100'000;  // the process may have been stopped in an endless loop
    if (interval_.how != Interval::End::Left && events_.size() > proved_ + most_unproved)
        stop("the log ends somewhere before", false);
    Event event;
    event.site = site;
    event.frame = stack_.empty() ? 0 : stack_.back();
    events_.push_back(event);
    return events_.back();
}

void Emulation::keep(Event& event, const void* data, std::uint64_t bytes) {
    event.bytes = bytes;
    event.value = first_word(data, bytes);
    if (bytes <= 8) return;
    event.extra = static_cast<std::uint32_t>(pool_.size());
    const auto* from = static_cast<const std::byte*>(data);
    pool_.insert(pool_.end(), from, from + bytes);
}

// The next entry of the interval's own part of the log.
Entry Emulation::take(Kind kind, const char* what) {
    if (cursor_ >= interval_.end) {
        if (interval_.how == Interval::End::Left)
            stop(std::string("the log has no ") + what + " where the code needs it", true);
        stop("the log ends here", false);
    }
    auto entry = log_.log().next(cursor_);
    touches_ = 0;
    proved_ = static_cast<std::uint32_t>(events_.size());
    if (!entry) stop("the log ends here", false);
    if (entry->kind != kind) stop(std::string("the log has something else than ") + what + " where the code needs it", true);
    return std::move(*entry);
}

// No process has memory there, so the program faults as it did.
void Emulation::touch(std::uint64_t address, std::uint64_t bytes) {
    constexpr std::uint64_t first_page = 4096, most = std::uint64_t{1} << 28U;
    if (address < first_page && bytes > 0) stop("the program faults here: a null pointer", false);
    if (bytes > most || pool_.size() > 4 * most) stop("the interval handles too many bytes at once to be run again", false);
}

// The recorder has counted the accesses behind the last entry of an interval that never returned.
void Emulation::count_touch() {
    ++touches_;
    const bool last_part = interval_.how != Interval::End::Left && cursor_ >= interval_.end;
    if (!last_part || !interval_.touches) return;
    if (touches_ > *interval_.touches) stop("the process was stopped here", false);
    proved_ = static_cast<std::uint32_t>(events_.size()) + 1;
}

bool Emulation::knows(std::uint64_t address, std::uint64_t bytes) const {
    return !log_.is_shared(address, bytes) && memory_->knows(address, bytes);
}

// As Recorder::read(): what is not known is in the log.
void Emulation::fetch(std::uint64_t address, std::uint64_t bytes) {
    touch(address, bytes);
    if (bytes == 0 || address >= first_local) return;
    count_touch();
    if (knows(address, bytes)) return;
    const Entry entry = take(Kind::Read, "what was read");
    if (entry.bytes.empty()) stop("the program reads memory here that is not its own", false);
    if (entry.bytes.size() != bytes) stop("the log has another number of bytes than the code reads", true);
    memory_->set(address, entry.bytes.data(), bytes);
}

void Emulation::note_unset(std::uint32_t site) {
    if (!unset_read_) unset_read_ = {static_cast<std::uint32_t>(events_.size()), program_.place(program_.site(site))};
}

void Emulation::begin(std::uint32_t function) {
    Frame frame;
    frame.function = function;
    frame.call = std::exchange(pending_, nothing);
    stack_.push_back(static_cast<std::uint32_t>(frames_.size()));
    frames_.push_back(frame);
}

std::uint64_t Emulation::variable(std::uint32_t site, std::uint64_t bytes, bool local) {
    std::uint64_t address = next_local_;
    if (local) {
        next_local_ += (bytes + 31) / 16 * 16;
    } else {
        const Entry entry = take(Kind::Variable, "the place of a variable");
        if (entry.ranges.front().second != bytes) stop("the log has a variable of another size", true);
        address = entry.ranges.front().first;
        memory_->forget(address, bytes);
    }
    Event& event = add(site);
    event.address = address;
    event.bytes = bytes;
    return address;
}

void Emulation::statement(std::uint32_t site) {
    ++statements_;
    add(site).value = cursor_;
}

void Emulation::load(std::uint32_t site, std::uint64_t address, std::uint64_t bytes, void* value) {
    if (!program_.site(site).quiet)
        fetch(address, bytes);
    else if (touch(address, bytes); !knows(address, bytes))
        stop("the code reads a place as known that the log does not have", true);
    note_value(site, address, bytes);
    memory_->get(address, value, bytes);
    Event& event = add(site);
    event.address = address;
    keep(event, value, bytes);
}

// A structure that is loaded as a whole has padding. A bit field that is written keeps the rest of its word, which a later read
// of another field may take for a value.
void Emulation::note_value(std::uint32_t site, std::uint64_t address, std::uint64_t bytes) {
    const Site& load = program_.site(site);
    const bool keeps_rest = load.effect != 0;
    const bool is_set = memory_->is_set(address, bytes);
    const auto half = half_set_.find(address);
    if (keeps_rest && (!is_set || half != half_set_.end())) half_set_[address] |= load.bits;
    if (!keeps_rest && half != half_set_.end() && (load.bits & ~half->second) != 0) note_unset(site);
    if (is_set) return;
    partly_unset_ = true;
    if (keeps_rest) return;
    bool any_set = false;
    for (std::uint64_t i = 0; i < bytes && !any_set; ++i) any_set = memory_->is_set(address + i, 1);
    if (!any_set || load.value != ValueKind::Bytes) note_unset(site);
}

void Emulation::store(std::uint32_t site, std::uint64_t address, std::uint64_t bytes, const void* value) {
    touch(address, bytes);
    if (address < first_local && !program_.site(site).quiet) count_touch();
    memory_->set(address, value, bytes);
    Event& event = add(site);
    event.address = address;
    keep(event, value, bytes);
}

void Emulation::copy(std::uint32_t site, std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    touch(to, bytes);
    fetch(from, bytes);
    if (to < first_local) count_touch();
    memory_->copy(to, from, bytes);
    std::vector<std::byte> content(bytes);
    memory_->get(to, content.data(), bytes);
    Event& event = add(site);
    event.address = to;
    event.bytes = bytes;
    event.value = from;
    event.extra = static_cast<std::uint32_t>(pool_.size());
    pool_.insert(pool_.end(), content.begin(), content.end());
}

void Emulation::fill(std::uint32_t site, std::uint64_t to, unsigned value, std::uint64_t bytes) {
    touch(to, bytes);
    if (to < first_local) count_touch();
    const std::vector<std::byte> content(bytes, static_cast<std::byte>(value));
    memory_->set(to, content.data(), bytes);
    Event& event = add(site);
    event.address = to;
    keep(event, content.data(), bytes);
}

void Emulation::inherited(std::uint32_t site) {
    pending_ = static_cast<std::uint32_t>(events_.size());
    add(site);
}

void Emulation::call(std::uint32_t site, std::uint64_t code, const void* words, std::uint64_t size, void* value,
                     std::uint64_t bytes) {
    const auto number = static_cast<std::uint32_t>(calls_.size());
    CallDetails details;
    details.code = code;
    for (std::uint64_t at = 0; at < size; at += 16)
        details.words.push_back(first_word(static_cast<const std::byte*>(words) + at, size - at));
    const auto index = events_.size();
    add(site).extra = number;
    calls_.push_back(details);
    if (program_.site(site).effect == static_cast<int>(Effect::Sends)) fetch(word_of(details, 0), word_of(details, 1));
    while (true) {
        if (cursor_ >= interval_.end) {
            calls_[number] = details;
            if (interval_.how == Interval::End::Left) stop("the log has no end of a call", true);
            stop("the process was in this call when its log ended", false);
        }
        auto entry = log_.log().next(cursor_);
        if (!entry) stop("the log ends here", false);
        touches_ = 0;
        proved_ = static_cast<std::uint32_t>(events_.size());
        if (entry->kind == Kind::Enter) {
            pass_nested(*entry, site, words, size, details);
            calls_[number] = details;
        } else if (entry->kind == Kind::Unwound) {
            memory_->forget_all();
        } else if (entry->kind == Kind::Message) {
            const auto& all = log_.messages();
            const auto found =
                std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.offset == entry->offset; });
            details.message = static_cast<std::uint32_t>(found - all.begin());
            if (entry->passed == flowback_log::Passed::Got)
                memory_->forget(entry->ranges.front().first, entry->ranges.front().second);
        } else if (entry->kind == Kind::Act) {
            const std::uint32_t act = log_.act_at(entry->offset);
            if (act != nothing) details.steps.push_back({true, act});
            for (const auto& [address, count] : entry->to) memory_->forget(address, count);
        } else if (entry->kind == Kind::Call) {
            if (entry->number != site || entry->bytes.size() != bytes)
                stop("the log has another call than the code makes", true);
            if (bytes > 0) std::memcpy(value, entry->bytes.data(), bytes);
            apply(*entry, details, first_word(value, bytes));
            break;
        } else if (entry->kind != Kind::Addresses) {
            stop("the log has something else than the end of a call", true);
        }
    }
    calls_[number] = std::move(details);
    Event& event = events_[index];
    event.bytes = bytes;
    event.value = first_word(value, bytes);
    event.address = bytes >= 8 ? event.value : 0;
}

// The interval of a prepared function is passed over. Its arguments show whether the emulation is right so far.
void Emulation::pass_nested(const Entry& entry, std::uint32_t site, const void* words, std::uint64_t size,
                            CallDetails& details) {
    const std::uint32_t nested = log_.interval_at(entry.offset);
    if (nested == nothing) stop("the log has an interval that does not fit", true);
    const Interval& its = log_.intervals()[nested];
    const Site& made = program_.site(site);
    const bool direct =
        made.effect == static_cast<int>(Effect::Prepared) && made.callee == program_.function(its.function).symbol;
    const bool same = entry.bytes.size() == size && (size == 0 || std::memcmp(entry.bytes.data(), words, size) == 0);
    // A structure passed by value has another address in the callee; a value that was never set is any.
    const bool comparable = !program_.function(its.function).takes_structures && !partly_unset_;
    if (direct && comparable && !same) stop("the arguments of a call are not those of the log", true);
    details.nested.push_back(nested);
    details.steps.push_back({false, nested});
    if (its.how == Interval::End::Open) {
        calls_.back() = details;
        stop("the process was in this call when its log ended", false);
    }
    cursor_ = its.after;
    // As Recorder::leave().
    const bool deep = entry.depth + 1 >= flowback_log::separate_depths;
    if (its.how != Interval::End::Left || its.unknown_inside || deep) memory_->forget_all();
    for (const auto& [address, count] : its.wrote) memory_->forget(address, count);
}

void Emulation::apply(const Entry& entry, CallDetails& details, std::uint64_t result) {
    const auto effect = static_cast<Effect>(entry.effect);
    for (const flowback_log::Written& each : entry.written) {
        memory_->set(each.address, each.bytes.data(), each.bytes.size());
        details.wrote.emplace_back(each.address, each.bytes.size());
        details.contents.emplace_back(each.bytes.begin(), each.bytes.end());
    }
    if (effect == Effect::Allocates || effect == Effect::AllocatesZeros) {
        const std::uint64_t bytes =
            effect == Effect::Allocates ? word_of(details, 0) : word_of(details, 0) * word_of(details, 1);
        if (result != 0) details.fresh = {result, bytes};
        details.zeroed = effect == Effect::AllocatesZeros;
        if (result != 0) memory_->forget(result, std::min<std::uint64_t>(bytes, 1U << 30U));
    } else if (effect == Effect::Unknown) {
        details.unknown = true;
        memory_->forget_all();
    }
}

void Emulation::leave(std::uint32_t site, const void* value, std::uint64_t bytes) {
    Event& event = add(site);
    keep(event, value, bytes);
    if (!stack_.empty()) frames_[stack_.back()].returned = static_cast<std::uint32_t>(events_.size() - 1);
    if (stack_.size() == 1) {
        const auto* from = static_cast<const std::byte*>(value);
        if (bytes > 0) returned_.assign(from, from + bytes);
        compares_ = program_.site(site).value != ValueKind::Bytes && !partly_unset_;
    }
    if (!stack_.empty()) stack_.pop_back();
}

void Emulation::branch(std::uint32_t site, std::uint64_t decided) {
    Event& event = add(site);
    event.value = decided;
    event.bytes = 8;
}

}  // namespace tmon_flowback
