// The specification of a farm program: the file of figure 3.5 of the thesis (section 3.1). It says which virtual machine runs
// three sequential functions, and how many tasks and processors there are. It also names the files of the functions. The
// format, with the additions to the figure: docs/formats/farm_file.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <farm_programs/loaded_program.hpp>
#include <farm_spec/farm_spec.hpp>
#include <vocabulary/source_position.hpp>

namespace farm_programs {

struct Word {
    std::string text;
    vocabulary::SourcePosition where;  // its first letter, behind the quotation mark where there is one
};

const char* function_key(Function function);  // the key of section Programs that names its files: "comp_function"

struct Specification {
    std::string path;  // path of the file
    std::string name;  // without folder and ending

    farm_spec::FarmSpec farm;     // without `parents`; `nodes` is 0 where the file names none (only with a named machine)
    bool best_tree = false;       // topology BEST: the tree is to be found in `machine`
    std::optional<Word> tree;     // topology "{n0: [1], ...}": the tree as a scenario writes it, which gives farm.parents
    std::optional<Word> machine;  // a machine file, relative to the specification, or a shape; empty: the regular tree itself
    std::optional<std::uint64_t> seed;
    std::optional<Word> processors;  // where total_processors stands

    std::string input_file;   // empty: standard input
    std::string output_file;  // empty: standard output

    std::array<std::vector<Word>, functions> sources;  // by Function; texts are paths that exist
    std::vector<Word> more_sources;                    // 'sources'
    std::vector<std::string> folders;                  // 'paths': where sources and headers are looked for
    std::vector<std::string> options;                  // for the compiler
    std::string build_folder;                    // for what is compiled; empty: beside the specification. Never in the file
    std::optional<Word> task_type, result_type;  // C types
    std::optional<Word> cost;                    // explicit, estimated, or a file

    const std::vector<Word>& files(Function function) const { return sources[static_cast<std::size_t>(function)]; }
    bool divides() const { return farm.divides(); }
    // Each source once, in the order of the file's keys.
    std::vector<Word> all_sources() const;
};

// Throws vocabulary::InputError with file, line and column for every mistake, including a source file that does not exist.
// Cost: linear in the text.
Specification read_specification(const std::string& path);

// A value that replaces one of the section Configuration, or the cost, in the file. It comes from an option of the command
// line, which messages name instead of a place in the file.
struct Replacement {
    std::string key, value, option;  // "total_tasks", "20", "--tasks"
};
Specification parse_specification(const std::string& text, const std::string& path,
                                  const std::vector<Replacement>& replacements = {});
Specification read_specification(const std::string& path, const std::vector<Replacement>& replacements);

}  // namespace farm_programs
