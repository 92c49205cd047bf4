// Errors of Trollius that calls of this kernel give, with the names and texts that the commands print (LAM 7.1.4).
#pragma once

#include <cstdint>

namespace trollius_os {

enum class Error : std::uint8_t {
    None,
    NotProcess,            // no such process
    Invalid,               // an argument that means nothing, such as the number of no signal
    Service,               // the process is one of the system
    Interrupted,           // a signal has ended the call
    WouldBlock,            // the call may not wait, and would have to
    NoMemory,              // the node's memory is full
    NoKernelDescriptors,   // the kernel's process table is full
    NoProcessDescriptors,  // there is no room for the process itself
};

const char* name_of(Error error);  // "ENOTPROCESS"
const char* text_of(Error error);  // "not a process"

}  // namespace trollius_os
