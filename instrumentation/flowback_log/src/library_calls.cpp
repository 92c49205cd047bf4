#include <flowback_log/library_calls.hpp>

#include <map>

#include "mpi_calls.hpp"

namespace flowback_log {

namespace {

struct Accesses {
    std::vector<Access> outputs, inputs;
};

// ">2:24*0?1" is an output. Behind argument 2 lie pieces of 24 bytes, as many as argument 0 says. They count if the int behind
// argument 1 is not zero. "<" begins an input. "$" in place of the bytes is a text.
class Reader {
public:
    explicit Reader(const std::string& text) : text_(text) {}

    Accesses read() {
        Accesses all;
        while (at_ < text_.size()) {
            const char kind = text_[at_];
            if (kind == ' ') {
                ++at_;
                continue;
            }
            Access its;
            its.argument = number_behind(kind);
            its.bytes = at_ + 1 < text_.size() && text_[at_ + 1] == '$' ? skip_text() : number_behind(':');
            if (is_at('*')) its.times = number_behind('*');
            if (is_at('?')) its.condition = number_behind('?');
            (kind == '>' ? all.outputs : all.inputs).push_back(its);
        }
        return all;
    }

private:
    bool is_at(char c) const { return at_ < text_.size() && text_[at_] == c; }
    int skip_text() {
        at_ += 2;
        return Access::text;
    }
    int number_behind([[maybe_unused]] char mark) {
        ++at_;
        int number = 0;
        while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') number = number * 10 + (text_[at_++] - '0');
        return number;
    }

    const std::string& text_;
    std::size_t at_ = 0;
};

// C standard, 7.12.6 and 7.20; POSIX.
constexpr LibraryCall c_calls[] = {
    {"frexp", ">1:4"},  {"modf", ">1:8"},    {"strtol", ">1:8"}, {"strtoul", ">1:8"},       {"strtod", ">1:8"},
    {"strtof", ">1:8"}, {"strtoll", ">1:8"}, {"time", ">0:8"},   {"gettimeofday", ">0:16"},
};

const std::map<std::string, Accesses>& told_calls() {
    static const std::map<std::string, Accesses> all = [] {
        std::map<std::string, Accesses> made;
        for (const LibraryCall& each : c_calls) made[each.name] = Reader(each.accesses).read();
        for (const LibraryCall& each : mpi_calls()) {
            made[std::string("MPI_") + each.name] = Reader(each.accesses).read();
            made[std::string("PMPI_") + each.name] = Reader(each.accesses).read();
        }
        return made;
    }();
    return all;
}

const Accesses& accesses_of(const std::string& function) {
    static const Accesses none;
    const auto found = told_calls().find(function);
    return found == told_calls().end() ? none : found->second;
}

}  // namespace

// C standard, 7.12 (mathematics), 7.21 (streams), 7.24 (strings); trek.h and work.h of Magicwire.
Effect effect_of(const std::string& function) {
    static const std::map<std::string, Effect> table = {
        {"malloc", Effect::Allocates},    {"trek_allocate", Effect::Allocates},     {"calloc", Effect::AllocatesZeros},
        {"strcpy", Effect::WritesString}, {"sprintf", Effect::PrintsText},          {"snprintf", Effect::WritesPrinted},
        {"do_task", Effect::Sends},       {"do_task_with_priority", Effect::Sends}, {"return_result", Effect::Sends},
        {"sub_task", Effect::Sends},      {"get_result", Effect::Receives},         {"sub_result", Effect::PartOfMessage},
    };
    static const char* const without[] = {
        "abs",         "acos",      "asin",        "atan",         "atan2",        "atof",       "atoi",
        "atol",        "cbrt",      "ceil",        "cos",          "cosh",         "exp",        "exp2",
        "fabs",        "fabsf",     "fclose",      "fflush",       "floor",        "fmax",       "fmin",
        "fmod",        "fopen",     "fprintf",     "fputc",        "fputs",        "free",       "getenv",
        "getnall",     "getnodeid", "hypot",       "isalnum",      "isalpha",      "isdigit",    "isspace",
        "kgetpid",     "labs",      "log",         "log10",        "log2",         "lround",     "memchr",
        "memcmp",      "perror",    "pow",         "printf",       "putc",         "putchar",    "puts",
        "rand",        "random",    "result_task", "round",        "sin",          "sinh",       "split_degree",
        "sqrt",        "sqrtf",     "srand",       "srandom",      "strchr",       "strcmp",     "strlen",
        "strncmp",     "strrchr",   "strstr",      "sub_results",  "tan",          "tanh",       "tolower",
        "total_tasks", "toupper",   "trek_event",  "trek_monitor", "trek_node",    "trek_print", "trek_release",
        "trek_save",   "trunc",     "ttime",       "work_us",      "work_cycles",  "clock",      "work_operations",
        "abort",       "exit",      "kexit",       "_kexit",       "__assert_fail"};
    if (const auto found = table.find(function); found != table.end()) return found->second;
    for (const char* known : without) {
        if (function == known) return Effect::None;
    }
    return told_calls().count(function) != 0 ? Effect::Told : Effect::Unknown;
}

int format_argument(const std::string& function) {
    if (function == "printf") return 0;
    if (function == "sprintf" || function == "fprintf") return 1;
    return function == "snprintf" ? 2 : -1;
}

const std::vector<Access>& outputs_of(const std::string& function) {
    return accesses_of(function).outputs;
}
const std::vector<Access>& inputs_of(const std::string& function) {
    return accesses_of(function).inputs;
}

}  // namespace flowback_log
