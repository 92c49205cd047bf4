// Waveforms: chosen links and pins of a Machine as a VCD file (IEEE 1364), written by SystemC's sc_trace. The machine must run
// in lockstep, so each change has its exact time; unit 1 ps. The same run gives the same bytes. Cost: a check of every watched
// signal after each moment with an event; none without a Waveforms object.
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
    // Create it before the simulation starts. finish() gives the file its name. Throws vocabulary::InputError when the file
    // cannot be written.
    Waveforms(Machine& machine, const topologies::MachineDescription& description, const std::vector<Watch>& watches,
              std::string file);
    ~Waveforms();  // leaves no file without finish()
    Waveforms(const Waveforms&) = delete;
    Waveforms& operator=(const Waveforms&) = delete;

    // Ends the waveform at the present time. Throws vocabulary::InputError when the file cannot be written.
    void finish();

private:
    struct Signal {
        Watch watch;
        topologies::WireEnd driver;  // the end whose output is shown, for a link's direction or a way
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
