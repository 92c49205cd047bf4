#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <scoring/score.hpp>
#include <vocabulary/errors.hpp>

namespace scoring {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_cases = 10, most_columns = 128;

double share(std::size_t part, std::size_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

// At the middle; 0 without any.
double median(const std::vector<double>& rising) {
    return rising.empty() ? 0 : rising[(rising.size() - 1) / 2];
}

struct Line {
    const char* name;
    std::size_t count;
    std::string detail;
};

std::vector<Line> lines_of(const Tally& tally) {
    return {{"right", tally.right(),
             fmt::format("certain {}, likely {}, no fault {}", tally.certain_right, tally.likely_right, tally.none_right)},
            {"close", tally.close, "likely; the right place is among the others named, or only the node is right"},
            {"unknown", tally.unknown(),
             fmt::format("something was wrong {}, nothing was wrong {}", tally.unknown_fault, tally.unknown_healthy)},
            {"likely and wrong", tally.likely_wrong, ""},
            {"certain and wrong", tally.certain_wrong, ""},
            {"not judged", tally.failed, ""}};
}

void put_matrix(std::string& text, const Tally& tally) {
    for (const Line& line : lines_of(tally))
        text += fmt::format("  {:<19}{:>8}{:>8.1f} %{}{}\n", line.name, line.count, 100 * share(line.count, tally.points),
                            line.detail.empty() ? "" : "   ", line.detail);
}

std::string recall_text(const Tally& tally) {
    return tally.allowed > 0 ? fmt::format("{:.1f} %", 100 * share(tally.recalled, tally.allowed)) : "-";
}

void put_groups(std::string& text, const Score& score) {
    std::size_t width = score.grouped_by.size();
    for (const Group& group : score.groups) width = std::max(width, group.name.size());
    width = std::min<std::size_t>(width, 40);
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "\n  {:<{}} {:>7} {:>8} {:>8} {:>8} {:>7} {:>8} {:>8} {:>8} {:>8}\n", score.grouped_by, width, "points",
                   "certain", "no fault", "likely", "close", "unknown", "l. wrong", "c. wrong", "recall");
    for (const Group& group : score.groups) {
        const Tally& tally = group.tally;
        std::string name = group.name;
        if (name.size() > width) name = name.substr(0, width - 3) + "...";
        fmt::format_to(out, "  {:<{}} {:>7} {:>8} {:>8} {:>8} {:>7} {:>8} {:>8} {:>8} {:>8}\n", name, width, tally.points,
                       tally.certain_right, tally.none_right, tally.likely_right, tally.close, tally.unknown(),
                       tally.likely_wrong, tally.certain_wrong, recall_text(tally));
    }
}

void put_cases(std::string& text, const char* title, const std::vector<Case>& cases) {
    if (cases.empty()) return;
    text += fmt::format("\n  {}: {}\n", title, cases.size());
    for (std::size_t i = 0; i < std::min(most_cases, cases.size()); ++i) {
        std::string why = fmt::format("  point {}: {}", cases[i].number, cases[i].why);
        if (why.size() > most_columns) why = why.substr(0, most_columns - 3) + "...";
        text += why + "\n    " + cases[i].repeat + "\n";
    }
    if (cases.size() > most_cases) text += fmt::format("  and {} more\n", cases.size() - most_cases);
}

ordered_json tally_json(const Tally& tally) {
    ordered_json json = {{"points", tally.points},
                         {"certain_right", tally.certain_right},
                         {"none_right", tally.none_right},
                         {"likely_right", tally.likely_right},
                         {"close", tally.close},
                         {"unknown_fault", tally.unknown_fault},
                         {"unknown_healthy", tally.unknown_healthy},
                         {"likely_wrong", tally.likely_wrong},
                         {"certain_wrong", tally.certain_wrong},
                         {"not_judged", tally.failed},
                         {"visible_as_certain", tally.allowed},
                         {"of_them_certain", tally.recalled},
                         {"lost_share", tally.lost_share}};
    json["median_after_us"] = tally.after_us.empty() ? ordered_json(nullptr) : ordered_json(median(tally.after_us));
    json["most_after_us"] = tally.after_us.empty() ? ordered_json(nullptr) : ordered_json(tally.after_us.back());
    return json;
}

ordered_json cases_json(const std::vector<Case>& cases) {
    ordered_json list = ordered_json::array();
    for (const Case& one : cases) list.push_back({{"point", one.number}, {"why", one.why}, {"repeat", one.repeat}});
    return list;
}

}  // namespace

std::string score_text(const Score& score) {
    const Tally& all = score.all;
    std::string text = fmt::format("score of {}: {} points", score.study, all.points);
    if (all.points < score.points) text += fmt::format(" of {}", score.points);
    text += "\n";
    put_matrix(text, all);
    if (all.allowed > 0)
        text += fmt::format("  recall             {} of {} verdicts that messages alone can make certain ({})\n", all.recalled,
                            all.allowed, recall_text(all));
    if (!all.after_us.empty())
        text +=
            fmt::format("  time to verdict    {:.3f} ms in the middle, {:.3f} ms at most, from the first strike to the end\n",
                        median(all.after_us) * 1e-3, all.after_us.back() * 1e-3);
    put_groups(text, score);
    put_cases(text, "certain and wrong", score.wrong);
    put_cases(text, "nothing lost, visible as certain, and not certain", score.short_of);
    put_cases(text, "not judged", score.failed);
    return text;
}

std::string score_json(const Score& score) {
    ordered_json json = {{"schema", "magicwire.score/1"},
                         {"study", score.study},
                         {"points", score.points},
                         {"all", tally_json(score.all)},
                         {"grouped_by", score.grouped_by},
                         {"groups", ordered_json::array()},
                         {"certain_and_wrong", cases_json(score.wrong)},
                         {"short_of_visible", cases_json(score.short_of)},
                         {"not_judged", cases_json(score.failed)}};
    for (const Group& group : score.groups) {
        ordered_json one = {{"name", group.name}};
        one.update(tally_json(group.tally));
        json["groups"].push_back(std::move(one));
    }
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

void check_curve(std::size_t groups, const std::string& by) {
    if (groups < 2)
        throw vocabulary::RequestError(
            fmt::format("a curve needs two groups, and all points have one value of '{}'; choose another one with --by", by));
}

tmon_pictures::CurvePicture score_curves(const Score& score) {
    check_curve(score.groups.size(), score.grouped_by);
    tmon_pictures::CurvePicture picture;
    picture.title = fmt::format("deTrEK's answers in {}", score.study);
    picture.note = fmt::format("{} points; certain and wrong: {}", score.all.points, score.all.certain_wrong);
    picture.x.label = score.grouped_by == by_loss ? "lost records, of all" : score.grouped_by;
    picture.y.label = "share of the points (%)";
    picture.curves = {
        {"certain and right", {}}, {"right", {}}, {"unknown", {}}, {"likely and wrong", {}}, {"certain and wrong", {}}};
    for (std::size_t i = 0; i < score.groups.size(); ++i) {
        const Tally& tally = score.groups[i].tally;
        picture.x.names.push_back(score.groups[i].name);
        const std::size_t counts[] = {tally.certain_right, tally.right(), tally.unknown(), tally.likely_wrong,
                                      tally.certain_wrong};
        for (std::size_t curve = 0; curve < std::size(counts); ++curve)
            picture.curves[curve].points.push_back({static_cast<double>(i), 100 * share(counts[curve], tally.points), {}});
    }
    return picture;
}

}  // namespace scoring
