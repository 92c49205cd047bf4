// The specification of a farm program: the file of figure 3.5 of the thesis (section 3.1). It gives the virtual machine, the
// numbers of tasks and processors, and the files of the sequential functions. The format and its additions to the figure:
// docs/formats/farm_file.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <farm_programs/farm_program.hpp>
#include <farm_spec/farm_spec.hpp>
#include <vocabulary/source_position.hpp>

namespace farm_programs {

struct Word {
    std::string text;
    vocabulary::SourcePosition where;  // position of its first character, behind any quotation mark
};

const char* function_key(Function function);  // the key of section Programs that names its files: "comp_function"

struct Specification {
    std::string path;  // path of the file
    std::string name;  // without folder and ending

    farm_spec::FarmSpec farm;     // without `parents`; `nodes` is 0 if the file gives no number (only with a named machine)
    bool best_tree = false;       // topology BEST: the best tree in `machine` is wanted
    std::optional<Word> tree;     // topology "{n0: [1], ...}": the tree as a scenario writes it, which gives farm.parents
    std::optional<Word> machine;  // a machine file, relative to the specification, or a shape; empty: the regular tree itself
    std::optional<std::uint64_t> seed;
    std::optional<Word> processors;  // position of total_processors

    std::string input_file;   // empty: standard input
    std::string output_file;  // empty: standard output

    std::array<std::vector<Word>, functions> sources;  // by Function; texts are paths that exist
    std::vector<Word> more_sources;                    // 'sources'
    std::vector<std::string> folders;                  // 'paths': search folders for sources and headers
    std::vector<std::string> options;                  // options of the compiler
    std::string build_folder;                    // folder of the build; empty: beside the specification. Never set by the file
    std::optional<Word> task_type, result_type;  // C types
    std::optional<Word> cost;                    // explicit, estimated, or a file

    const std::vector<Word>& files(Function function) const { return sources[static_cast<std::size_t>(function)]; }
    bool divides() const { return farm.divides(); }
    // Each source once, in the order of the file's keys.
    std::vector<Word> all_sources() const;
};

// Throws vocabulary::InputError with file, line and column for any mistake, a missing source file included. Cost: linear in the
// text.
Specification read_specification(const std::string& path);

// A value from a command-line option that replaces one of section Configuration, or the cost. Messages name the option instead
// of a position in the file.
struct Replacement {
    std::string key, value, option;  // "total_tasks", "20", "--tasks"
};
Specification parse_specification(const std::string& text, const std::string& path,
                                  const std::vector<Replacement>& replacements = {});
Specification read_specification(const std::string& path, const std::vector<Replacement>& replacements);

}  // namespace farm_programs
