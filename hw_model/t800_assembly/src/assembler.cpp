// Sizes of instructions depend on the distances of labels, and those on sizes. Sizes begin at their least and only grow, until
// nothing changes: that ends, and gives the shortest code but for rare ties.
#include <t800_assembly/assembler.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <encoding.hpp>
#include <loader.hpp>
#include <statements.hpp>
#include <t800_assembly/names.hpp>
#include <t800_core/registers.hpp>
#include <vocabulary/nearest_name.hpp>

namespace t800_assembly {
namespace {

using vocabulary::InputError;
using vocabulary::SourcePosition;

constexpr std::uint8_t ldc = 4, opr = 15;
constexpr std::size_t most_bytes = 64 << 20;

std::string nearest_instruction(const std::string& wrong) {
    std::vector<std::string> known;
    for (const Name& name : names()) known.emplace_back(name.text);
    return vocabulary::did_you_mean(wrong, known);
}

class Assembler {
public:
    Assembler(const std::vector<Statement>& statements, std::uint32_t origin) : statements_(statements), origin_(origin) {
        sizes_.resize(statements.size());
        collect_names();
    }

    Program assemble() {
        lay_out(true);  // least sizes, so that every label has a value
        do {
            grown_ = false;
            lay_out(false);
        } while (grown_);
        return emit();
    }

private:
    struct Defined {
        Text expression;  // of .set; empty for a label
        std::int64_t value = 0;
        SourcePosition where;
        bool label = false, open = false;
    };

    void define(const Text& name, Defined defined) {
        const auto [at, is_new] = names_.emplace(name.text, std::move(defined));
        if (!is_new) throw InputError(name.where, "'" + name.text + "' is defined already, at " + at->second.where.text());
    }
    void collect_names() {
        for (const Statement& statement : statements_) {
            for (const Text& label : statement.labels) define(label, {{}, 0, label.where, true});
            if (statement.mnemonic.text != ".set") continue;
            operands(statement, 2);
            const Text& name = statement.operands[0];
            if (!std::all_of(name.text.begin(), name.text.end(), is_name_part) || !is_name_start(name.text[0])) {
                throw InputError(name.where, "'" + name.text + "' is no name; write '.set NAME, VALUE'");
            }
            define(name, {statement.operands[1], 0, name.where});
        }
    }
    std::int64_t look_up(std::string_view name, const SourcePosition& where) {
        const auto found = names_.find(name);
        if (found == names_.end()) throw InputError(where, fmt::format("'{}' is defined nowhere", name));
        Defined& defined = found->second;
        if (defined.label) return defined.value;
        if (defined.open) throw InputError(where, fmt::format("'{}' is defined by itself", name));
        defined.open = true;
        const std::int64_t value = evaluated(defined.expression);
        defined.open = false;
        return value;
    }
    std::int64_t evaluated(const Text& expression) {
        return evaluate(
            expression, [this](std::string_view name, const SourcePosition& where) { return look_up(name, where); }, here_);
    }
    // As 32 bits, whether it is given with a sign or without one.
    std::int32_t word(const Text& expression) {
        const std::int64_t value = evaluated(expression);
        if (value < -0x80000000LL || value > 0xFFFFFFFFLL)
            throw InputError(expression.where, fmt::format("{} does not fit in 32 bits", value));
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
    }
    static void operands(const Statement& statement, std::size_t count) {
        if (statement.operands.size() == count) return;
        throw InputError(
            statement.mnemonic.where,
            fmt::format("{} takes {}, but {} given", statement.mnemonic.text,
                        count == 0   ? "no operand"
                        : count == 1 ? "one operand"
                                     : fmt::format("{} operands", count),
                        statement.operands.size() == 1 ? "one is" : fmt::format("{} are", statement.operands.size())));
    }

    // Walks over all statements once. `least`: every prefixed operand has its least size.
    void lay_out(bool least) {
        here_ = origin_;
        for (std::size_t i = 0; i < statements_.size(); ++i) {
            for (const Text& label : statements_[i].labels) names_.find(label.text)->second.value = here_;
            const std::size_t size = size_of(statements_[i], i, least);
            // Code behind it may move .align back. Everything else only grows, so this ends, too.
            const bool moves = size > sizes_[i] || (size < sizes_[i] && statements_[i].mnemonic.text == ".align");
            if (moves) sizes_[i] = size, grown_ = true;
            here_ += static_cast<std::int64_t>(sizes_[i]);
            if (here_ - origin_ > static_cast<std::int64_t>(most_bytes))
                throw InputError(statements_[i].mnemonic.where, "the program is larger than 64 MiB");
        }
    }
    std::size_t size_of(const Statement& statement, std::size_t index, bool least) {
        if (statement.mnemonic.text.empty() || statement.mnemonic.text == ".set") return 0;
        if (least && is_sized(statement)) return 1;
        std::vector<std::uint8_t> bytes;
        generate(statement, index, bytes);
        return bytes.size();
    }
    // Its size follows from labels. (.space and .align do, too, but need a value at once.)
    static bool is_sized(const Statement& statement) {
        const auto name = find(statement.mnemonic.text);
        return (name && name->kind == Kind::Function) || statement.mnemonic.text == "ldap";
    }

    void generate(const Statement& statement, std::size_t index, std::vector<std::uint8_t>& into) {
        const std::string& name = statement.mnemonic.text;
        if (name.starts_with('.')) return directive(statement, into);
        if (name == "ldap") return load_address(statement, index, into);
        const auto found = find(name);
        if (!found)
            throw InputError(statement.mnemonic.where, "unknown instruction '" + name + "'" + nearest_instruction(name));
        switch (found->kind) {
            case Kind::Function:
                return function(statement, *found, index, into);
            case Kind::Operation:
                operands(statement, 0);
                return encode(into, opr, found->number);
            case Kind::FloatingEntry:
                operands(statement, 0);
                encode(into, ldc, found->number);
                return encode(into, opr, 0xAB);
        }
    }
    // Up to the size that this statement has reached; pfix 0 in front changes nothing.
    void padded(std::size_t index, std::vector<std::uint8_t>& into, std::uint8_t function, std::int32_t operand) const {
        std::vector<std::uint8_t> bytes;
        encode(bytes, function, operand);
        if (bytes.size() < sizes_[index]) bytes.insert(bytes.begin(), sizes_[index] - bytes.size(), 0x20);
        into.insert(into.end(), bytes.begin(), bytes.end());
    }
    void function(const Statement& statement, const Name& name, std::size_t index, std::vector<std::uint8_t>& into) {
        operands(statement, 1);
        const auto code = static_cast<std::uint8_t>(name.number);
        const bool is_jump = name.text == "j" || name.text == "cj" || name.text == "call";
        const std::int32_t operand = word(statement.operands[0]);
        if (name.text == "pfix" || name.text == "nfix") {
            if (operand < 0 || operand > 15) throw InputError(statement.operands[0].where, "a prefix by itself takes 0 to 15");
            into.push_back(static_cast<std::uint8_t>(code << 4 | operand));
            return;
        }
        if (!is_jump) return padded(index, into, code, operand);
        // The distance counts from the next instruction, so it depends on this one's size.
        const std::int64_t target = operand;
        std::size_t size = std::max<std::size_t>(sizes_[index], 1);
        for (;;) {
            const auto way =
                static_cast<std::int32_t>(target - static_cast<std::int32_t>(here_ + static_cast<std::int64_t>(size)));
            if (encoded_size(way) <= size) {
                const std::size_t kept = sizes_[index];
                sizes_[index] = size;
                padded(index, into, code, way);
                sizes_[index] = kept;
                return;
            }
            ++size;
        }
    }
    // ldc (label less the address after ldpi); ldpi.
    void load_address(const Statement& statement, std::size_t index, std::vector<std::uint8_t>& into) {
        operands(statement, 1);
        const std::int32_t target = word(statement.operands[0]);
        std::size_t size = std::max<std::size_t>(sizes_[index], 3);
        while (encoded_size(static_cast<std::int32_t>(
                   target - static_cast<std::int32_t>(here_ + static_cast<std::int64_t>(size)))) > size - 2)
            ++size;
        const auto way = static_cast<std::int32_t>(target - static_cast<std::int32_t>(here_ + static_cast<std::int64_t>(size)));
        const std::size_t kept = sizes_[index];
        sizes_[index] = size - 2;
        padded(index, into, ldc, way);
        sizes_[index] = kept;
        encode(into, opr, 0x1B);
    }

    void directive(const Statement& statement, std::vector<std::uint8_t>& into);
    void data(const Statement& statement, std::size_t width, std::vector<std::uint8_t>& into);
    void string(const Text& operand, std::vector<std::uint8_t>& into) const;

    Program emit() {
        Program program;
        program.origin = origin_;
        here_ = origin_;
        for (std::size_t i = 0; i < statements_.size(); ++i) {
            const Statement& statement = statements_[i];
            std::vector<std::uint8_t> bytes;
            if (!statement.mnemonic.text.empty() && statement.mnemonic.text != ".set") generate(statement, i, bytes);
            program.code.insert(program.code.end(), bytes.begin(), bytes.end());
            const SourcePosition& where = statement.mnemonic.text.empty() && !statement.labels.empty()
                                              ? statement.labels[0].where
                                              : statement.mnemonic.where;
            program.listing.push_back({where, static_cast<std::uint32_t>(here_), std::move(bytes), statement.line});
            for (const Text& label : statement.labels)
                program.symbols.push_back({label.text, static_cast<std::uint32_t>(here_), label.where});
            here_ = static_cast<std::int64_t>(origin_) + static_cast<std::int64_t>(program.code.size());
        }
        return program;
    }

    const std::vector<Statement>& statements_;
    std::int64_t origin_, here_ = 0;
    std::vector<std::size_t> sizes_;
    std::map<std::string, Defined, std::less<>> names_;
    bool grown_ = false;
};

void Assembler::string(const Text& operand, std::vector<std::uint8_t>& into) const {
    const std::string& text = operand.text;
    if (text.size() < 2 || text.back() != '"') throw InputError(operand.where, "a string ends with \"");
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
        char c = text[i];
        if (c == '\\' && i + 2 < text.size()) c = unescaped(text[++i], operand.where);
        into.push_back(static_cast<std::uint8_t>(c));
    }
}

void Assembler::data(const Statement& statement, std::size_t width, std::vector<std::uint8_t>& into) {
    if (statement.operands.empty()) throw InputError(statement.mnemonic.where, statement.mnemonic.text + " needs a value");
    for (const Text& operand : statement.operands) {
        if (operand.text.starts_with('"')) {
            if (width != 1) throw InputError(operand.where, "a string is for .byte");
            string(operand, into);
            continue;
        }
        const std::int32_t value = word(operand);
        if (width == 1 && (value < -128 || value > 255))
            throw InputError(operand.where, fmt::format("{} does not fit in a byte", value));
        if (width == 2 && (value < -32768 || value > 65535))
            throw InputError(operand.where, fmt::format("{} does not fit in 16 bits", value));
        for (std::size_t i = 0; i < width; ++i)
            into.push_back(static_cast<std::uint8_t>(static_cast<std::uint32_t>(value) >> (8 * i)));
    }
}

void Assembler::directive(const Statement& statement, std::vector<std::uint8_t>& into) {
    const std::string& name = statement.mnemonic.text;
    if (name == ".byte") return data(statement, 1, into);
    if (name == ".half") return data(statement, 2, into);
    if (name == ".word") return data(statement, 4, into);
    if (name == ".align") {
        operands(statement, 1);
        const std::int32_t to = word(statement.operands[0]);
        if (to < 1 || to > 4096 || (to & (to - 1)) != 0)
            throw InputError(statement.operands[0].where, ".align takes a power of two up to 4096");
        while ((here_ + static_cast<std::int64_t>(into.size())) % to != 0) into.push_back(0x20);  // pfix 0 does nothing
        return;
    }
    if (name == ".space") {
        if (statement.operands.empty() || statement.operands.size() > 2) operands(statement, 1);
        const std::int32_t count = word(statement.operands[0]);
        if (count < 0 || static_cast<std::size_t>(count) > most_bytes)
            throw InputError(statement.operands[0].where, ".space takes 0 bytes to 64 MiB");
        const std::int32_t fill = statement.operands.size() == 2 ? word(statement.operands[1]) : 0;
        into.insert(into.end(), static_cast<std::size_t>(count), static_cast<std::uint8_t>(fill));
        return;
    }
    throw InputError(
        statement.mnemonic.where,
        "unknown directive '" + name + "'; there are .byte .half .word .space .align .set .macro .endm .repeat .endr");
}

}  // namespace

Program assemble(const std::string& source, const std::string& file, const ReadSource& read) {
    const std::vector<Statement> statements = read_statements(source, file, read);
    Program program = Assembler(statements, t800_core::reserved::mem_start).assemble();
    if (program.code.empty()) throw InputError({file}, "the program has no code");
    if (program.code.size() <= 255 && program.code.size() >= 2) return program;
    program = Assembler(statements, loaded_address()).assemble();
    program.has_loader = true;
    return program;
}

}  // namespace t800_assembly
