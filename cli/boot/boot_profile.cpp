#include "boot/boot_profile.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <t800_assembly/names.hpp>

namespace cli {
namespace boot_profiles {
namespace {

using boot_runs::ProfiledNode;
using boot_runs::ProfileRow;
using nlohmann::ordered_json;
using t800_assembly::Program;

constexpr std::size_t most_rows = 60;  // of addresses in the text
constexpr std::size_t window = 8, most_windows = 256;

std::string instruction_of(const ProfileRow& row) {
    using t800_assembly::Kind;
    const auto signed_operand = static_cast<std::int32_t>(row.operand);
    if (row.function == 0xF) {
        const auto name = t800_assembly::find(Kind::Operation, row.operand);
        return name ? std::string(name->text) : fmt::format("opr {}", signed_operand);
    }
    const auto name = t800_assembly::find(Kind::Function, row.function);
    const bool jumps = row.function == 0x0 || row.function == 0x9 || row.function == 0xA;
    if (jumps) return fmt::format("{} #{:08X}", name->text, row.address + row.length + row.operand);
    return fmt::format("{} {}", name->text, signed_operand);
}

// Where a node has the program's code: its addresses less those of the source. Nodes boot from parts of it that their
// neighbours sent, so pieces of what ran are looked for in it. The distance that most pieces agree on is taken.
class CodePlace {
public:
    CodePlace(const ProfiledNode& node, const Program& program) : code_(program.code), origin_(program.origin) {
        std::map<std::uint32_t, std::size_t> votes;
        std::size_t windows = 0;
        for (std::size_t i = 0; i < node.rows.size() && windows < most_windows; ++i) {
            const std::vector<std::uint8_t> piece = piece_from(node.rows, i);
            if (piece.size() < window) continue;
            ++windows;
            for (auto at = code_.begin();; ++at) {
                at = std::search(at, code_.end(), piece.begin(), piece.end());
                if (at == code_.end()) break;
                ++votes[node.rows[i].address - origin_ - static_cast<std::uint32_t>(at - code_.begin())];
            }
        }
        std::size_t most = 0;
        for (const auto& [distance, count] : votes) {
            if (count > most) distance_ = distance, most = count;
        }
    }

    // The address in the source; nothing where other code lies.
    std::optional<std::uint32_t> source(const ProfileRow& row) const {
        const std::uint32_t at = row.address - distance_ - origin_;
        const std::size_t count = std::min<std::size_t>(row.length, row.bytes.size());
        if (at >= code_.size() || count > code_.size() - at) return std::nullopt;
        if (!std::equal(row.bytes.begin(), row.bytes.begin() + static_cast<std::ptrdiff_t>(count), code_.begin() + at))
            return std::nullopt;
        return at + origin_;
    }

private:
    static std::vector<std::uint8_t> piece_from(std::span<const ProfileRow> rows, std::size_t first) {
        std::vector<std::uint8_t> piece;
        std::uint32_t next = rows[first].address;
        for (std::size_t i = first; i < rows.size() && rows[i].address == next && piece.size() < window; ++i) {
            if (rows[i].length > rows[i].bytes.size()) break;
            piece.insert(piece.end(), rows[i].bytes.begin(), rows[i].bytes.begin() + rows[i].length);
            next += rows[i].length;
        }
        return piece;
    }

    std::span<const std::uint8_t> code_;
    std::uint32_t origin_, distance_ = 0;
};

struct Line {
    std::size_t node = 0;
    const ProfileRow* row = nullptr;
    t800_assembly::LabelledPlace place;
};

std::vector<Line> lines_of(const boot_runs::Result& result, const std::optional<Program>& program) {
    std::vector<Line> lines;
    for (std::size_t i = 0; i < result.profile.size(); ++i) {
        const std::optional<CodePlace> code =
            program ? std::optional<CodePlace>(std::in_place, result.profile[i], *program) : std::nullopt;
        for (const ProfileRow& row : result.profile[i].rows) {
            const auto source = code ? code->source(row) : std::nullopt;
            lines.push_back(
                {i, &row, source ? t800_assembly::labelled_place(*program, *source) : t800_assembly::LabelledPlace{}});
        }
    }
    return lines;
}

struct Sum {
    std::string name, instruction;
    std::uint64_t cycles = 0, executions = 0;
    std::uint32_t address = 0;
};

void add(Sum& sum, const ProfileRow& row) {
    sum.cycles += row.cycles;
    sum.executions += row.executions;
}

// The costliest first; equal ones by name and address.
template <class Key>
std::vector<Sum> sorted_sums(const std::map<Key, Sum>& sums) {
    std::vector<Sum> all;
    for (const auto& [key, sum] : sums) all.push_back(sum);
    std::stable_sort(all.begin(), all.end(), [](const Sum& a, const Sum& b) { return a.cycles > b.cycles; });
    return all;
}

std::vector<Sum> by_label(const std::vector<Line>& lines) {
    std::map<std::string, Sum> sums;
    for (const Line& line : lines) {
        Sum& sum = sums[line.place.label];
        sum.name = line.place.label.empty() ? "(no label)" : line.place.label;
        add(sum, *line.row);
    }
    return sorted_sums(sums);
}

std::vector<Sum> by_address(const std::vector<Line>& lines) {
    using Key = std::tuple<std::string, std::uint32_t, std::string>;
    std::map<Key, Sum> sums;
    for (const Line& line : lines) {
        const bool known = !line.place.label.empty();
        const std::string text = instruction_of(*line.row);
        Sum& sum = sums[{line.place.label, known ? line.place.offset : line.row->address, known ? "" : text}];
        if (sum.executions == 0) {
            sum.name = known ? text_of(line.place) : "";
            sum.instruction = text;
            sum.address = line.row->address;
        }
        add(sum, *line.row);
    }
    return sorted_sums(sums);
}

double percent_of(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::pair<std::uint64_t, std::uint64_t> all_and_switching(const boot_runs::Result& result) {
    std::uint64_t all = 0, switching = 0;
    for (const ProfiledNode& node : result.profile) all += node.cycles, switching += node.switching;
    return {all, switching};
}

std::string text_of_profile(const boot_runs::Result& result, const boot_runs::Plan& plan,
                            const std::optional<Program>& program) {
    const std::vector<Line> lines = lines_of(result, program);
    const auto [all, switching] = all_and_switching(result);
    std::string text =
        fmt::format("{}: {} cycles on {} node{}, {} of them ({:.1f} %) between processes\n", plan.image_name, all,
                    result.profile.size(), result.profile.size() == 1 ? "" : "s", switching, percent_of(switching, all));
    if (program) {
        text += "\n      cycles      %    executions  label\n";
        for (const Sum& sum : by_label(lines))
            text +=
                fmt::format("{:>12} {:>6.2f}  {:>12}  {}\n", sum.cycles, percent_of(sum.cycles, all), sum.executions, sum.name);
    }
    text += "\n      cycles      %    executions  cycles each  address    instruction            place\n";
    const std::vector<Sum> sums = by_address(lines);
    for (std::size_t i = 0; i < std::min(sums.size(), most_rows); ++i) {
        const Sum& sum = sums[i];
        std::string line = fmt::format(
            "{:>12} {:>6.2f}  {:>12}  {:>11.2f}  #{:08X}  {:<21}  {}", sum.cycles, percent_of(sum.cycles, all), sum.executions,
            static_cast<double>(sum.cycles) / static_cast<double>(sum.executions), sum.address, sum.instruction, sum.name);
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    if (sums.size() > most_rows)
        text += fmt::format("and {} more; a FILE that ends with .json gets all of them\n", sums.size() - most_rows);
    return text;
}

std::string json_of_profile(const boot_runs::Result& result, const boot_runs::Plan& plan,
                            const std::optional<Program>& program) {
    const std::vector<Line> lines = lines_of(result, program);
    ordered_json json{{"schema", "magicwire.boot_profile/1"},
                      {"image", plan.image_name},
                      {"cycles", all_and_switching(result).first},
                      {"labels", ordered_json::array()},
                      {"nodes", ordered_json::array()}};
    if (program) {
        for (const Sum& sum : by_label(lines)) {
            ordered_json one{{"label", sum.name}, {"cycles", sum.cycles}, {"executions", sum.executions}};
            if (sum.name == "(no label)") one["label"] = nullptr;
            json["labels"].push_back(std::move(one));
        }
    }
    for (std::size_t i = 0; i < result.profile.size(); ++i) {
        json["nodes"].push_back({{"node", fmt::format("n{}", i)},
                                 {"cycles", result.profile[i].cycles},
                                 {"switching", result.profile[i].switching},
                                 {"rows", ordered_json::array()}});
    }
    std::vector<Line> costliest = lines;
    std::stable_sort(costliest.begin(), costliest.end(),
                     [](const Line& a, const Line& b) { return a.row->cycles > b.row->cycles; });
    for (const Line& line : costliest) {
        ordered_json row{{"address", line.row->address},
                         {"instruction", instruction_of(*line.row)},
                         {"executions", line.row->executions},
                         {"cycles", line.row->cycles},
                         {"label", nullptr}};
        if (!line.place.label.empty()) row["label"] = line.place.label, row["offset"] = line.place.offset;
        json["nodes"][line.node]["rows"].push_back(std::move(row));
    }
    return json.dump(2);
}

}  // namespace
}  // namespace boot_profiles

std::string boot_profile_text(const boot_runs::Result& result, const boot_runs::Plan& plan,
                              const std::optional<t800_assembly::Program>& program) {
    return boot_profiles::text_of_profile(result, plan, program);
}

std::string boot_profile_json(const boot_runs::Result& result, const boot_runs::Plan& plan,
                              const std::optional<t800_assembly::Program>& program) {
    return boot_profiles::json_of_profile(result, plan, program);
}

}  // namespace cli
