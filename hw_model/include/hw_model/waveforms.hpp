// Waveforms: chosen links and pins of a Machine as a VCD file (IEEE 1364), written by SystemC's sc_trace. The machine must run
// in lockstep, so that each change has its exact time; unit 1 ps. The same run gives the same bytes. Cost: every watched signal
// is looked at after each moment at which something happens; none without a Waveforms object.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include <systemc>

#include <hw_model/machine.hpp>
#include <topologies/machine_description.hpp>
#include <topologies/watch.hpp>
#include <vocabulary/source_position.hpp>

namespace hw_model {

using topologies::Watch;

class Waveforms final : private Machine::Witness {
public:
    // Before the simulation starts. The file gets its name in finish(). Throws vocabulary::InputError when it cannot be
    // written.
    Waveforms(Machine& machine, const topologies::MachineDescription& description, const std::vector<Watch>& watches,
              std::string file);
    ~Waveforms();  // without finish(): leaves no file
    Waveforms(const Waveforms&) = delete;
    Waveforms& operator=(const Waveforms&) = delete;

    // The run has ended at the present time. Throws vocabulary::InputError when the file cannot be written.
    void finish();

private:
    struct Signal {
        Watch watch;
        topologies::WireEnd driver;  // of a link's direction or a way: whose output is shown
        unsigned value = 0;
    };

    void moment() override;
    void add(const Watch& watch);
    void trace(const Signal& signal, const std::string& name, int width);
    unsigned sample(const Signal& signal) const;
    unsigned traffic_from(const topologies::WireEnd& end) const;
    void close();

    Machine& machine_;
    const topologies::MachineDescription& description_;
    std::string file_, made_;
    sc_core::sc_trace_file* trace_ = nullptr;
    std::map<topologies::WireEnd, topologies::WireEnd> other_end_;
    std::deque<Signal> signals_;  // sc_trace keeps their addresses
};

}  // namespace hw_model
