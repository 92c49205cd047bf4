#include <statements.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include <t800_assembly/names.hpp>

namespace t800_assembly {
namespace {

using vocabulary::InputError;
using vocabulary::SourcePosition;

constexpr std::size_t most_statements = 1'000'000;
constexpr int most_depth = 50;

struct Macro {
    std::vector<std::string> parameters;
    std::vector<Text> body;
};

bool is_space(char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0;
}
// Calls `use` for each character outside of strings and comments, with its place; ends at a comment.
std::size_t end_of_code(const std::string& line) {
    char quote = '\0';
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (quote != '\0') {
            if (c == '\\') {
                ++i;
            } else if (c == quote) {
                quote = '\0';
            }
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == ';' || line.compare(i, 2, "--") == 0) {
            return i;
        }
    }
    return line.size();
}
Text piece(const Text& line, std::size_t first, std::size_t last) {
    while (first < last && is_space(line.text[first])) ++first;
    while (last > first && is_space(line.text[last - 1])) --last;
    SourcePosition where = line.where;
    where.column += static_cast<int>(first);
    return {line.text.substr(first, last - first), where};
}
std::vector<Text> split(const Text& line, std::size_t first, std::size_t last) {
    std::vector<Text> pieces;
    if (piece(line, first, last).text.empty()) return pieces;
    char quote = '\0';
    int depth = 0;
    std::size_t begin = first;
    for (std::size_t i = first; i < last; ++i) {
        const char c = line.text[i];
        if (quote != '\0') {
            if (c == '\\') {
                ++i;
            } else if (c == quote) {
                quote = '\0';
            }
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '(' || c == ')') {
            depth += c == '(' ? 1 : -1;
        } else if (c == ',' && depth == 0) {
            pieces.push_back(piece(line, begin, i));
            begin = i + 1;
        }
    }
    pieces.push_back(piece(line, begin, last));
    for (const Text& one : pieces) {
        if (one.text.empty()) throw InputError(one.where, "an operand is missing beside this comma");
    }
    return pieces;
}

Statement read_line(const Text& line) {
    Statement statement;
    statement.line = line.text;
    const std::size_t end = end_of_code(line.text);
    std::size_t at = 0;
    for (;;) {
        while (at < end && is_space(line.text[at])) ++at;
        std::size_t last = at;
        if (last < end && (is_name_start(line.text[last]) || line.text[last] == '.')) ++last;
        while (last < end && is_name_part(line.text[last])) ++last;
        const Text word = piece(line, at, last);
        std::size_t colon = last;
        while (colon < end && is_space(line.text[colon])) ++colon;
        if (!word.text.empty() && colon < end && line.text[colon] == ':') {
            if (!is_name_start(word.text[0])) throw InputError(word.where, "a label begins with a letter or _");
            statement.labels.push_back(word);
            at = colon + 1;
            continue;
        }
        if (word.text.empty() && at < end) {
            throw InputError(word.where, std::string("'") + line.text[at] + "' begins neither an instruction nor a label");
        }
        if (last < end && !word.text.empty() && !is_space(line.text[last])) {
            throw InputError(piece(line, last, end).where, "a space is missing after '" + word.text + "'");
        }
        statement.mnemonic = word;
        statement.operands = split(line, last, end);
        return statement;
    }
}

std::vector<Text> lines_of(const std::string& source, const std::string& file) {
    std::vector<Text> lines;
    std::size_t at = 0;
    while (at < source.size()) {
        const std::size_t end = std::min(source.find('\n', at), source.size());
        std::string line = source.substr(at, end - at);
        if (!line.empty() && line.back() == '\r') line.pop_back();
        lines.push_back({std::move(line), {file, static_cast<int>(lines.size()) + 1, 1}});
        at = end + 1;
    }
    return lines;
}

class Expander {
public:
    Expander(const ReadSource& read, std::vector<Statement>& into) : read_(read), into_(into) {}

    void expand(const std::vector<Text>& lines, int depth) {
        for (std::size_t i = 0; i < lines.size(); ++i) {
            Statement statement = read_line(lines[i]);
            const std::string& name = statement.mnemonic.text;
            if (name == ".macro") {
                i = define(lines, i, statement);
            } else if (name == ".repeat") {
                i = repeat(lines, i, statement, depth);
            } else if (name == ".include") {
                labels_only(statement);
                include(statement, depth);
            } else if (name == ".endm" || name == ".endr") {
                throw InputError(statement.mnemonic.where, name + " without " + (name == ".endm" ? ".macro" : ".repeat"));
            } else if (const auto macro = macros_.find(name); macro != macros_.end()) {
                labels_only(statement);
                call(macro->second, statement, depth);
            } else {
                keep(std::move(statement));
            }
        }
    }

private:
    void keep(Statement statement) {
        if (into_.size() >= most_statements)
            throw InputError(statement.mnemonic.where, "the program has more than a million lines after expansion");
        into_.push_back(std::move(statement));
    }
    void labels_only(const Statement& statement) {
        if (!statement.labels.empty()) keep({statement.labels, {}, {}, statement.line});
    }
    // The line may still hold names of parameters.
    static std::string first_word(const std::string& line) {
        const std::size_t first = std::min(line.find_first_not_of(" \t"), line.size());
        return line.substr(first, std::min(line.find_first_of(" \t;", first), line.size()) - first);
    }
    // Lines up to the end that belongs to the one at `first`.
    static std::vector<Text> body(const std::vector<Text>& lines, std::size_t first, const char* begin, const char* end) {
        std::vector<Text> inside;
        int open = 1;
        for (std::size_t i = first + 1; i < lines.size(); ++i) {
            const std::string word = first_word(lines[i].text);
            if (word == begin) ++open;
            if (word == end && --open == 0) return inside;
            inside.push_back(lines[i]);
        }
        throw InputError(lines[first].where, std::string(begin) + " has no " + end);
    }
    std::size_t define(const std::vector<Text>& lines, std::size_t first, const Statement& statement) {
        labels_only(statement);
        if (statement.operands.empty())
            throw InputError(statement.mnemonic.where, "a macro needs a name, as in '.macro twice, X'");
        const Text& name = statement.operands.front();
        if (!std::all_of(name.text.begin(), name.text.end(), is_name_part) || !is_name_start(name.text[0])) {
            throw InputError(name.where, "'" + name.text + "' is no name; a comma follows the macro's name");
        }
        if (find(name.text)) throw InputError(name.where, "'" + name.text + "' is an instruction; give the macro another name");
        Macro macro;
        for (std::size_t i = 1; i < statement.operands.size(); ++i) macro.parameters.push_back(statement.operands[i].text);
        macro.body = body(lines, first, ".macro", ".endm");
        const std::size_t count = macro.body.size();
        if (!macros_.emplace(name.text, std::move(macro)).second)
            throw InputError(name.where, "macro '" + name.text + "' exists already");
        return first + count + 1;
    }
    std::size_t repeat(const std::vector<Text>& lines, std::size_t first, const Statement& statement, int depth) {
        labels_only(statement);
        if (statement.operands.size() != 1) throw InputError(statement.mnemonic.where, ".repeat needs one number");
        const Lookup no_names = [](std::string_view name, const SourcePosition& where) -> std::int64_t {
            throw InputError(where, "'" + std::string(name) + "' is not known yet; .repeat needs a number");
        };
        const std::int64_t times = evaluate(statement.operands[0], no_names, 0);
        const std::vector<Text> inside = body(lines, first, ".repeat", ".endr");
        if (times < 0 || (!inside.empty() && times > static_cast<std::int64_t>(most_statements))) {
            throw InputError(statement.operands[0].where, "a number of repetitions is 0 to 1000000");
        }
        for (std::int64_t i = 0; i < times && !inside.empty(); ++i) expand_unique(inside, {}, {}, depth);
        return first + inside.size() + 1;
    }
    // The file lies beside this one. Its lines have places of their own.
    void include(const Statement& statement, int depth) {
        const SourcePosition& where = statement.mnemonic.where;
        const bool named = statement.operands.size() == 1 && statement.operands[0].text.size() > 2 &&
                           statement.operands[0].text.front() == '"' && statement.operands[0].text.back() == '"';
        if (!named) throw InputError(where, "write the name of one file, as in '.include \"text.s\"'");
        if (!read_) throw InputError(where, "this source lies in no folder, so it cannot include a file");
        if (depth >= most_depth) throw InputError(where, "this file includes itself without end");
        const std::string name = statement.operands[0].text.substr(1, statement.operands[0].text.size() - 2);
        const std::string path = (std::filesystem::path(where.file).parent_path() / name).string();
        expand(lines_of(read_(path), path), depth + 1);
    }
    void call(const Macro& macro, const Statement& statement, int depth) {
        if (statement.operands.size() != macro.parameters.size()) {
            throw InputError(statement.mnemonic.where, "macro '" + statement.mnemonic.text + "' has " +
                                                           std::to_string(macro.parameters.size()) + " parameters, but " +
                                                           std::to_string(statement.operands.size()) + " operands are given");
        }
        if (depth >= most_depth)
            throw InputError(statement.mnemonic.where, "macro '" + statement.mnemonic.text + "' calls itself without end");
        expand_unique(macro.body, macro.parameters, statement.operands, depth + 1);
    }
    // \NAME is a parameter, \@ a number of its own for each expansion.
    void expand_unique(const std::vector<Text>& lines, const std::vector<std::string>& names, const std::vector<Text>& values,
                       int depth) {
        const std::string number = std::to_string(++expansions_);
        std::vector<Text> filled;
        for (const Text& line : lines) {
            Text one{{}, line.where};
            for (std::size_t i = 0; i < line.text.size();) {
                i = line.text[i] == '\\' ? fill_in(line, i, names, values, number, one.text)
                                         : (one.text += line.text[i], i + 1);
            }
            filled.push_back(std::move(one));
        }
        expand(filled, depth);
    }
    static std::size_t fill_in(const Text& line, std::size_t at, const std::vector<std::string>& names,
                               const std::vector<Text>& values, const std::string& number, std::string& into) {
        if (at + 1 < line.text.size() && line.text[at + 1] == '@') return into += number, at + 2;
        std::size_t last = at + 1;
        while (last < line.text.size() && (is_name_part(line.text[last]) && line.text[last] != '.')) ++last;
        const auto found = std::find(names.begin(), names.end(), line.text.substr(at + 1, last - at - 1));
        if (found == names.end()) return into += '\\', at + 1;
        into += values[static_cast<std::size_t>(found - names.begin())].text;
        return last;
    }

    const ReadSource& read_;
    std::vector<Statement>& into_;
    std::map<std::string, Macro> macros_;
    std::uint64_t expansions_ = 0;
};

}  // namespace

std::vector<Statement> read_statements(const std::string& source, const std::string& file, const ReadSource& read) {
    std::vector<Statement> statements;
    Expander(read, statements).expand(lines_of(source, file), 0);
    return statements;
}

}  // namespace t800_assembly
