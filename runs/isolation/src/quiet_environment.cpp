#include "quiet_environment.hpp"

#include <algorithm>
#include <utility>

#include <trace_record/event_class.hpp>

namespace isolation {

using trek_kernel::Bytes;

namespace {

constexpr std::int64_t cycles_a_us = 20;  // of a T800-20

}  // namespace

void QuietEnvironment::do_task(std::span<const std::byte> task, std::int32_t) {
    if (on_task) on_task(Bytes(task.begin(), task.end()));
}

Bytes QuietEnvironment::get_result(trek_kernel::TaskIdentity& whose) {
    return on_result_asked(whose);
}

// Long times that the program states itself say nothing about a loop.
void QuietEnvironment::charge(vocabulary::Cycles cycles) {
    constexpr std::int64_t most_at_once = 20'000;
    cycles_ += std::clamp<std::int64_t>(cycles.count(), 1, most_at_once);
    if (cycles_ > most_cycles_) throw GivenUp{};
}

vocabulary::Cycles QuietEnvironment::cycles_of(vocabulary::SimTime time) const {
    return vocabulary::Cycles(time.in_us() * cycles_a_us);
}

void QuietEnvironment::note_kept(bool used) const {
    noted_.used_kept = noted_.used_kept || used;
    noted_.lossy_readings = noted_.lossy_readings || (used && readings_.lossy());
}

std::uint64_t QuietEnvironment::clock_us() const {
    const auto kept = readings_.clock();
    note_kept(kept.has_value());
    noted_.read_clock = noted_.read_clock || !kept;
    return kept.value_or(static_cast<std::uint64_t>(cycles_ / cycles_a_us));
}

bool QuietEnvironment::take_memory(std::uint64_t bytes) {
    noted_.memory_bytes += bytes;
    return true;
}
void QuietEnvironment::give_back_memory(std::uint64_t bytes) {
    noted_.memory_bytes -= std::min(noted_.memory_bytes, bytes);
}

void QuietEnvironment::save(const std::string&, Bytes) {}  // the run's folder has its files

std::size_t QuietEnvironment::read(std::span<std::byte> room) {
    const auto kept = readings_.input(room);
    note_kept(kept.has_value());
    if (kept) return *kept;
    noted_.read_input = true;
    const std::size_t count = std::min(room.size(), unread_.size());
    std::transform(unread_.begin(), unread_.begin() + static_cast<std::ptrdiff_t>(count), room.begin(),
                   [](char c) { return static_cast<std::byte>(c); });
    unread_.erase(0, count);
    return count;
}

void QuietEnvironment::user_event(std::uint32_t, std::uint64_t) {}  // nobody monitors

bool QuietEnvironment::switch_event_classes(const std::string& classes, bool) {
    noted_.switched_classes = true;
    return trace_record::classes_named(classes).has_value();
}

void QuietEnvironment::diagnose(user_programs::Diagnosis diagnosis) {
    noted_.sent_address = noted_.sent_address || diagnosis.problem == user_programs::Problem::PointerInMessage;
    noted_.diagnoses.add(std::move(diagnosis));
}

}  // namespace isolation
