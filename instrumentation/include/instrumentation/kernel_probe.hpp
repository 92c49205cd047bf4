// KernelProbe: the standard events of the programs on one node (thesis, section 5.3.2). They are message send, message receive,
// calls of both, collectives with the members of their groups, start and end of a process. A program is a loaded process or a
// descendant of one, except the monitor's own. The kernel's services are no programs. The probe is attached to the kernel only
// while these events are switched on.
#pragma once

#include <set>

#include <instrumentation/meter.hpp>
#include <instrumentation/probe.hpp>
#include <trollius_os/probe_point.hpp>

namespace instrumentation {

class KernelProbe final : public trollius_os::ProbePoint {
public:
    explicit KernelProbe(Meter& meter) : meter_(meter) {}
    void set_users_probe(Probe* users) { users_ = users; }

    coroutines::Task<> on(const trollius_os::KernelEvent& what, trollius_os::Calls& calls) override;

    // Messages of programs, while their beginnings become records.
    bool tags(const trollius_os::Process& sender) const override { return meter_.records_messages() && is_program(sender); }

    static bool is_program(const trollius_os::Process& process);

private:
    coroutines::Task<> record_group(vocabulary::NodeId cast, trollius_os::Calls& calls);

    Meter& meter_;
    std::set<vocabulary::NodeId> groups_;  // whose members are recorded
    Probe* users_ = nullptr;
};

// The record of an event; the meter fills in time, node and number.
trace_record::Event event_of(const trollius_os::KernelEvent& what, const trollius_os::Process& process);
// The record that names the message of a receive, and goes directly before it.
trace_record::Event partner_of(const trollius_os::MessageTag& tag, const trollius_os::Process& receiver);

}  // namespace instrumentation
