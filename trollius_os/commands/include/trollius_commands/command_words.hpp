// Reads the words of a command: options, nodes ("n0-7,11", "n0xa", "h", "o", "N"), processes ("p263521", "%3", "i3-5").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <trollius_commands/command.hpp>

namespace trollius_commands {

// Processes as a command names them. Empty: it names none.
struct ProcessChoice {
    std::vector<std::uint32_t> pids, indexes;
    bool empty() const { return pids.empty() && indexes.empty(); }
    bool has(std::uint32_t pid, std::uint32_t index) const;
};

// The nodes of one operand, in the given order. Empty: the word is no node list. Throws vocabulary::RequestError for a node
// that the machine does not have. "h" and "o" are the host, "N" is every node without the host.
std::optional<std::vector<NodeId>> nodes_in(const std::string& word, const Site& site);
std::string node_text(NodeId node, const Site& site);  // "n3"; the host is "h"

class CommandWords {
public:
    // `flags`: letters of options without a value. `values`: letters of options with one, as "-c 3" or "-c3". `usage` is part
    // of every error. Options stand before or between operands; "--" ends them.
    CommandWords(const std::vector<std::string>& words, Site site, const std::string& flags, const std::string& values,
                 std::string usage);

    bool has(char option) const;
    // A whole number from `least` to `most`.
    std::uint32_t number(char option, std::uint32_t usual, std::uint32_t least, std::uint32_t most) const;
    std::optional<std::string> value(char option) const;
    // Takes the leading node lists. `or_usual`: without any, the site's usual nodes; otherwise an error.
    std::vector<NodeId> take_nodes(bool or_usual);
    ProcessChoice take_processes();
    std::vector<std::string> take_rest();                                     // the operands left
    const std::vector<std::string>& arguments() const { return arguments_; }  // behind "--"
    bool has_arguments() const { return has_arguments_; }
    void end() const;  // throws when an operand is left, or arguments are
    [[noreturn]] void fail(const std::string& what) const;

private:
    struct Option {
        char letter;
        std::string value;
    };
    void take_option(const std::vector<std::string>& words, std::size_t& at, const std::string& flags,
                     const std::string& values);

    const Site site_;
    std::string usage_;
    std::vector<Option> options_;
    std::vector<std::string> operands_, arguments_;
    bool has_arguments_ = false;
};

}  // namespace trollius_commands
