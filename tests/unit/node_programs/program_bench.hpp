// A machine that runs programs with a main(): loaded and started by its own daemons, as a user's command does it.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include <node_programs/programs.hpp>
#include <trollius_os/services.hpp>
#include <user_programs/program_costs.hpp>

#include "test_multicomputer.hpp"

namespace test_support {

class ProgramBench {
public:
    explicit ProgramBench(const topologies::MachineDescription& machine,
                          user_programs::CostSource costs = user_programs::CostSource::Explicit, std::uint64_t seed = 1)
        : costs_(costs), bench_(machine, standard_costs(), seed) {
        box().start_at_once();
    }

    trollius_hosted::Multicomputer& box() { return bench_.box; }
    const std::string& printed() const { return bench_.printed; }
    const node_programs::Report& report() const { return report_; }
    // The first diagnosis; "" without one.
    std::string said() const {
        return report_.diagnoses.empty() ? "" : user_programs::text_of(report_.diagnoses.all().front());
    }

    // Loads a module that CMake has built for the tests. Returns its name.
    std::string load(const std::string& name, const std::string& folder = MAGICWIRE_TEST_PROGRAMS) {
        node_programs::LoadOptions options{.costs = user_programs::program_costs(standard_costs(), costs_)};
        options.costs.watchdog_cycles = 200'000'000;
        box().programs()[name] = programs_.load(folder + "/" + name + ".so", options);
        return name;
    }

    struct Start {
        std::uint16_t node = 0;
        std::string program;
        trollius_os::Arguments words = {};
    };
    // Starts the processes in turn from the host, and waits for the end of all. False: it did not come within `limit`.
    bool run(const std::vector<Start>& starts, SimTime limit = SimTime::s(20)) {
        bool done = false;
        box().host().create({"loadgo", trollius_os::Priority::Low, 0, 1024, [&](trollius_os::Api& api) {
                                 std::size_t running = 0;
                                 for (const Start& start : starts) {
                                     const auto created =
                                         trollius_os::loadgo(api, NodeId(start.node), box().host_id(), start.program,
                                                             start.words, trollius_os::services::rtf_wait);
                                     EXPECT_TRUE(created) << start.program << " on n" << start.node;
                                     if (created) ++running;
                                 }
                                 for (; running > 0; --running) {
                                     const trollius_os::ChildEnd end = trollius_os::wait_for_child(api);
                                     ends.emplace_back(end.node.value(), end.status);
                                 }
                                 done = true;
                             }});
        return bench_.run_until([&] { return done; }, bench_.box.now() + limit);
    }

    std::vector<std::pair<int, int>> ends;  // node and exit status of each process that has ended

private:
    user_programs::CostSource costs_;
    node_programs::Report report_;
    node_programs::Programs programs_{report_};
    TestMulticomputer bench_;
};

}  // namespace test_support
