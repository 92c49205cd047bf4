// Files of 'magicwire mpirun --record': what is read is written and read again.
#include <string>

#include <tmon_replay/mwo_file.hpp>

#include "fuzz_target.hpp"

FUZZ_TARGET(mwo, input) {
    const tmon_replay::DeliveryOrder order = tmon_replay::parse_mwo(std::string(input), "input");
    const std::string text = tmon_replay::mwo_text(order);
    fuzz::require(text == tmon_replay::mwo_text(tmon_replay::parse_mwo(text, "written")),
                  "a file changes when it is written again");
}
