#include <comparison/comparison.hpp>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <sweeps/study.hpp>

using comparison::Network;
using comparison::Row;
using comparison::Wanted;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

namespace {

sweeps::Study read(const std::string& text) {
    std::string folder = (std::filesystem::temp_directory_path() / "comparison.XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) std::abort();
    std::ofstream(folder + "/s.yaml") << text;
    sweeps::Study study = sweeps::read_study(folder + "/s.yaml");
    std::filesystem::remove_all(folder);
    return study;
}

sweeps::StoredStudy stored(const std::vector<std::pair<std::string, double>>& numbers,
                           const std::vector<std::pair<std::string, std::string>>& texts = {}) {
    sweeps::StoredStudy study;
    study.name = "s";
    study.axes = {"machine", "seed"};
    sweeps::PointRow row;
    row.axis_values = {"ring:16", "1"};
    row.number = 1;
    for (const auto& [name, value] : numbers) {
        study.measures.push_back(name);
        row.values.push_back({value, {}, false});
    }
    for (const auto& [name, value] : texts) {
        study.measures.push_back(name);
        row.values.push_back({{}, value, true});
    }
    study.rows = {row};
    return study;
}

Row only_row(const sweeps::StoredStudy& study) {
    return comparison::rows_of(study, {{"ring:16", "ring:16", 16}}).front();
}

}  // namespace

TEST(ComparisonStudy, IsAStudyThatRunsEachNetworkWithItsOwnNodes) {
    const Wanted wanted{
        "f", "f.yaml", {{"farm.tree", "best"}}, {{"ring:16", "ring:16", 16}, {"tree:2:15", "tree:2:15", 15}}, 3};
    const sweeps::Study study = read(comparison::study_text(wanted));
    const sweeps::Points points(study);
    ASSERT_EQ(points.size(), 6U);
    EXPECT_THAT(points[0].values, ElementsAre("ring:16", "16", "1"));
    EXPECT_THAT(points[3].values, ElementsAre("tree:2:15", "15", "1"));
}

TEST(ComparisonStudy, NetworksOfOneSizeNeedNoAxisForIt) {
    const Wanted wanted{"f", "f.yaml", {}, {{"ring:16", "ring:16", 16}, {"mesh:4x4", "mesh:4x4", 16}}, 1};
    const sweeps::Study study = read(comparison::study_text(wanted));
    EXPECT_THAT(study.axes, SizeIs(1));
    EXPECT_EQ(study.settings.back(), (scenario::Setting{"farm.nodes", "16"}));
}

TEST(ComparisonStudy, NamesAndValuesStayTexts) {
    const std::string odd = "a\"b\\c: {x}\n# d";
    const sweeps::Study study = read(comparison::study_text({odd, "f.yaml", {{"name", odd}}, {{"n", odd, 0}}, 1}));
    EXPECT_EQ(study.name, odd);
    EXPECT_EQ(study.settings.front().second, odd);
    EXPECT_EQ(study.axes[0].values[0].given, odd);
}

TEST(ComparisonRow, FiguresAreMeansOfTheRunsThatSucceeded) {
    auto study = stored({{"rate", 100}});
    study.rows.push_back(study.rows[0]);
    study.rows[1].values[0].number = 110;
    study.rows.push_back(study.rows[0]);
    study.rows[2].values.clear();
    study.rows[2].failure = "too long";
    const Row row = only_row(study);
    EXPECT_EQ(row.number("rate"), 105);
    EXPECT_EQ(row.runs, 3U);
    EXPECT_EQ(row.failed, 1U);
    EXPECT_EQ(row.failure, "too long");
}

TEST(ComparisonReasons, WhatAgreesNeedsNone) {
    EXPECT_THAT(only_row(stored({{"rate", 100}, {"predicted_rate", 102.9}, {"formula_rate", 97.1}})).why, IsEmpty());
}

TEST(ComparisonReasons, APilotThatSawAPartIsNamedWithItsDoubts) {
    const auto why = only_row(stored({{"rate", 100}, {"predicted_rate", 110}, {"pilot_tasks", 64}, {"tasks", 1000}},
                                     {{"doubts", "its tasks differ"}}))
                         .why;
    EXPECT_THAT(why, ElementsAre("predicted rate +10.0 %: the prediction's pilot run had 64 of 1000 tasks: its tasks differ"));
}

TEST(ComparisonReasons, FormulasThatTakeTasksAsEqualAreToldTheirTimes) {
    const auto why = only_row(stored({{"rate", 100}, {"formula_rate", 90}, {"task_us", 20000}, {"steady_task_us", 18000}},
                                     {{"limit", "workers"}, {"limit_reason", "no single link or node"}}))
                         .why;
    EXPECT_THAT(why,
                ElementsAre("formulas -10.0 %: they take all tasks as equal, and a task of the steady state takes 18.0 ms, "
                            "the mean task 20.0 ms"));
}

TEST(ComparisonReasons, WithoutASteadyStateStartUpAndWindDownAreTold) {
    const auto why = only_row(stored({{"whole_rate", 50},
                                      {"formula_rate", 90},
                                      {"total_us", 1000},
                                      {"start_up_us", 300},
                                      {"wind_down_us", 200},
                                      {"post_process_us", 100}}))
                         .why;
    ASSERT_THAT(why, SizeIs(1));
    EXPECT_THAT(why[0],
                AllOf(HasSubstr("formulas +80.0 %"), HasSubstr("of its 1000 us, start-up takes 30.0 %, the wind-down 20.0 %, "
                                                               "and result_receiver after the last result 10.0 %")));
}

TEST(ComparisonReasons, ASaturatedLinkIsTheReason) {
    const auto why =
        only_row(stored({{"rate", 100}, {"formula_rate", 110}},
                        {{"limit", "link"}, {"limit_reason", "the link n0 to n1 carries messages 98.0 % of the time"}}))
            .why;
    EXPECT_THAT(why, ElementsAre("formulas +10.0 %: the link n0 to n1 carries messages 98.0 % of the time"));
}

TEST(ComparisonViews, LinesAreNoLongerThan128Columns) {
    auto row =
        only_row(stored({{"rate", 123456.789},
                         {"predicted_rate", 234567.8},
                         {"total_us", 1e9},
                         {"predicted_total_s", 1000},
                         {"tasks", 1e6},
                         {"pilot_tasks", 64}},
                        {{"doubts", std::string(60, 'x') + " " + std::string(70, 'y')}, {"busiest_link", "n1000 to n1001"}}));
    const std::string text = comparison::comparison_text("title", {row});
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 128U) << line;
    EXPECT_THAT(text, HasSubstr("What lies more than 3 % apart:"));
}

TEST(ComparisonViews, JsonHasFiguresAndReasons) {
    const Row row = only_row(stored({{"rate", 100}, {"predicted_rate", 110}}, {{"limit", "link"}}));
    const auto json = nlohmann::json::parse(comparison::comparison_json({"f", "f.yaml", {}, {}, 1}, "f.yaml", "f.db", {row}));
    EXPECT_EQ(json["schema"], "magicwire.compare/1");
    EXPECT_EQ(json["topologies"][0]["measures"]["rate"], 100);
    EXPECT_EQ(json["topologies"][0]["measures"]["limit"], "link");
    EXPECT_EQ(json["topologies"][0]["why"].size(), 1U);
}
