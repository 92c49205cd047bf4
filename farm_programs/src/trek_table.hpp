// The functions that a farm program's support code calls; they act on the running FarmProcess.
#pragma once

struct trek_calls;

namespace farm_programs {

const trek_calls& trek_table();

}  // namespace farm_programs
