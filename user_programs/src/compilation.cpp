#include <user_programs/compilation.hpp>

#include <filesystem>
#include <sstream>

#include <user_programs/tools.hpp>

namespace user_programs {
namespace {

// The format of the compiler's -MF: TARGET: FILE FILE \ FILE. A blank in a name has a backslash before it.
std::vector<std::string> dependencies(const std::string& text) {
    std::vector<std::string> files;
    std::string word;
    const std::size_t begin = text.find(": ");
    for (std::size_t i = begin == std::string::npos ? text.size() : begin + 2; i < text.size(); ++i) {
        const bool escaped = text[i] == '\\' && i + 1 < text.size();
        if (escaped && text[i + 1] != '\n') {
            word += text[++i];
        } else if (text[i] == ' ' || text[i] == '\n' || escaped) {
            if (!word.empty()) files.push_back(word);
            word.clear();
        } else {
            word += text[i];
        }
    }
    if (!word.empty()) files.push_back(word);
    return files;
}

// Makes a string literal of C.
std::string in_quotes(const std::string& path) {
    std::string text = "\"";
    for (const char c : path) text += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    return text + "\"";
}

// Appends entries to the source: behind its last line the user's types are known. #line directives tell the compiler whose line
// each is.
std::string with_entries(const Compilation& step) {
    std::string text = "#line 1 " + in_quotes(step.source) + "\n" + content_of(step.source) + "\n";
    for (const TypeCheck& check : step.types) {
        const std::string kind = check.result ? "1" : "0";
        text += "#line " + std::to_string(check.line) + " " + in_quotes(check.file) + "\n";
        text += "static const unsigned long trek_type_" + kind +
                "[3] __attribute__((section(\"trek_types\"), used, aligned(8))) = {sizeof(" + check.type + "), " + kind + ", " +
                std::to_string(step.number) + "};\n";
    }
    return text;
}

std::string key_of(const std::vector<std::string>& command, const std::string& compiler, const std::string& dependency_file) {
    ContentHash hash;
    hash.add(compiler);
    for (const std::string& word : command) hash.add(word);
    for (const std::string& file : dependencies(content_of(dependency_file))) {
        hash.add(file);
        hash.add(content_of(file));
    }
    return hash.digits();
}

}  // namespace

bool is_cpp(const std::string& source) {
    return std::filesystem::path(source).extension() != ".c";
}

bool is_up_to_date(const std::string& target, const std::string& key) {
    return std::filesystem::exists(target) && content_of(target + ".key") == key;
}

void remember(const std::string& target, const std::string& key) {
    write_content(target + ".key", key);
}

Compiled compile(const Compilation& step, const std::string& folder, const std::string& compiler) {
    const std::filesystem::path source(step.source);
    const std::string base = folder + "/" + std::to_string(step.number) + "_" + source.stem().string();
    Compiled result{.object = base + ".o", .anew = false, .status = 0, .output = {}};
    std::string input = step.source;
    if (!step.types.empty()) {
        input = base + source.extension().string();
        write_content(input, with_entries(step));
    }
    std::vector<std::string> command = {is_cpp(step.source) ? "g++" : "gcc", "-c"};
    command.insert(command.end(), step.flags.begin(), step.flags.end());
    const std::string here = source.parent_path().empty() ? "." : source.parent_path().string();
    const std::string dependency_file = base + ".d";
    for (const std::string& word : {std::string("-iquote"), here, std::string("-MMD"), std::string("-MF"), dependency_file,
                                    std::string("-o"), result.object, input})
        command.push_back(word);
    if (is_up_to_date(result.object, key_of(command, compiler, dependency_file))) return result;
    const ToolResult run = run_tool(command);
    result.anew = true;
    result.status = run.status;
    result.output = run.output;
    if (run.status == 0) {
        remember(result.object, key_of(command, compiler, dependency_file));
    } else {
        std::filesystem::remove(result.object + ".key");
    }
    return result;
}

}  // namespace user_programs
