// Diagnosis: what a user's program did that a node cannot do, in words for its author. It is data: the faulty program stops
// where it must, and Magicwire goes on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <trek_kernel/application.hpp>
#include <vocabulary/ids.hpp>

namespace farm_programs {

enum class Problem : std::uint8_t {
    ForeignMemory,       // read or written: memory of another node
    NullPointer,         // read or written: near address 0
    WildPointer,         // read or written: an address that belongs to nobody
    BadArithmetic,       // division by zero and the like
    BadInstruction,      // the processor was sent to something that is no code
    StackOverflow,       // of a user function
    PointerInMessage,    // a task or result holds an address of a node's heap or stack
    DeadStack,           // a task or result lies in the frame of a function that has returned
    FreedTwice,          // free() of a block that was freed before
    NeverAllocated,      // free() of something that no allocation gave
    Overrun,             // bytes behind an allocated block were written
    OutOfMemory,         // new, or a message of the program, found no memory on the node
    TooLarge,            // a size that cannot be meant, or that nothing can carry
    WrongCall,           // a function of trek.h called where or how it may not be
    EndedItself,         // exit(), abort(), a failed assert(), an exception that nobody caught
    ChargesNothing,      // a function without modelled time
    RunsWithoutCharging  // stopped by the watchdog
};
const char* problem_name(Problem problem);  // "foreign-memory", ...: for JSON

struct Diagnosis {
    Problem problem = Problem::WrongCall;
    vocabulary::NodeId node = {};
    std::string function = {};  // the user's function that runs: "compute_fn"; empty: init_master's or the whole program
    std::optional<trek_kernel::TaskIdentity> task = {};
    std::string where = {};    // "pi.c:42"; empty when no line is known
    std::string what = {};     // "reads address 0x8, near the null pointer"
    std::string advice = {};   // what to do
    std::string outcome = {};  // what happened to the process; empty: it goes on
    std::uint32_t times = 1;
};
// "pi.c:42: compute_fn() of task 3 on n2 reads address 0x8, near the null pointer; the node has stopped; look at ...".
std::string text_of(const Diagnosis& diagnosis);

// All diagnoses of a run, in the order in which they were first made. The same problem of the same function at the same line is
// kept once and counted.
class Diagnoses {
public:
    void add(Diagnosis diagnosis);
    const std::vector<Diagnosis>& all() const { return all_; }
    bool empty() const { return all_.empty(); }

private:
    std::vector<Diagnosis> all_;
};

}  // namespace farm_programs
