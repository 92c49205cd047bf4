// Diagnosis: a fault of a user's program, described for its author. It is data: the faulty process stops if it must, and
// Magicwire goes on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <vocabulary/ids.hpp>

namespace user_programs {

enum class Problem : std::uint8_t {
    ForeignMemory,        // read or written: memory of another node
    NullPointer,          // read or written: near address 0
    WildPointer,          // read or written: an unmapped address
    BadArithmetic,        // division by zero and the like
    BadInstruction,       // a jump to something that is no code
    StackOverflow,        // stack overflow of a user function
    PointerInMessage,     // a message holds an address of a node's heap or stack
    DeadStack,            // a message lies in the frame of a function that has returned
    FreedTwice,           // free() of a block that was freed before
    NeverAllocated,       // free() of a pointer that was never allocated
    Overrun,              // bytes behind an allocated block were written
    OutOfMemory,          // no memory on the node for new or for a message of the program
    TooLarge,             // an impossible or unsupported size
    WrongCall,            // a call of Magicwire in the wrong place or way
    EndedItself,          // exit(), abort(), a failed assert(), an uncaught exception
    ChargesNothing,       // a function that charges no modelled time
    RunsWithoutCharging,  // a function stopped by the watchdog
    ComputesOn            // a function that computes for long without a call, and goes on
};
const char* problem_name(Problem problem);  // "foreign-memory", ...: for JSON

// The part of a divided work that a function does (a farm's tasks).
struct TaskNumber {
    std::uint32_t task = 0, subtask = 0;
};

struct Diagnosis {
    Problem problem = Problem::WrongCall;
    vocabulary::NodeId node = {};
    std::string function = {};  // the running user function: "compute_fn"; empty: init_master's or the whole program
    std::optional<TaskNumber> task = {};
    std::string where = {};    // "pi.c:42"; empty when no line is known
    std::string what = {};     // "reads address 0x8, near the null pointer"
    std::string advice = {};   // remedy
    std::string outcome = {};  // consequence for the process; empty: it goes on
    std::uint32_t times = 1;
    std::string program = {};  // name of the program, if it runs beside others: "ring"
};
// "pi.c:42: compute_fn() of task 3 on n2 reads address 0x8, near the null pointer; the node has stopped; look at ...".
std::string text_of(const Diagnosis& diagnosis);

// All diagnoses of a run, in the order of first occurrence. The same problem of the same function at the same line is kept once
// and counted.
class Diagnoses {
public:
    void add(Diagnosis diagnosis);
    const std::vector<Diagnosis>& all() const { return all_; }
    bool empty() const { return all_.empty(); }

private:
    std::vector<Diagnosis> all_;
};

}  // namespace user_programs
