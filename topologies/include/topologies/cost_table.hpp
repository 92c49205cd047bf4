// The cost table: every modelled cost with value, unit and provenance, in one YAML file (topologies/costs/t800.yaml). The
// session copies the values into plain structs for hw_model, trollius_os, trek_kernel and instrumentation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <vocabulary/sim_time.hpp>

namespace topologies {

// V seen in a source, R recalled from a named document, D derived from V and R, A assumed.
enum class Provenance { Seen, Recalled, Derived, Assumed };

// The currency of a cost. Cycles: work of a processor; its duration depends on the node's clock. A time or rate in the table is
// then stated for a T800-20, 50 ns a cycle. Time: the same on every node, whatever its clock. Neither: a size or a share.
enum class PaidIn { Cycles, Time, Neither };
const char* paid_in_text(PaidIn paid_in);  // "cycles", "time", "-"

struct Cost {
    std::string name;  // dotted, e.g. "kernel.rendezvous"
    double value = 0;
    std::string unit;  // "cycles", "us", "bits", "bytes", "ppm", ...
    PaidIn paid_in = PaidIn::Neither;
    Provenance provenance = Provenance::Assumed;
    std::string source;  // document and section, or why it was assumed
};

class CostTable {
public:
    static CostTable parse(const std::string& text, const std::string& file_name);
    static CostTable read(const std::string& path);
    static CostTable t800();  // the table used when no other is named

    // The value. The contract: `name` is in the table, and `unit` is the table's unit for it.
    double get(std::string_view name, std::string_view unit) const;
    // A cost in microseconds that is paid in time, exact to the picosecond. The contract: time() takes costs paid in time only,
    // and work() costs paid in cycles only.
    vocabulary::SimTime time(std::string_view name) const;
    // A cost in microseconds that is paid in cycles: the time that a T800-20 takes. NodePort::cycles() converts it to cycles.
    vocabulary::SimTime work(std::string_view name) const;
    // Changes one value ("--set kernel.rendezvous=30"); throws InputError with the nearest name when there is no such cost.
    void set(const std::string& name, double value, const std::string& where);
    bool has(std::string_view name) const;
    const std::vector<Cost>& rows() const { return rows_; }
    std::vector<std::string> names() const;

private:
    vocabulary::SimTime duration(std::string_view name, PaidIn paid_in) const;

    std::vector<Cost> rows_;  // in file order
};

// Text of the table of the T800 (topologies/costs/t800.yaml), as the program carries it.
std::string_view t800_costs();
inline constexpr const char* t800_costs_name = "t800.yaml";

}  // namespace topologies
