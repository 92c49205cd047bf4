// A fuzz target is one function that reads any bytes as a person's file. In a program of its own, libFuzzer calls it with what
// it makes up (libfuzzer_entry.cpp). The replay gives it the inputs of corpus/ (replay_main.cpp, any compiler). A target
// returns or throws vocabulary::InputError; any other end is a finding.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace fuzz {

struct Target {
    const char* name;
    void (*run)(std::string_view input);
};
// Those that this program was linked with, by name.
std::span<const Target> targets();
// Runs the target; returns when it returns or throws vocabulary::InputError.
void feed(const Target& target, std::string_view input);

// Ends the program with the sentence unless the condition holds.
void require(bool holds, const char* sentence);
// For text that Magicwire wrote itself: an InputError ends the program.
void reads_again(const std::function<void()>& read);
// The first byte of the input chooses one of `count` readers; returns its number, and takes the byte off. An empty input
// chooses the first.
std::size_t choose(std::string_view& input, std::size_t count);
// Cuts off and returns what stands before the next line that is "---", or the whole rest.
std::string_view part(std::string_view& input);

// A folder for readers that want a file. One for the program, under the folder for temporary files.
std::string file(const std::string& name);                        // its path
std::string put(const std::string& name, std::string_view text);  // writes it, and returns its path

struct Registration {
    Registration(const char* name, void (*run)(std::string_view));
};

}  // namespace fuzz

#define FUZZ_TARGET(name, input)                                      \
    static void name(std::string_view input);                         \
    static const fuzz::Registration name##_is_target(#name, &(name)); \
    static void name([[maybe_unused]] std::string_view input)
