#include "effects.hpp"

#include <map>

namespace flowback_prepare {

// C standard, 7.12 (mathematics), 7.21 (streams), 7.24 (strings); trek.h and work.h of Magicwire.
Effect effect_of(const std::string& name) {
    static const std::map<std::string, Effect> table = {
        {"malloc", Effect::Allocates},    {"trek_allocate", Effect::Allocates},     {"calloc", Effect::AllocatesZeros},
        {"strcpy", Effect::WritesString}, {"sprintf", Effect::PrintsText},          {"snprintf", Effect::WritesPrinted},
        {"do_task", Effect::Sends},       {"do_task_with_priority", Effect::Sends}, {"return_result", Effect::Sends},
        {"sub_task", Effect::Sends},      {"get_result", Effect::Receives},         {"sub_result", Effect::PartOfMessage},
    };
    static const char* const without[] = {
        "abs",        "acos",         "asin",      "atan",        "atan2",        "atof",
        "atoi",       "atol",         "ceil",      "cos",         "cosh",         "exp",
        "exp2",       "fabs",         "fabsf",     "floor",       "fmax",         "fmin",
        "fmod",       "free",         "hypot",     "isalnum",     "isalpha",      "isdigit",
        "isspace",    "labs",         "log",       "log10",       "log2",         "lround",
        "memchr",     "memcmp",       "pow",       "printf",      "putchar",      "puts",
        "rand",       "result_task",  "round",     "sin",         "sinh",         "split_degree",
        "sqrt",       "sqrtf",        "srand",     "strchr",      "strcmp",       "strlen",
        "strncmp",    "strrchr",      "strstr",    "sub_results", "tan",          "tanh",
        "tolower",    "total_tasks",  "toupper",   "trek_event",  "trek_monitor", "trek_node",
        "trek_print", "trek_release", "trek_save", "trunc",       "work_cycles",  "work_operations",
        "work_us",    "clock",        "abort",     "exit",        "__assert_fail"};
    if (const auto found = table.find(name); found != table.end()) return found->second;
    for (const char* known : without) {
        if (name == known) return Effect::None;
    }
    return Effect::Unknown;
}

int format_argument(const std::string& name) {
    if (name == "printf") return 0;
    if (name == "sprintf") return 1;
    return name == "snprintf" ? 2 : -1;
}

}  // namespace flowback_prepare
