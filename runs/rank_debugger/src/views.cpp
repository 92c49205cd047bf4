// Stacks and values of ranks.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <dwarf.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <vocabulary/source_position.hpp>

#include "expressions.hpp"
#include "parts.hpp"
#include "value_text.hpp"

namespace rank_debugger {

using user_programs::CodeRegisters;
using user_programs::LoadedProgram;
using user_programs::ProgramProcess;
using vocabulary::RequestError;
using Json = nlohmann::ordered_json;

namespace {

constexpr const char* no_information =
    "the program has no debug information, so nothing is known of its lines and variables; compile it without -g0 and -s";

std::string frame_text(const Frame& frame, const std::string& arguments) {
    std::string text = fmt::format("{}({})", frame.name, arguments);
    if (!frame.file.empty() && frame.line != 0) text += fmt::format(" at {}:{}", frame.file, frame.line);
    return text + (frame.is_inlined ? ", inlined" : "");
}

// Without debug information all frames of the program's code show, by their names.
bool shows(const Frame& frame, const DebugInfo& info) {
    return frame.function != nullptr || (!info.is_there() && frame.name != "?");
}

// The library's function behind MPI_Recv() and PMPI_Recv() is lam_api_Recv().
std::string name_in_mpi(const std::string& function) {
    constexpr std::size_t length = std::string_view("lam_api_").size();
    return function.starts_with("lam_api_") ? "MPI_" + function.substr(length) : function;
}

std::string wait_text(const std::string& function) {
    return function == "__sanitizer_cov_trace_pc" ? "computes" : fmt::format("in {}()", function);
}

Json frame_json(const Frame& frame) {
    Json json = {{"function", frame.name}, {"file", nullptr}, {"line", nullptr}, {"inlined", frame.is_inlined}};
    if (!frame.file.empty()) json["file"] = frame.file;
    if (frame.line != 0) json["line"] = frame.line;
    return json;
}

}  // namespace

RankDebugger::View RankDebugger::view_of(std::size_t rank) const {
    View view{.rank = rank};
    const Parts& its = parts();
    const auto processes = program_.processes();
    view.process = rank < processes.size() ? processes[rank] : nullptr;
    if (view.process == nullptr) {
        view.state = "has not begun, or has ended";
        return view;
    }
    const ProgramProcess* const process = view.process;
    view.module = process->program().addresses();
    view.read = [process](std::uintptr_t from, void* to, std::size_t bytes) {
        return process->copy_out(reinterpret_cast<const void*>(from), to, bytes);  // NOLINT(performance-no-int-to-ptr)
    };
    view.globals = {.read = view.read,
                    .registers = {},
                    .canonical = {},
                    .load = view.module.load,
                    .thread = view.module.thread,
                    .function = {}};
    const auto at = its.stops ? its.stops->registers(*process) : process->registers();
    if (!at) {
        view.state = "has not begun";
        return view;
    }
    std::string library;
    bool is_innermost = true;
    for (Frame& frame : its.stacks.frames(view.module, *at, view.read)) {
        if (!shows(frame, its.info)) {
            library = name_in_mpi(frame.name);
            continue;
        }
        if (is_innermost && !library.empty()) view.state = wait_text(library);
        view.via.push_back(is_innermost ? "" : library);
        is_innermost = false;
        library.clear();
        view.frames.push_back(std::move(frame));
    }
    if (view.state.empty()) view.state = view.frames.empty() ? "in no function of the program" : "computes";
    if (stopped_rank_ == rank) {
        std::string numbers;
        for (const std::size_t number : hit_) numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ", number);
        view.state = hit_.empty() ? "stopped after a step" : fmt::format("stopped at breakpoint {}", numbers);
    }
    return view;
}

// Addresses of the module differ from run to run, so they show as names.
std::string RankDebugger::address_text(std::uintptr_t address, const LoadedProgram::Addresses& own) const {
    const auto name_in = [&](std::uintptr_t load) -> std::string {
        const Symbol* const symbol = address >= load ? parts_->info.symbol_at(address - load) : nullptr;
        if (symbol == nullptr) return {};
        const std::uintptr_t offset = address - load - symbol->begin;
        return offset == 0 ? fmt::format("<{}>", symbol->name) : fmt::format("<{}+{}>", symbol->name, offset);
    };
    if (const std::string name = name_in(own.load); !name.empty()) return name;
    const auto processes = program_.processes();
    for (std::size_t rank = 0; rank < processes.size(); ++rank) {
        if (processes[rank] == nullptr) continue;
        const std::string name = name_in(processes[rank]->program().addresses().load);
        if (!name.empty()) return fmt::format("{} of rank {}", name, rank);
    }
    constexpr std::uintptr_t of_host = 0x550000000000, behind = 0x800000000000;
    return address >= of_host && address < behind ? "<an address outside of the node>" : fmt::format("{:#x}", address);
}

std::string RankDebugger::source_line(const std::string& path, unsigned line) const {
    std::error_code error;
    const auto written = std::filesystem::last_write_time(path, error);
    if (error || line == 0) return {};
    const auto built = std::filesystem::last_write_time(program_.path, error);
    if (error || written > built) return {};  // it may say something else by now
    std::ifstream file(path);
    std::string text;
    for (unsigned i = 0; i < line; ++i) {
        if (!std::getline(file, text)) return {};
    }
    return fmt::format("{:<5} {}\n", line, text);
}

std::string RankDebugger::arguments_text(const View& view, std::size_t number) const {
    constexpr std::size_t longest = 60;
    const Frame& frame = view.frames[number];
    std::string text;
    if (frame.scopes.empty()) return text;
    Dwarf_Die function = frame.scopes.back(), die;
    if (dwarf_child(&function, &die) != 0) return text;
    do {
        if (dwarf_tag(&die) != DW_TAG_formal_parameter || name_of(die).empty()) continue;
        const auto address = [&](std::uintptr_t at) { return address_text(at, view.module); };
        std::string value = shown(value_of(die, frame.in), frame.in, address).text;
        if (value.size() > longest) value = value.substr(0, longest) + "...";
        if (value.starts_with("<optimized out")) value = "<optimized out>";
        text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name_of(die), value);
    } while (dwarf_siblingof(&die, &die) == 0);
    return text;
}

Answer RankDebugger::where(const std::vector<std::size_t>& ranks) const {
    struct Entry {
        std::vector<std::size_t> ranks;
        std::string state, stack;
    };
    std::vector<Entry> entries;
    Json json = {{"ranks", Json::array()}};
    std::string line;
    for (const std::size_t rank : ranks) {
        const View view = view_of(rank);
        Entry made{{rank}, view.state, {}};
        Json its = {{"rank", rank}, {"state", view.state}, {"frames", Json::array()}};
        for (std::size_t i = 0; i < view.frames.size(); ++i) {
            if (!view.via[i].empty()) made.stack += fmt::format("       through {}()\n", view.via[i]);
            made.stack +=
                fmt::format("  #{:<3} {}\n", i, frame_text(view.frames[i], ranks.size() == 1 ? arguments_text(view, i) : ""));
            its["frames"].push_back(frame_json(view.frames[i]));
        }
        json["ranks"].push_back(std::move(its));
        if (ranks.size() == 1 && !view.frames.empty()) line = source_line(view.frames[0].path, view.frames[0].line);
        const auto same = std::find_if(entries.begin(), entries.end(),
                                       [&](const Entry& one) { return one.state == made.state && one.stack == made.stack; });
        if (same == entries.end()) {
            entries.push_back(std::move(made));
        } else {
            same->ranks.push_back(rank);
        }
    }
    std::string text;
    for (const Entry& one : entries)
        text += fmt::format("rank{} {}: {}\n{}", one.ranks.size() > 1 ? "s" : "", ranks_text(one.ranks), one.state, one.stack);
    if (!parts().info.is_there()) text += fmt::format("note: {}\n", no_information);
    return {text + line, json.dump()};
}

namespace {

struct Row {
    std::size_t rank;
    std::vector<std::int64_t> indices;
    std::string text;
};

// One table of all ranks; a single value stands alone.
std::string table(const std::vector<Row>& rows, std::size_t ranges, const std::string& expression) {
    if (rows.size() == 1 && ranges == 0) return fmt::format("rank {}: {} = {}\n", rows[0].rank, expression, rows[0].text);
    std::string text = fmt::format("{:<6}", "RANK");
    for (std::size_t i = 0; i < ranges; ++i)
        text += fmt::format(" {:<7}", ranges == 1 ? "INDEX" : fmt::format("INDEX{}", i + 1));
    text += " VALUE\n";
    for (const Row& row : rows) {
        text += fmt::format("{:<6}", row.rank);
        for (std::size_t i = 0; i < ranges; ++i)
            text += i < row.indices.size() ? fmt::format(" {:<7}", row.indices[i]) : fmt::format(" {:<7}", "-");
        text += fmt::format(" {}\n", row.text);
    }
    return text;
}

std::string with_caret(const std::string& expression, const ExpressionError& error) {
    return fmt::format("the expression, column {}: {}\n  {}\n  {}^", error.column, error.what(), expression,
                       std::string(error.column - 1, ' '));
}

}  // namespace

Answer RankDebugger::print(const std::vector<std::size_t>& ranks, const std::string& expression) const {
    if (!parts().info.is_there()) throw RequestError(no_information);
    std::unique_ptr<Expression> parsed;
    try {
        parsed = parse_expression(expression);
    } catch (const ExpressionError& error) {
        throw RequestError(with_caret(expression, error));
    }
    const auto processes = program_.processes();
    const bool none_runs =
        std::all_of(ranks.begin(), ranks.end(), [&](std::size_t rank) { return processes.at(rank) == nullptr; });
    if (none_runs)
        throw RequestError(fmt::format("rank{} {} {} not begun, or {} ended", ranks.size() > 1 ? "s" : "", ranks_text(ranks),
                                       ranks.size() > 1 ? "have" : "has", ranks.size() > 1 ? "have" : "has"));
    std::vector<Row> rows;
    std::vector<std::string> notes;
    std::optional<ExpressionError> failed;
    std::size_t failures = 0;
    Json json = {{"expression", expression}, {"type", nullptr}, {"ranks", Json::array()}};
    for (const std::size_t rank : ranks) {
        const View view = view_of(rank);
        Json its = {{"rank", rank}, {"function", nullptr}, {"values", Json::array()}, {"why", nullptr}};
        if (!view.frames.empty()) its["function"] = view.frames[0].name;
        try {
            if (view.process == nullptr) throw ExpressionError(1, "the rank " + view.state);
            const Scope scope{parts().info, view.frames, view.globals};
            for (Item& item : evaluate_expression(*parsed, scope)) {
                const auto address = [&](std::uintptr_t at) { return address_text(at, view.module); };
                const Shown one = shown(item.value, *item.in, address);
                if (json["type"].is_null() && item.value.missing.empty())
                    json["type"] = item.value.whole ? "long" : item.value.real ? "double" : type_text(item.value.type);
                Json value = {{"index", item.indices}, {"value", one.json}};
                if (!item.value.missing.empty()) value["why"] = item.value.missing;
                its["values"].push_back(std::move(value));
                if (item.of != nullptr && (notes.empty() || !notes.back().starts_with(fmt::format("rank {}:", rank))))
                    notes.push_back(fmt::format("rank {}: it is in {}(), and the variables are those of its caller {}()", rank,
                                                view.frames[0].name, item.of->name));
                rows.push_back({rank, std::move(item.indices), one.text});
            }
        } catch (const ExpressionError& error) {
            ++failures;
            if (!failed) failed = error;
            its["why"] = error.what();
            rows.push_back({rank, {}, fmt::format("<{}>", error.what())});
        }
        json["ranks"].push_back(std::move(its));
    }
    if (failures == ranks.size() && failed) throw RequestError(with_caret(expression, *failed));
    std::string text = table(rows, ranges_in(*parsed), expression);
    for (const std::string& note : notes) text += "note: " + note + "\n";
    return {text, json.dump()};
}

}  // namespace rank_debugger
