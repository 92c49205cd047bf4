// The entry that libFuzzer calls, in a program with one target.
#include <cstddef>
#include <cstdint>

#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::feed(fuzz::targets().front(), {reinterpret_cast<const char*>(data), size});
    return 0;
}

#ifdef MAGICWIRE_SIMULATION
extern "C" int sc_main(int argc, char** argv);
int sc_main(int, char**) {  // SystemC's library asks for it; no target runs a simulation
    return 0;
}
#endif
