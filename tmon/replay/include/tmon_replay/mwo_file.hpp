// Files *.mwo: docs/formats/mwo.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <tmon_replay/delivery_order.hpp>

namespace tmon_replay {

// Throws vocabulary::InputError with line and column. A file without its last line was cut off. Then what stands behind its
// last line feed is ignored. So is what a rank told that depends on something that another one had not told. `name` stands for
// the file in errors. Cost: linear in the text; of a file that was cut off ranks more for each time that a rank told something.
DeliveryOrder parse_mwo(const std::string& text, const std::string& name);
DeliveryOrder read_mwo(const std::string& path);

// All outcomes in order; of a run that has ended none that is not known to race.
std::string mwo_text(const DeliveryOrder& order);

// Writes a file while the run goes on. Each call hands whole lines to the system, so a process that is killed leaves a file
// that holds to its last line.
class MwoWriter {
public:
    // Throws vocabulary::InputError or HostError: the file cannot be written.
    MwoWriter(const std::string& path, const RunIdentity& run);
    void add(std::size_t rank, const std::vector<CallOutcome>& outcomes);
    void clock(std::size_t rank, const std::vector<std::int32_t>& clock);  // at the call of known() that follows
    void known(std::size_t rank, const Counters& counters);
    void ended(std::size_t rank, const Counters& counters);
    // The run is over: a word says how. Replaces the file by one in order.
    void finish(const std::string& end);

private:
    void put(const std::string& lines);

    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::string path_;
    std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace tmon_replay
