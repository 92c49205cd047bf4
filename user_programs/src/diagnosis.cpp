#include <user_programs/diagnosis.hpp>

#include <algorithm>
#include <array>
#include <cstdio>

namespace user_programs {

const char* problem_name(Problem problem) {
    static constexpr std::array names = {
        "foreign-memory",  "null-pointer",          "wild-pointer", "bad-arithmetic", "bad-instruction",
        "stack-overflow",  "pointer-in-message",    "dead-stack",   "freed-twice",    "never-allocated",
        "overrun",         "out-of-memory",         "too-large",    "wrong-call",     "ended-itself",
        "charges-nothing", "runs-without-charging", "computes-on"};
    return names.at(static_cast<std::size_t>(problem));
}

std::string text_of(const Diagnosis& d) {
    std::string text = d.where.empty() ? "" : d.where + ": ";
    const std::string who = d.program.empty() ? "the program" : d.program;
    text += d.function.empty() ? who : d.function + "()";
    if (d.task) {
        text += " of task " + std::to_string(d.task->task);
        std::array<char, 32> digits{};
        std::snprintf(digits.data(), digits.size(), ", sub-task %04x,", d.task->subtask);
        if (d.task->subtask != 0) text += digits.data();
    }
    text += " on n" + std::to_string(d.node.value()) + " " + d.what;
    if (!d.outcome.empty()) text += "; " + d.outcome;
    if (!d.advice.empty()) text += "; " + d.advice;
    if (d.times > 1) text += " (" + std::to_string(d.times) + " times)";
    return text;
}

void Diagnoses::add(Diagnosis diagnosis) {
    const auto same = std::find_if(all_.begin(), all_.end(), [&](const Diagnosis& d) {
        return d.problem == diagnosis.problem && d.function == diagnosis.function && d.program == diagnosis.program &&
               d.where == diagnosis.where && (!d.where.empty() || d.what == diagnosis.what);
    });
    if (same != all_.end()) {
        ++same->times;
    } else {
        all_.push_back(std::move(diagnosis));
    }
}

}  // namespace user_programs
