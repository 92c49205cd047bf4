#include "perfetto_packets.hpp"

namespace tmon_export {

using protozero::pbf_writer;

namespace {

// Numbers of the fields, by message; the names are those of the format.
// NOLINTBEGIN(readability-identifier-naming)
namespace in_trace {
enum { packet = 1 };
}
namespace in_packet {
enum {
    clock_snapshot = 6,
    timestamp = 8,
    sequence = 10,
    track_event = 11,
    interned_data = 12,
    sequence_flags = 13,
    track_descriptor = 60
};
}
namespace in_descriptor {
enum { uuid = 1, name = 2, process = 3, thread = 4, parent = 5, counter = 8 };
}
namespace in_process {
enum { pid = 1, name = 6 };
}
namespace in_thread {
enum { pid = 1, tid = 2, name = 5 };
}
namespace in_counter {
enum { unit_name = 6 };
}
namespace in_event {
enum { category = 3, note = 4, type = 9, track = 11, name = 23, counter_value = 30, flow = 47, last_flow = 48 };
}
namespace in_note {
enum { name = 1, uint_value = 3, string_value = 6 };
}
namespace in_interned {
enum { categories = 1, note_names = 3 };
}
namespace in_name {
enum { iid = 1, name = 2 };
}
namespace in_snapshot {
enum { clock = 1 };
}
namespace in_clock {
enum { id = 1, timestamp = 2 };
}
// NOLINTEND(readability-identifier-naming)

constexpr std::uint32_t our_sequence = 1, state_cleared = 1, needs_state = 2, type_counter = 4;
constexpr std::uint32_t boot_time = 6;  // Perfetto's name for the clock that packets have when they do not say
constexpr const char* categories[] = {"task", "message", "process", "usage", "user", "clock", "loss", "trace"};
constexpr const char* notes[] = {"seq",   "task",      "subtask",  "peer",  "bytes",   "number",
                                 "value", "first_seq", "last_seq", "cause", "classes", "node_us"};

}  // namespace

template <class Fill>
void PerfettoPackets::packet(Fill&& fill) {
    bytes_.clear();
    pbf_writer trace(bytes_);
    {
        pbf_writer one(trace, in_trace::packet);
        fill(one);
        one.add_uint32(in_packet::sequence, our_sequence);
    }
    out_.put(bytes_);
}

void PerfettoPackets::begin() {
    packet([](pbf_writer& one) {
        one.add_uint32(in_packet::sequence_flags, state_cleared);
        pbf_writer interned(one, in_packet::interned_data);
        const auto intern = [&](std::uint32_t field, auto& names) {
            std::uint64_t number = 0;
            for (const char* name : names) {
                pbf_writer entry(interned, field);
                entry.add_uint64(in_name::iid, ++number);
                entry.add_string(in_name::name, name);
            }
        };
        intern(in_interned::categories, categories);
        intern(in_interned::note_names, notes);
    });
}

template <class Fill>
void PerfettoPackets::descriptor(std::uint64_t track, std::uint64_t parent, const std::string& name, Fill&& fill) {
    packet([&](pbf_writer& one) {
        pbf_writer about(one, in_packet::track_descriptor);
        about.add_uint64(in_descriptor::uuid, track);
        if (parent != 0) about.add_uint64(in_descriptor::parent, parent);
        if (!name.empty()) about.add_string(in_descriptor::name, name);
        fill(about);
    });
}

void PerfettoPackets::process(std::uint64_t track, std::uint32_t pid, const std::string& name) {
    descriptor(track, 0, "", [&](pbf_writer& about) {
        pbf_writer process(about, in_descriptor::process);
        process.add_int32(in_process::pid, static_cast<std::int32_t>(pid));
        process.add_string(in_process::name, name);
    });
}

void PerfettoPackets::thread(std::uint64_t track, std::uint32_t pid, std::uint32_t tid, const std::string& name) {
    descriptor(track, 0, "", [&](pbf_writer& about) {
        pbf_writer thread(about, in_descriptor::thread);
        thread.add_int32(in_thread::pid, static_cast<std::int32_t>(pid));
        thread.add_int32(in_thread::tid, static_cast<std::int32_t>(tid));
        thread.add_string(in_thread::name, name);
    });
}

void PerfettoPackets::track(std::uint64_t track, std::uint64_t parent, const std::string& name) {
    descriptor(track, parent, name, [](pbf_writer&) {});
}

void PerfettoPackets::counter_track(std::uint64_t track, std::uint64_t parent, const std::string& name,
                                    const std::string& unit) {
    descriptor(track, parent, name, [&](pbf_writer& about) {
        pbf_writer counter(about, in_descriptor::counter);
        counter.add_string(in_counter::unit_name, unit);
    });
}

void PerfettoPackets::event(const TrackEvent& event) {
    packet([&](pbf_writer& one) {
        one.add_uint64(in_packet::timestamp, event.ns);
        one.add_uint32(in_packet::sequence_flags, needs_state);
        pbf_writer what(one, in_packet::track_event);
        what.add_enum(in_event::type, static_cast<std::int32_t>(event.type));
        what.add_uint64(in_event::track, event.track);
        if (event.type == TrackEvent::Type::End) return;
        what.add_uint64(in_event::category, static_cast<std::uint64_t>(event.category));
        what.add_string(in_event::name, event.name);
        if (event.flow != 0) what.add_fixed64(event.flow_ends ? in_event::last_flow : in_event::flow, event.flow);
        for (const auto& [note, value] : event.numbers) {
            pbf_writer entry(what, in_event::note);
            entry.add_uint64(in_note::name, static_cast<std::uint64_t>(note));
            entry.add_uint64(in_note::uint_value, value);
        }
        for (const auto& [note, value] : event.words) {
            pbf_writer entry(what, in_event::note);
            entry.add_uint64(in_note::name, static_cast<std::uint64_t>(note));
            entry.add_string(in_note::string_value, value);
        }
    });
}

void PerfettoPackets::counter(std::uint64_t ns, std::uint64_t track, std::int64_t value) {
    packet([&](pbf_writer& one) {
        one.add_uint64(in_packet::timestamp, ns);
        pbf_writer what(one, in_packet::track_event);
        what.add_enum(in_event::type, type_counter);
        what.add_uint64(in_event::track, track);
        what.add_int64(in_event::counter_value, value);
    });
}

void PerfettoPackets::clocks(std::uint64_t ns, std::uint32_t clock, std::uint64_t clock_ns) {
    packet([&](pbf_writer& one) {
        one.add_uint64(in_packet::timestamp, ns);
        pbf_writer snapshot(one, in_packet::clock_snapshot);
        for (const auto& [id, time] : {std::pair{boot_time, ns}, std::pair{clock, clock_ns}}) {
            pbf_writer entry(snapshot, in_snapshot::clock);
            entry.add_uint32(in_clock::id, id);
            entry.add_uint64(in_clock::timestamp, time);
        }
    });
}

}  // namespace tmon_export
