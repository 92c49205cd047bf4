// Programs and places that several tests of one node use.
#pragma once

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "bench_node.hpp"

namespace t800_test {

inline constexpr std::uint32_t data = 0x80000900U;

// Starts a second process at label `other` with the workspace 0x80000B00, and goes on.
inline const std::string start_other = R"(
        ldc other - here
        ldc 0x80000B00
        startp
here:
)";

inline std::uint32_t at(const std::string& source, const std::string& label) {
    for (const t800_assembly::Symbol& symbol : t800_assembly::assemble(source, "test.s").symbols) {
        if (symbol.name == label) return symbol.value;
    }
    ADD_FAILURE() << label;
    return 0;
}

// A low process counts while a high one waits for the timer; the high one notes the clock.
inline const std::string cutting_in = R"(
        ldc 0
        sttimer
        ldc other - here
        ldc 0x80000B00
        adc -4
        rev
        ldpi
here:   rev
        stnl 0
        ldc 0x80000B00
        runp
loop:   ldl 1
        adc 1
        stl 1
        j loop
other:  ldc 100
        tin
        ldtimer
        ldc 0x80000900
        stnl 0
        stopp
)";

// Four processes in a ring of channels, with the delta in parallel. A T800-20 takes 15.05 us a loop of the published program.
// The cycle table without the cost of process starts gives 13.9.
inline const std::string commstime = R"(
        .set base, 0x80000900          ; channels A to D
        .macro chan, N
        ldc 0x80000000
        ldc base + \N
        stnl 0
        .endm
        .macro begin, CODE, BELOW
        ldc \CODE - here\@
        ldc base - \BELOW
        startp
here\@:
        .endm
        chan 0
        chan 4
        chan 8
        chan 12
        begin prefix, 12
        begin delta, 48
        begin successor, 140
        ldc 0
        stl 2
        ldc 0x7FFFFFFF
        stl 3
consumer:
        ldlp 1
        ldlp 47
        ldc 4
        in
        ldlp 2
        ldc looped - consumer
        lend
looped: stopp
prefix: ldc 0
        stl 1
again:  ldlp 3
        ldl 1
        outword
        ldlp 1
        ldlp 4
        ldc 4
        in
        j again
delta:  ldlp 2
        ldlp 12
        ldc 4
        in
        ldc 2
        stl 1
        ldap joined
        stl 0
        ldc half - on
        ldlp -12
        startp
on:     ajw -6
        ldlp 20
        ldl 8
        outword
        ldlp 6
        endp
half:   ldlp 27
        ldl 14
        outword
        ldlp 12
        endp
joined: j delta
successor:
        ldlp 1
        ldlp 37
        ldc 4
        in
        ldlp 36
        ldl 1
        adc 1
        outword
        j successor
)";

}  // namespace t800_test
