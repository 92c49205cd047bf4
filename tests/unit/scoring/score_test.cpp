// The score of a stored campaign, from rows made by hand.
#include <gmock/gmock.h>

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include <scoring/score.hpp>
#include <vocabulary/errors.hpp>

namespace {

using scoring::Score;
using testing::ElementsAre;
using testing::HasSubstr;

sweeps::StoredStudy campaign_of_kinds() {
    sweeps::StoredStudy stored;
    stored.name = "c";
    stored.axes = {"tree"};
    stored.measures = {"kind", "outcome", "could_be", "lost_share", "after_us", "sentence"};
    stored.points = 12;
    return stored;
}

struct Judged {
    std::string kind, outcome, could_be = "not struck";
    double lost = 0;
    std::optional<double> after{};
};

void add(sweeps::StoredStudy& stored, const Judged& judged, const std::string& tree = "chain") {
    sweeps::PointRow row;
    row.number = stored.rows.size() + 1;
    row.repeat = "magicwire run " + std::to_string(row.number);
    row.axis_values = {tree};
    for (const std::string& text : {judged.kind, judged.outcome, judged.could_be}) row.values.push_back({{}, text, true});
    row.values.push_back({judged.lost, "", false});
    row.values.push_back({judged.after, "", false});
    row.values.push_back({{}, "sentence " + std::to_string(row.number), true});
    stored.rows.push_back(std::move(row));
}

void add_failure(sweeps::StoredStudy& stored, const std::string& failure) {
    sweeps::PointRow row;
    row.number = stored.rows.size() + 1;
    row.repeat = "magicwire run " + std::to_string(row.number);
    row.axis_values = {"chain"};
    row.failure = failure;
    stored.rows.push_back(std::move(row));
}

sweeps::StoredStudy every_kind() {
    sweeps::StoredStudy stored = campaign_of_kinds();
    add(stored, {"certain", "right", "certain", 0, 3000.0});
    add(stored, {"certain", "right", "certain", 0.02, 1000.0}, "binary");
    add(stored, {"likely", "right", "certain", 0.3});
    add(stored, {"likely", "among the others"});
    add(stored, {"likely", "half right"});
    add(stored, {"likely", "wrong"});
    add(stored, {"unknown", "fault", "certain"});
    add(stored, {"unknown", "healthy", "none", 0.7});
    add(stored, {"none", "right"});
    add_failure(stored, "judge: exit code 1: certain and wrong: task 3 came back");
    add_failure(stored, "took more than 60 s of processor time");
    return stored;
}

}  // namespace

TEST(ScoreOf, CountsEachKindOnce) {
    const Score score = scoring::score_of(every_kind(), scoring::by_loss);
    const scoring::Tally& all = score.all;
    EXPECT_EQ(all.points, 11U);
    EXPECT_EQ(all.certain_right, 2U);
    EXPECT_EQ(all.likely_right, 1U);
    EXPECT_EQ(all.none_right, 1U);
    EXPECT_EQ(all.close, 2U);
    EXPECT_EQ(all.unknown_fault, 1U);
    EXPECT_EQ(all.unknown_healthy, 1U);
    EXPECT_EQ(all.likely_wrong, 1U);
    EXPECT_EQ(all.certain_wrong, 1U);
    EXPECT_EQ(all.failed, 1U);
    EXPECT_EQ(all.right() + all.close + all.unknown() + all.likely_wrong + all.certain_wrong + all.failed, all.points);
}

TEST(ScoreOf, RecallsWhatMessagesAllow) {
    const Score score = scoring::score_of(every_kind(), scoring::by_loss);
    EXPECT_EQ(score.all.allowed, 4U);
    EXPECT_EQ(score.all.recalled, 2U);
    ASSERT_EQ(score.short_of.size(), 1U);  // the other one has lost records
    EXPECT_EQ(score.short_of.front().number, 7U);
    EXPECT_EQ(score.short_of.front().why, "sentence 7");
}

TEST(ScoreOf, GroupsByLossesInOrder) {
    const Score score = scoring::score_of(every_kind(), scoring::by_loss);
    std::vector<std::string> names;
    for (const scoring::Group& group : score.groups) names.push_back(group.name);
    EXPECT_THAT(names, ElementsAre("nothing lost", "to 5 %", "to 50 %", "above", "no verdict"));
    EXPECT_EQ(score.groups[0].tally.points, 6U);
}

TEST(ScoreOf, GroupsByAnAxisOrAMeasure) {
    const Score by_axis = scoring::score_of(every_kind(), "tree");
    ASSERT_EQ(by_axis.groups.size(), 2U);
    EXPECT_EQ(by_axis.groups[0].name, "chain");
    EXPECT_EQ(by_axis.groups[0].tally.points, 10U);
    EXPECT_EQ(by_axis.groups[1].tally.certain_right, 1U);
    EXPECT_EQ(scoring::score_of(every_kind(), "outcome").groups.front().tally.points, 4U);
}

TEST(ScoreOf, CountsADeniedFaultAsCertainAndWrong) {
    sweeps::StoredStudy stored = campaign_of_kinds();
    add(stored, {"none", "wrong"});
    add(stored, {"certain", "wrong"});
    const Score score = scoring::score_of(stored, "tree");
    EXPECT_EQ(score.all.certain_wrong, 2U);
    ASSERT_EQ(score.wrong.size(), 2U);
    EXPECT_EQ(score.wrong[1].why, "sentence 2");
}

TEST(ScoreOf, CountsAJudgeWithoutAnOutcomeAsNotJudged) {
    sweeps::StoredStudy stored = campaign_of_kinds();
    add(stored, {"failed", ""});
    EXPECT_EQ(scoring::score_of(stored, "tree").all.failed, 1U);
}

TEST(ScoreOf, RefusesAStudyWithoutAJudge) {
    sweeps::StoredStudy stored = campaign_of_kinds();
    stored.measures = {"rate"};
    try {
        scoring::score_of(stored, "tree");
        FAIL();
    } catch (const vocabulary::RequestError& error) {
        EXPECT_THAT(error.what(), HasSubstr("the study c measures no 'kind', so nothing judged its verdicts"));
    }
    EXPECT_THROW(scoring::score_of(every_kind(), "colour"), vocabulary::RequestError);
}

TEST(ScoreText, SaysTheMatrixAndTheLineThatRepeatsAPoint) {
    const std::string text = scoring::score_text(scoring::score_of(every_kind(), scoring::by_loss));
    EXPECT_THAT(text, HasSubstr("score of c: 11 points of 12\n"));
    EXPECT_THAT(text, HasSubstr("  right                     4    36.4 %   certain 2, likely 1, no fault 1\n"));
    EXPECT_THAT(text, HasSubstr("  certain and wrong         1     9.1 %\n"));
    EXPECT_THAT(text, HasSubstr("  recall             2 of 4 verdicts that messages alone can make certain (50.0 %)\n"));
    EXPECT_THAT(text,
                HasSubstr("  time to verdict    1.000 ms in the middle, 3.000 ms at most, from the first strike to the end\n"));
    EXPECT_THAT(text,
                HasSubstr("certain and wrong: 1\n  point 10: judge: exit code 1: certain and wrong: task 3 came back\n    "
                          "magicwire run 10\n"));
}

TEST(ScoreJson, HasTheSameNumbers) {
    const auto json = nlohmann::json::parse(scoring::score_json(scoring::score_of(every_kind(), scoring::by_loss)));
    EXPECT_EQ(json["schema"], "magicwire.score/1");
    EXPECT_EQ(json["all"]["certain_wrong"], 1);
    EXPECT_EQ(json["all"]["median_after_us"], 1000.0);
    EXPECT_EQ(json["groups"].size(), 5U);
    EXPECT_EQ(json["groups"][1]["lost_share"], 0.02);
    EXPECT_EQ(json["short_of_visible"][0]["point"], 7);
}

TEST(ScoreCurves, HaveAPointForEachGroup) {
    const auto picture = scoring::score_curves(scoring::score_of(every_kind(), scoring::by_loss));
    ASSERT_EQ(picture.curves.size(), 5U);
    EXPECT_EQ(picture.x.names.size(), 5U);
    EXPECT_EQ(picture.curves[0].points[1].y, 100);  // to 5 %: one point, and it is certain
    sweeps::StoredStudy one = campaign_of_kinds();
    add(one, {"none", "right"});
    EXPECT_THROW(scoring::score_curves(scoring::score_of(one, "tree")), vocabulary::RequestError);
}
