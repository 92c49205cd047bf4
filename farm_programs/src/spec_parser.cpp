#include "spec_parser.hpp"

#include <algorithm>
#include <utility>

#include <vocabulary/nearest_name.hpp>

#include "spec_scanner.hpp"

namespace farm_programs {
namespace {

using vocabulary::InputError;

// Names that the thesis gives to the functions themselves, and the keys that it gives to their files.
constexpr std::pair<std::string_view, std::string_view> other_names[] = {
    {"compute_fn", "comp_function"},
    {"comp_fn", "comp_function"},
    {"compute_function", "comp_function"},
    {"split_fn", "split_function"},
    {"join_fn", "join_function"},
    {"result_receiver", "result_receive"},
    {"tasks", "total_tasks"},
    {"nodes", "total_processors"},
    {"processors", "total_processors"},
    {"tree", "topology"},
    {"network", "machine"},
};

class Parser {
public:
    Parser(const std::string& text, const std::string& path, const std::vector<std::string>& sections,
           const std::vector<SpecKey>& keys)
        : scanner_(text, path), sections_(sections), keys_(keys) {
        token_ = scanner_.next();
    }

    std::vector<SpecSection> parse() {
        if (!token_.is_word("begin"))
            fail("a specification starts with 'begin', and this is " + token_.shown() + "; write 'begin' before the sections");
        advance();
        while (!token_.is_word("end")) section();
        advance();
        if (token_.kind != SpecToken::Kind::End)
            fail("there is " + token_.shown() + " behind 'end'; a file has one specification; remove the rest");
        return std::move(result_);
    }

private:
    [[noreturn]] void fail(const std::string& message) const { throw InputError(token_.where, message); }

    SpecToken advance() {
        SpecToken old = std::move(token_);
        token_ = scanner_.next();
        return old;
    }

    bool is_section() const {
        return token_.kind == SpecToken::Kind::Word &&
               std::find(sections_.begin(), sections_.end(), token_.text) != sections_.end();
    }

    void section() {
        if (token_.kind == SpecToken::Kind::End) fail("the file ends before 'end'; write 'end' behind the last section");
        if (!is_section()) {
            std::string all;
            for (const std::string& name : sections_) all += (all.empty() ? "" : ", ") + name;
            const std::string hint = vocabulary::did_you_mean(token_.text, sections_);
            fail("there is no section " + token_.shown() + (hint.empty() ? "; sections are " + all : hint));
        }
        for (const SpecSection& other : result_) {
            if (other.name.text == token_.text)
                fail("section '" + token_.text + "' is there already, in line " + std::to_string(other.name.where.line) +
                     "; put the two together");
        }
        const SpecToken name = advance();
        result_.push_back({{name.text, name.where}, {}});
        while (!is_section() && !token_.is_word("end") && token_.kind != SpecToken::Kind::End) entry();
    }

    void entry() {
        if (token_.kind != SpecToken::Kind::Word)
            fail("expected the name of a key and found " + token_.shown() + "; write KEY = VALUE;");
        const SpecKey& key = key_named(token_);
        const SpecToken name = advance();
        if (!token_.is("="))
            throw InputError(name.behind, "expected '=' behind '" + name.text + "' and found " + token_.shown() + "; write " +
                                              name.text + " = VALUE;");
        advance();
        SpecEntry entry{{name.text, name.where}, {}};
        while (true) {
            if (!token_.is_value())
                fail("expected a value for '" + name.text + "' and found " + token_.shown() + "; write one behind the '='");
            const SpecToken value = advance();
            entry.values.push_back({{value.text, value.where}, value.kind == SpecToken::Kind::Quoted});
            if (token_.is(";")) break;
            if (!token_.is(",")) throw InputError(value.behind, "expected ';' behind the value of '" + name.text + "'; add it");
            if (!key.list) fail("'" + name.text + "' has one value; remove the rest, or write ';'");
            advance();
        }
        advance();
        result_.back().entries.push_back(std::move(entry));
    }

    // The key of this name in the section that is being read.
    const SpecKey& key_named(const SpecToken& name) const {
        const SpecSection& section = result_.back();
        std::vector<std::string> here;
        for (const SpecKey& key : keys_) {
            if (key.section == section.name.text) here.emplace_back(key.name);
            if (key.name != name.text) continue;
            if (key.section != section.name.text)
                fail("'" + name.text + "' belongs in section " + std::string(key.section) + ", not in " + section.name.text +
                     "; move it there");
            for (const SpecEntry& other : section.entries) {
                if (other.key.text == name.text)
                    fail("'" + name.text + "' is given already, in line " + std::to_string(other.key.where.line) +
                         "; remove one of the two" + (key.list ? ", or list all values behind one: A, B;" : ""));
            }
            return key;
        }
        fail("there is no key '" + name.text + "' in section " + section.name.text + hint(name.text, here));
    }

    std::string hint(const std::string& name, const std::vector<std::string>& here) const {
        for (const auto& [other, key] : other_names) {
            if (other == name) return ", did you mean '" + std::string(key) + "'?";
        }
        std::vector<std::string> everywhere;
        for (const SpecKey& key : keys_) everywhere.emplace_back(key.name);
        std::string near = vocabulary::did_you_mean(name, here);
        if (near.empty()) near = vocabulary::did_you_mean(name, everywhere);
        if (!near.empty()) return near;
        std::string all;
        for (const std::string& key : here) all += (all.empty() ? "" : ", ") + key;
        return "; its keys are " + all;
    }

    SpecScanner scanner_;
    const std::vector<std::string>& sections_;
    const std::vector<SpecKey>& keys_;
    SpecToken token_;
    std::vector<SpecSection> result_;
};

}  // namespace

std::vector<SpecSection> parse_sections(const std::string& text, const std::string& path,
                                        const std::vector<std::string>& sections, const std::vector<SpecKey>& keys) {
    return Parser(text, path, sections, keys).parse();
}

}  // namespace farm_programs
