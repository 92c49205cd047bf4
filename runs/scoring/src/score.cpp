#include <scoring/score.hpp>

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vocabulary/errors.hpp>

namespace scoring {
namespace {

using sweeps::PointRow;
using sweeps::StoredStudy;

constexpr const char* certain_and_wrong = "certain and wrong";  // the judges' words

// Upper ends of the groups of lost records, as shares.
struct LossGroup {
    double most;
    const char* name;
};
constexpr LossGroup loss_groups[] = {{0, "nothing lost"}, {0.01, "to 1 %"}, {0.05, "to 5 %"}, {0.1, "to 10 %"},
                                     {0.25, "to 25 %"},   {0.5, "to 50 %"}, {1, "above"}};

std::size_t loss_group(double share) {
    return static_cast<std::size_t>(std::find_if(std::begin(loss_groups), std::end(loss_groups) - 1,
                                                 [&](const LossGroup& group) { return share <= group.most; }) -
                                    std::begin(loss_groups));
}

std::optional<std::size_t> place_of(const std::vector<std::string>& names, const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return std::nullopt;
    return static_cast<std::size_t>(found - names.begin());
}

class Reader {
public:
    explicit Reader(const StoredStudy& stored) : stored_(stored) { check_judged(stored.name, stored.measures); }

    std::string text(const PointRow& row, const std::string& measure) const {
        const auto at = place_of(stored_.measures, measure);
        return at && *at < row.values.size() ? row.values[*at].text : "";
    }
    std::optional<double> number(const PointRow& row, const std::string& measure) const {
        const auto at = place_of(stored_.measures, measure);
        return at && *at < row.values.size() ? row.values[*at].number : std::nullopt;
    }

private:
    const StoredStudy& stored_;
};

// Rows by axis or measure. The number of a group gives its place.
class Grouping {
public:
    Grouping(const StoredStudy& stored, const Reader& reader, std::string by)
        : reader_(reader), by_(std::move(by)), axis_(place_of(stored.axes, by_)) {
        std::vector<std::string> names = stored.axes;
        names.insert(names.end(), stored.measures.begin(), stored.measures.end());
        check_group(stored.name, names, by_);
    }

    Tally& of(const PointRow& row, std::vector<Group>& groups) {
        std::string name = name_of(row);
        const auto [found, is_new] = places_.try_emplace(std::move(name), groups.size());
        if (is_new) groups.push_back({found->first, {}});
        return groups[found->second].tally;
    }

    // Shares of lost records rise.
    void sort(std::vector<Group>& groups) const {
        if (by_ != by_loss) return;
        const auto place = [](const Group& group) {
            std::size_t at = 0;
            while (at < std::size(loss_groups) && group.name != loss_groups[at].name) ++at;
            return at;
        };
        std::stable_sort(groups.begin(), groups.end(), [&](const Group& a, const Group& b) { return place(a) < place(b); });
    }

private:
    std::string name_of(const PointRow& row) const {
        if (axis_) return *axis_ < row.axis_values.size() ? row.axis_values[*axis_] : "-";
        if (!row.failure.empty()) return "no verdict";
        const auto number = reader_.number(row, by_);
        if (by_ == by_loss && number) return loss_groups[loss_group(*number)].name;
        const std::string text = reader_.text(row, by_);
        return !text.empty() ? text : number ? fmt::format("{:g}", *number) : "-";
    }

    const Reader& reader_;
    std::string by_;
    std::optional<std::size_t> axis_;
    std::map<std::string, std::size_t> places_;
};

bool is_certain_and_wrong(const PointRow& row, const std::string& kind, const std::string& outcome) {
    if (!row.failure.empty()) return row.failure.find(certain_and_wrong) != std::string::npos;
    return outcome == "wrong" && (kind == "certain" || kind == "none");
}

void count(Tally& tally, const PointRow& row, const Reader& reader) {
    ++tally.points;
    const std::string kind = reader.text(row, "kind"), outcome = reader.text(row, "outcome");
    if (is_certain_and_wrong(row, kind, outcome)) {
        ++tally.certain_wrong;
    } else if (!row.failure.empty() || outcome.empty()) {
        ++tally.failed;
    } else if (kind == "certain") {
        ++tally.certain_right;
    } else if (kind == "none") {
        ++tally.none_right;
    } else if (kind == "unknown") {
        ++(outcome == "healthy" ? tally.unknown_healthy : tally.unknown_fault);
    } else if (outcome == "right") {
        ++tally.likely_right;
    } else {
        ++(outcome == "wrong" ? tally.likely_wrong : tally.close);
    }
    if (!row.failure.empty() || outcome.empty()) return;
    ++tally.with_verdict;
    tally.lost_share += reader.number(row, by_loss).value_or(0);
    if (reader.text(row, "could_be") == "certain") {
        ++tally.allowed;
        if (kind == "certain" && outcome == "right") ++tally.recalled;
    }
    const auto after = reader.number(row, "after_us");
    if (kind == "certain" && outcome == "right" && after) tally.after_us.push_back(*after);
}

void close_tally(Tally& tally) {
    if (tally.with_verdict > 0) tally.lost_share /= static_cast<double>(tally.with_verdict);
    std::sort(tally.after_us.begin(), tally.after_us.end());
}

void note(Score& score, const PointRow& row, const Reader& reader) {
    const std::string kind = reader.text(row, "kind");
    if (is_certain_and_wrong(row, kind, reader.text(row, "outcome"))) {
        const std::string why = row.failure.empty() ? reader.text(row, "sentence") : row.failure;
        score.wrong.push_back({row.number, why, row.repeat});
    } else if (!row.failure.empty() || reader.text(row, "outcome").empty()) {
        score.failed.push_back({row.number, row.failure.empty() ? "its judge gave no outcome" : row.failure, row.repeat});
    } else if (reader.text(row, "could_be") == "certain" && kind != "certain" && reader.number(row, by_loss) == 0.0) {
        score.short_of.push_back({row.number, reader.text(row, "sentence"), row.repeat});
    }
}

}  // namespace

void check_judged(const std::string& study, const std::vector<std::string>& measures) {
    for (const char* name : {"kind", "outcome"})
        if (!place_of(measures, name))
            throw vocabulary::RequestError(fmt::format(
                "the study {} measures no '{}', so nothing judged its verdicts; a campaign has 'kind: judge.kind' and "
                "'outcome: judge.outcome' among its measures (campaigns/README.md)",
                study, name));
}

void check_group(const std::string& study, const std::vector<std::string>& names, const std::string& by) {
    if (place_of(names, by)) return;
    throw vocabulary::RequestError(
        fmt::format("the study {} has no axis or measure '{}'; there are {}", study, by, fmt::join(names, ", ")));
}

Score score_of(const StoredStudy& stored, const std::string& by) {
    const Reader reader(stored);
    Grouping grouping(stored, reader, by);
    Score score;
    score.study = stored.name;
    score.grouped_by = by;
    score.points = stored.points;
    for (const PointRow& row : stored.rows) {
        count(score.all, row, reader);
        count(grouping.of(row, score.groups), row, reader);
        note(score, row, reader);
    }
    grouping.sort(score.groups);
    close_tally(score.all);
    for (Group& group : score.groups) close_tally(group.tally);
    return score;
}

}  // namespace scoring
