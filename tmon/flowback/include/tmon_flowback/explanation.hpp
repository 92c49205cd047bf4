// Explanation: flowback itself, backward: where a value came from, over statements, calls, messages and nodes. Each node is an
// event of the dynamic graph (Miller and Choi 1988, section 4.2); its children are the events that it depends on.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <tmon_flowback/origins.hpp>
#include <tmon_flowback/question.hpp>

namespace tmon_flowback {

struct Node {
    std::string id;     // of its event; empty: it has none
    std::string role;   // what it is to its parent: "", "index or address", "because", "argument 2", "on the way"
    std::string title;  // "Nsegs = 0"
    std::string place;  // "pi.c:42"
    std::string text;   // the source line
    Certainty certainty = Certainty::Certain;
    std::vector<std::string> notes;
    std::vector<Node> children;
};

struct Answer {
    Node root;
    std::uint64_t execution = 0;
    std::uint64_t emulated = 0;            // statements run again for this answer
    std::vector<std::string> differences;  // emulations that contradict their logs
    std::vector<std::string> damaged;      // logs that are not whole
};

// `depth`: statements from the question to the leaves, 1 to 1000. Throws as find_execution() and meaning_of() do.
Answer why(RecordedRun& run, const Question& question, unsigned depth);
// The same of an event that an answer names.
Answer why(RecordedRun& run, const EventId& event, unsigned depth);

std::string text_of(const Answer& answer);
nlohmann::ordered_json json_of(const Answer& answer);
std::string dot_of(const Answer& answer);

}  // namespace tmon_flowback
