#include <farm_programs/specification.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <topologies/machine_checks.hpp>
#include <vocabulary/is_file.hpp>
#include <vocabulary/nearest_name.hpp>

#include "spec_parser.hpp"

namespace farm_programs {
namespace {

using farm_spec::Policy;
using farm_spec::TreeKind;
using vocabulary::InputError;

const std::vector<std::string> section_names = {"Virtual_Machine", "Interface", "Configuration", "Programs"};

const std::vector<SpecKey> known_keys = {
    {"Virtual_Machine", "type"},           {"Virtual_Machine", "degree"},
    {"Virtual_Machine", "depth"},          {"Interface", "input_stream"},
    {"Interface", "output_stream"},        {"Configuration", "topology"},
    {"Configuration", "machine"},          {"Configuration", "total_tasks"},
    {"Configuration", "total_processors"}, {"Configuration", "granularity"},
    {"Configuration", "buffers"},          {"Configuration", "policy"},
    {"Configuration", "survives"},         {"Configuration", "seed"},
    {"Programs", "init_master", true},     {"Programs", "data_generator", true},
    {"Programs", "comp_function", true},   {"Programs", "result_receive", true},
    {"Programs", "split_function", true},  {"Programs", "join_function", true},
    {"Programs", "sources", true},         {"Programs", "paths", true},
    {"Programs", "options", true},         {"Programs", "task_type"},
    {"Programs", "result_type"},           {"Programs", "cost"},
};

const std::vector<std::string> tree_names = {"CHAIN", "BTREE", "TTREE", "BEST"};

constexpr std::int64_t most_nodes = topologies::most_nodes;

[[noreturn]] void fail(const Word& at, const std::string& message) {
    throw InputError(at.where, message);
}

// Finds a word among several; the error names the nearest one.
std::size_t one_of(const std::string& key, const Word& value, const std::vector<std::string>& words) {
    const auto found = std::find(words.begin(), words.end(), value.text);
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    std::string all;
    for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
    const std::string hint = vocabulary::did_you_mean(value.text, words);
    fail(value, "'" + key + "' is '" + value.text + "'" + (hint.empty() ? "; write one of " + all : hint));
}

std::int64_t number(const std::string& key, const Word& value, std::int64_t least, std::int64_t most) {
    std::int64_t result = 0;
    const char* end_of_text = value.text.data() + value.text.size();
    const auto [end, error] = std::from_chars(value.text.data(), end_of_text, result);
    if (error == std::errc() && end == end_of_text && result >= least && result <= most) return result;
    fail(value, "'" + key + "' is '" + value.text + "', but must be a whole number from " + std::to_string(least) + " to " +
                    std::to_string(most) + "; write a number in that range");
}

// A new topology also removes the network of the file, unless it is the best tree there. A named network or tree also removes
// the number of processors.
void replace(std::vector<SpecSection>& sections, const Replacement& replacement) {
    const bool topology = replacement.key == "topology";
    const bool tree_name = std::find(tree_names.begin(), tree_names.end(), replacement.value) != tree_names.end();
    const Word key{replacement.key, {replacement.option + " " + replacement.value, 0, 0}};
    for (SpecSection& section : sections) {
        if (section.name.text != (replacement.key == "cost" ? "Programs" : "Configuration")) continue;
        std::erase_if(section.entries, [&](const SpecEntry& entry) {
            const std::string& name = entry.key.text;
            return name == replacement.key || (topology && name == "machine" && replacement.value != "BEST") ||
                   (topology && name == "total_processors" && !tree_name);
        });
        section.entries.push_back({key, {{{replacement.value, key.where}, topology && !tree_name}}});
    }
}

class Reader {
public:
    Reader(Specification& spec, const std::vector<SpecSection>& sections) : spec_(spec), sections_(sections) {
        folder_ = std::filesystem::path(spec.path).parent_path();
    }

    void read() {
        for (const char* needed : {"Virtual_Machine", "Configuration", "Programs"}) {
            if (section(needed) == nullptr)
                throw InputError({spec_.path, 0, 0}, "section " + std::string(needed) + " is missing; add it before 'end'");
        }
        virtual_machine();
        if (const auto in = find("Interface", "input_stream"); in && in->text != "stdin") spec_.input_file = existing(*in, {});
        if (const auto out = find("Interface", "output_stream"); out && out->text != "stdout")
            spec_.output_file = (folder_ / out->text).lexically_normal().string();
        configuration();
        programs();
    }

private:
    const SpecSection* section(std::string_view name) const {
        for (const SpecSection& found : sections_) {
            if (found.name.text == name) return &found;
        }
        return nullptr;
    }

    std::vector<SpecValue> all(std::string_view in, std::string_view key) const {
        if (const SpecSection* found = section(in)) {
            for (const SpecEntry& entry : found->entries) {
                if (entry.key.text == key) return entry.values;
            }
        }
        return {};
    }

    std::optional<Word> find(std::string_view in, std::string_view key) const {
        const auto values = all(in, key);
        return values.empty() ? std::nullopt : std::optional(values.front().word);
    }

    Word at(std::string_view in, std::string_view key, const std::string& example) const {
        if (auto found = find(in, key)) return *found;
        fail(section(in)->name, "'" + std::string(key) + "' is missing in section " + std::string(in) + "; add " +
                                    std::string(key) + " = " + example + ";");
    }

    std::uint32_t count(std::string_view in, const char* key, std::int64_t least, std::int64_t most, std::uint32_t otherwise) {
        const auto found = find(in, key);
        return found ? static_cast<std::uint32_t>(number(key, *found, least, most)) : otherwise;
    }

    void virtual_machine() {
        const bool divides = one_of("type", at("Virtual_Machine", "type", "PFVM"), {"PFVM", "DCVM"}) == 1;
        if (divides) {
            spec_.farm.degree =
                static_cast<std::uint32_t>(number("degree", at("Virtual_Machine", "degree", "2"), 2, farm_spec::most_degree));
            spec_.farm.depth =
                static_cast<std::uint32_t>(number("depth", at("Virtual_Machine", "depth", "3"), 0, farm_spec::most_depth));
            return;
        }
        for (const char* key : {"degree", "depth"}) {
            if (const auto found = find("Virtual_Machine", key))
                fail(*found, "'" + std::string(key) + "' is for type DCVM; a PFVM does not split its tasks, so remove it");
        }
    }

    void configuration() {
        farm_spec::FarmSpec& farm = spec_.farm;
        constexpr auto here = "Configuration";
        farm.tasks =
            static_cast<std::uint32_t>(number("total_tasks", at(here, "total_tasks", "100"), 1, farm_spec::most_tasks));
        farm.granularity = count(here, "granularity", 1, farm_spec::most_granularity, 1);
        farm.buffers = count(here, "buffers", 1, farm_spec::most_buffers, 1);
        if (const auto policy = find(here, "policy"))
            farm.policy = static_cast<Policy>(one_of("policy", *policy, farm_spec::policy_names()));
        if (const auto survives = find(here, "survives")) farm.survives = one_of("survives", *survives, {"no", "yes"}) == 1;
        if (const auto seed = find(here, "seed")) spec_.seed = static_cast<std::uint64_t>(number("seed", *seed, 0, INT64_MAX));
        spec_.machine = find(here, "machine");
        topology();
        spec_.processors = find(here, "total_processors");
        if (spec_.tree && spec_.processors) fail(*spec_.processors, "the tree names its processors; remove 'total_processors'");
        if (spec_.processors)
            farm.nodes = static_cast<std::uint32_t>(number("total_processors", *spec_.processors, 2, most_nodes));
        if (!spec_.machine && !spec_.tree) at(here, "total_processors", "16");
        if (!spec_.processors && spec_.machine && !spec_.best_tree && !spec_.tree) at(here, "total_processors", "16");
    }

    // A word is the kind of tree. A text in quotation marks is a tree node by node, or a network whose best tree is taken.
    void topology() {
        at("Configuration", "topology", "BTREE");
        const SpecValue value = all("Configuration", "topology").front();
        farm_spec::FarmSpec& farm = spec_.farm;
        if (value.quoted && value.word.text.starts_with('{')) {
            farm.tree = TreeKind::Given;
            spec_.tree = value.word;
            return;
        }
        if (value.quoted) {
            if (spec_.machine)
                fail(value.word,
                     "the network is given twice, here and as 'machine'; write topology = BEST; or remove 'machine'");
            spec_.machine = value.word;
            spec_.best_tree = true;
            farm.tree = TreeKind::Given;
            return;
        }
        constexpr TreeKind kinds[] = {TreeKind::Chain, TreeKind::Binary, TreeKind::Ternary, TreeKind::Given};
        farm.tree = kinds[one_of("topology", value.word, tree_names)];
        spec_.best_tree = farm.tree == TreeKind::Given;
        const bool typed = value.word.where.line == 0;  // on the command line, where no option gives a network beside it
        if (spec_.best_tree && !spec_.machine && typed)
            fail(value.word,
                 "BEST is the best tree of a network, and the specification names none; give the network itself, and its best "
                 "tree is taken: --topology mesh:4x4, or --topology FILE for a machine file");
        if (spec_.best_tree && !spec_.machine)
            fail(value.word,
                 "BEST is the best tree of a network, and none is given; add machine = \"mesh:4x4\"; or a machine file");
    }

    void programs() {
        constexpr auto here = "Programs";
        std::vector<std::filesystem::path> folders = {folder_};
        for (const SpecValue& value : all(here, "paths")) {
            const auto folder = (folder_ / value.word.text).lexically_normal();
            if (!vocabulary::is_folder(folder))
                fail(value.word, "there is no folder '" + folder.string() + "'; paths are relative to the specification file");
            folders.push_back(folder);
            spec_.folders.push_back(folder.string());
        }
        for (std::size_t i = 0; i < functions; ++i) files_of(static_cast<Function>(i), folders);
        for (const SpecValue& value : all(here, "sources")) spec_.more_sources.push_back(source(value.word, folders));
        for (const SpecValue& value : all(here, "options")) spec_.options.push_back(value.word.text);
        spec_.task_type = find(here, "task_type");
        spec_.result_type = find(here, "result_type");
        spec_.cost = find(here, "cost");
        if (spec_.cost && spec_.cost->text != "explicit" && spec_.cost->text != "estimated") cost_file(*spec_.cost);
    }

    void cost_file(Word& cost) const {
        const bool typed = cost.where.line == 0;  // on the command line, so relative to the folder where that was typed
        const auto path = (typed ? std::filesystem::path(cost.text) : folder_ / cost.text).lexically_normal();
        const std::string hint = vocabulary::did_you_mean(cost.text, {"explicit", "estimated"});
        if (!vocabulary::is_file(path))
            fail(cost, "'cost' is '" + cost.text + "', and there is no such file" +
                           (hint.empty() ? "; write explicit, estimated, or the name of a file of costs" : hint));
        cost.text = path.string();
    }

    void files_of(Function function, const std::vector<std::filesystem::path>& folders) {
        const auto values = all("Programs", function_key(function));
        const bool splits = function == Function::Split || function == Function::Join;
        if (splits && !spec_.divides() && !values.empty())
            fail(values.front().word, "'" + std::string(function_key(function)) +
                                          "' is for type DCVM; a PFVM does not split its tasks, so remove it");
        if (values.empty() && function != Function::InitMaster && (!splits || spec_.divides()))
            at("Programs", function_key(function), "FILE.c");
        for (const SpecValue& value : values)
            spec_.sources[static_cast<std::size_t>(function)].push_back(source(value.word, folders));
    }

    Word source(const Word& value, const std::vector<std::filesystem::path>& folders) const {
        const std::string ending = std::filesystem::path(value.text).extension().string();
        constexpr std::string_view endings[] = {".c", ".cc", ".cpp", ".cxx"};
        if (std::find(std::begin(endings), std::end(endings), ending) == std::end(endings))
            fail(value, "'" + value.text + "' is neither C nor C++; a source file ends with .c, .cpp, .cc or .cxx");
        return {existing(value, folders), value.where};
    }

    // Path of a file beside the specification, or in one of the folders.
    std::string existing(const Word& value, const std::vector<std::filesystem::path>& folders) const {
        for (const auto& folder : folders.empty() ? std::vector{folder_} : folders) {
            const auto path = (folder / value.text).lexically_normal();
            if (vocabulary::is_file(path)) return path.string();
        }
        const std::string also = folders.size() > 1 ? " nor in the folders of 'paths'" : "";
        fail(value, "there is no file '" + (folder_ / value.text).lexically_normal().string() + "'" + also +
                        "; paths are relative to the specification file");
    }

    Specification& spec_;
    const std::vector<SpecSection>& sections_;
    std::filesystem::path folder_;
};

}  // namespace

const char* function_key(Function function) {
    constexpr const char* keys[] = {"init_master",    "data_generator", "comp_function",
                                    "result_receive", "split_function", "join_function"};
    return keys[static_cast<std::size_t>(function)];
}

std::vector<Word> Specification::all_sources() const {
    std::vector<Word> all;
    const auto add = [&](const std::vector<Word>& words) {
        for (const Word& word : words) {
            const bool known = std::any_of(all.begin(), all.end(), [&](const Word& other) { return other.text == word.text; });
            if (!known) all.push_back(word);
        }
    };
    for (const auto& words : sources) add(words);
    add(more_sources);
    return all;
}

Specification parse_specification(const std::string& text, const std::string& path,
                                  const std::vector<Replacement>& replacements) {
    Specification spec;
    spec.path = path;
    spec.name = std::filesystem::path(path).stem().string();
    auto sections = parse_sections(text, path, section_names, known_keys);
    for (const Replacement& replacement : replacements) replace(sections, replacement);
    Reader(spec, sections).read();
    return spec;
}

Specification read_specification(const std::string& path) {
    return read_specification(path, {});
}

Specification read_specification(const std::string& path, const std::vector<Replacement>& replacements) {
    std::ifstream file(path, std::ios::binary);
    if (!file || vocabulary::is_folder(path))
        throw InputError({path, 0, 0}, "cannot be read; name a specification file, for example NAME.farm");
    std::ostringstream text;
    text << file.rdbuf();
    return parse_specification(text.str(), path, replacements);
}

}  // namespace farm_programs
