// A counter-history in words. Private: exhaustion.cpp finds it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tmon_detrek/verdict.hpp>

namespace tmon_detrek {

// "n1 sent task 7 to n2", "n2 sent the result of task 7 to n1"
std::string event_words(const Event& event, const farm_spec::FarmSpec& spec);
// "n1 sent exchange 7 to n2", of a program that is no farm
std::string event_words(const Event& event, const std::string& unit);

// "if these records were lost: n1 sent task 7 to n2, then WHAT". Without lost records: "with the same records: WHAT".
// telling: words for each.
std::string counter_text(const std::vector<std::string>& telling, const std::string& what);

// The history in which it stopped at this place. records: those that it assumes.
CounterHistory at_place(const PossiblePlace& place, std::vector<Event> records, const farm_spec::FarmSpec& spec);

// The two histories of a session without a record: something failed while it was loaded, or loading was slow. what: "farm".
std::vector<CounterHistory> before_it_began(const std::string& what);

// verdict: of this history. records: all that it assumes; unlisted: and so many more. telling: those that only some histories
// have.
CounterHistory counter_history(const Verdict& verdict, std::vector<Event> records, std::uint64_t unlisted,
                               const std::vector<Event>& telling, const farm_spec::FarmSpec& spec);

// The lines printed below the sentence: the events that it rests on, counter-histories, and the records that would decide.
// Each line ends with a newline; empty when there is nothing to say.
std::string notes_text(const Verdict& verdict, const std::vector<Event>& rests_on, const farm_spec::FarmSpec& spec);

}  // namespace tmon_detrek
