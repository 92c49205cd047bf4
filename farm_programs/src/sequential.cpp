#include <farm_programs/sequential.hpp>

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "tools.hpp"

namespace farm_programs {
namespace {

namespace fs = std::filesystem;

// An empty folder for what the program saves; gone with this.
class OwnFolder {
public:
    OwnFolder() {
        std::string name = (fs::temp_directory_path() / "magicwire_XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr)
            throw std::runtime_error("no folder can be made in " + fs::temp_directory_path().string());
        path_ = name;
    }
    ~OwnFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    OwnFolder(const OwnFolder&) = delete;
    OwnFolder& operator=(const OwnFolder&) = delete;
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

std::string text_difference(const std::string& sequential, const std::string& farm) {
    if (sequential == farm) return {};
    std::vector<std::string> a = lines_of(sequential), b = lines_of(farm);
    std::size_t line = 0;
    while (line < a.size() && line < b.size() && a[line] == b[line]) ++line;
    const auto shown = [&](const std::vector<std::string>& lines) {
        return line < lines.size() ? "'" + lines[line] + "'" : std::string("nothing");
    };
    const std::string first = "line " + std::to_string(line + 1) + " is " + shown(b) + ", sequentially " + shown(a);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    return (a == b ? "the printed lines are the same in another order: " : "the printed text differs: ") + first + "\n";
}

std::string file_difference(const std::string& name, const std::string& sequential, const std::string& farm) {
    if (sequential == farm) return {};
    const std::size_t shorter = std::min(sequential.size(), farm.size());
    std::size_t at = 0, different = std::max(sequential.size(), farm.size()) - shorter;
    for (std::size_t i = shorter; i-- > 0;) {
        if (sequential[i] == farm[i]) continue;
        at = i;
        ++different;
    }
    if (different == std::max(sequential.size(), farm.size()) - shorter) at = shorter;
    return "file '" + name + "' differs in " + std::to_string(different) + " bytes, first at byte " + std::to_string(at) +
           " (" + std::to_string(farm.size()) + " bytes, sequentially " + std::to_string(sequential.size()) + ")\n";
}

}  // namespace

SequentialRun run_sequentially(const Specification& spec, const Built& built, std::size_t depth, const std::string& input) {
    const OwnFolder folder, streams;
    const fs::path printed = streams.path() / "printed", said = streams.path() / "said", read = streams.path() / "read";
    write_content(read.string(), input);
    // The shell changes the folder and leads the streams; all words reach it as arguments of their own.
    const ToolResult shell =
        run_tool({"sh", "-c", R"(cd "$1" && exec "$2" "$3" "$4" "$5" <"$6" >"$7" 2>"$8")", "sh", folder.path().string(),
                  fs::absolute(built.sequential).string(), std::to_string(spec.farm.tasks), std::to_string(spec.farm.degree),
                  std::to_string(depth), read.string(), printed.string(), said.string()});
    SequentialRun run;
    run.output.text = content_of(printed.string());
    run.good = shell.status == 0;
    if (!run.good) run.problem = content_of(said.string());
    while (run.problem.ends_with('\n')) run.problem.pop_back();
    if (!run.good && run.problem.empty()) run.problem = "the program could not be run: " + shell.output;
    for (const auto& entry : fs::directory_iterator(folder.path())) {
        if (entry.is_regular_file()) run.output.files[entry.path().filename().string()] = content_of(entry.path().string());
    }
    return run;
}

std::string differences(const ProgramOutput& sequential, const ProgramOutput& farm) {
    std::string text = text_difference(sequential.text, farm.text);
    for (const auto& [name, content] : sequential.files) {
        const auto other = farm.files.find(name);
        text +=
            other == farm.files.end() ? "file '" + name + "' was not saved\n" : file_difference(name, content, other->second);
    }
    for (const auto& [name, content] : farm.files) {
        if (!sequential.files.contains(name)) text += "file '" + name + "' was saved, and sequentially it is not\n";
    }
    return text;
}

}  // namespace farm_programs
