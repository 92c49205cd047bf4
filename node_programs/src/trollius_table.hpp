// The functions that a program's support code calls; they act on the running NodeProcess.
#pragma once

struct trollius_calls;

namespace node_programs {

const trollius_calls& trollius_table();

}  // namespace node_programs
