// Bug lists, checked against farms that divide their tasks and farms that do not.
#include <scenario/bug_list_file.hpp>

#include "fuzz_target.hpp"

FUZZ_TARGET(bug_list, input) {
    farm_spec::FarmSpec farm{.nodes = 8, .tasks = 100};
    const std::size_t kind = fuzz::choose(input, 3);
    if (kind > 0) farm.degree = 2;
    if (kind == 2) farm.depth = 4;
    const auto bugs = scenario::parse_bug_list(std::string(input), "list.bugs");
    for (const trek_kernel::PlannedBug& bug : bugs) {
        fuzz::require(!trek_kernel::bug_text(bug).empty(), "a bug has no text");
        bug.selects(vocabulary::NodeId(1), bug.process, {0, 0});
    }
    scenario::check_bugs(bugs, farm);
}
