// KernelProbe: the standard events of one node (thesis, section 5.3.2), of programs only. They are message send, message
// receive, call of a receive, start and end of a process. A program is every process that was loaded or made by a loaded one,
// except those of the monitor itself. The kernel's services are no programs. It is attached to the kernel only while the events
// are wanted.
#pragma once

#include <instrumentation/meter.hpp>
#include <instrumentation/probe.hpp>
#include <trollius_os/probe_point.hpp>

namespace instrumentation {

class KernelProbe final : public trollius_os::ProbePoint {
public:
    explicit KernelProbe(Meter& meter) : meter_(meter) {}
    void set_users_probe(Probe* users) { users_ = users; }

    void on(const trollius_os::KernelEvent& what, trollius_os::Api& api) override;

    static bool is_program(const trollius_os::Process& process);

private:
    Meter& meter_;
    Probe* users_ = nullptr;
};

// Its record; time, node and number are the meter's.
trace_record::Event event_of(const trollius_os::KernelEvent& what, const trollius_os::Process& process);

}  // namespace instrumentation
