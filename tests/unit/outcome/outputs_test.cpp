// The folder that a run leaves behind.
#include <oracle/session_result.hpp>
#include <outcome/outputs.hpp>

#include <gmock/gmock.h>

#include <map>

#include <tmon_detrek/detrek.hpp>
#include <tmon_streams/trace_store.hpp>
#include <vocabulary/source_position.hpp>

#include "scenario_folder.hpp"
#include "session_runs.hpp"

namespace {

namespace fs = std::filesystem;
using session_test::content;
using session_test::ScenarioFolder;
using session_test::watched;

const outcome::Manifest manifest{{"run", "s.yaml"}, "magicwire test", "magicwire run s.yaml --seed 1"};

void run_into(const std::string& folder, const scenario::Scenario& scenario, bool force = false) {
    oracle::SessionResult result;
    oracle::run_session(scenario, result);
    const auto report = tmon_detrek::report_detrek(*result.observed.trace, scenario.farm, {});
    outcome::write_outputs(folder, scenario, result, manifest, report.json, force);
}

std::map<std::string, std::string> contents(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(folder)) files[entry.path().filename().string()] = content(entry.path());
    return files;
}

std::string error(const std::function<void()>& action) {
    try {
        action();
    } catch (const vocabulary::InputError& found) {
        return found.what();
    }
    return "no InputError was thrown";
}

}  // namespace

TEST(Outputs, HaveATraceThatGivesTheVerdictOfTheRun) {
    const ScenarioFolder folder;
    const auto scenario =
        folder.read(session_test::replaced(watched, "unload: [[1000s, 8, 32]]", "unload: [[1000s, 256, 256]]"));
    oracle::SessionResult result;
    oracle::run_session(scenario, result);
    result.observed.trace->dropped_messages = 3;
    result.observed.trace->suspect_records = 2;
    const farm_spec::FarmSpec spec = scenario.farm;
    const std::string verdict = tmon_detrek::report_detrek(*result.observed.trace, spec, {}).json;
    outcome::write_outputs(folder.file("out"), scenario, result, manifest, verdict, false);
    const tmon_streams::StoredTrace stored = tmon_streams::load_trace(folder.file("out/data.mwt"));
    EXPECT_EQ(stored.status, "complete");
    EXPECT_EQ(tmon_detrek::report_detrek(stored.trace, spec, {}).json, verdict);
}

TEST(Outputs, AreTheSameToTheLastByteWhenTheRunIsDoneAgain) {
    const ScenarioFolder folder;
    const auto scenario = folder.read(watched);
    for (const char* name : {"a", "b"}) {
        ASSERT_TRUE(test_support::in_child([&] {
            run_into(folder.file(name), scenario);
            return true;
        }));
    }
    const auto a = contents(folder.path() / "a"), b = contents(folder.path() / "b");
    ASSERT_EQ(a.size(), 8U) << "data.{all,config,tvm,spf,mwt}, oracle.json, summary.json, console.txt";
    for (const auto& [name, text] : a) {
        EXPECT_FALSE(text.empty()) << name;
        ASSERT_TRUE(b.contains(name)) << name;
        EXPECT_TRUE(text == b.at(name)) << name << " differs";
    }
    EXPECT_EQ(b.size(), a.size());
}

TEST(Outputs, GetTheirNameOnlyWhenTheyAreWhole) {
    const ScenarioFolder folder;
    run_into(folder.file("out"), folder.read(watched));
    EXPECT_TRUE(fs::is_directory(folder.path() / "out"));
    EXPECT_FALSE(fs::exists(folder.path() / "out.incomplete"));
}

TEST(Outputs, MayBeNamedWithASlashAtTheEnd) {
    const ScenarioFolder folder;
    run_into(folder.file("out") + "/", folder.read(watched));
    EXPECT_TRUE(fs::is_regular_file(folder.path() / "out" / "summary.json"));
    EXPECT_FALSE(fs::exists(folder.path() / "out" / ".incomplete"));
}

TEST(Outputs, DoNotReplaceAFolderUnlessForced) {
    const ScenarioFolder folder;
    fs::create_directories(folder.path() / "out");
    folder.write("out/mine", "precious");
    const auto scenario = folder.read(watched);
    const oracle::SessionResult nothing;
    EXPECT_EQ(folder.without_folder(
                  error([&] { outcome::write_outputs(folder.file("out"), scenario, nothing, manifest, "", false); })),
              "out: already exists and is not replaced; name another folder with --out, or add --force");
    EXPECT_EQ(content(folder.path() / "out" / "mine"), "precious");
    outcome::write_outputs(folder.file("new"), scenario, nothing, manifest, "", false);
    folder.write("new/note", "of the earlier run");
    outcome::write_outputs(folder.file("new"), scenario, nothing, manifest, "", true);
    EXPECT_FALSE(fs::exists(folder.path() / "new" / "note"));
    EXPECT_TRUE(fs::is_regular_file(folder.path() / "new" / "oracle.json"));
    EXPECT_FALSE(fs::exists(folder.path() / "new.replaced"));
}

TEST(Outputs, ReplaceOnlyAFolderOfAnEarlierRun) {
    const ScenarioFolder folder;
    fs::create_directories(folder.path() / "mine");
    folder.write("mine/summary.json", "{\"schema\": \"somebody.else/1\"}");
    folder.write("file", "precious");
    const auto refusal = [&](const std::string& name) {
        return folder.without_folder(error([&] { outcome::check_output_place(folder.file(name), true); }));
    };
    EXPECT_EQ(
        refusal("mine"),
        "mine: holds no run of magicwire (no oracle.json or summary.json) and is not replaced; name another folder with --out");
    EXPECT_EQ(refusal("file"), "file: is not a folder and is not replaced; name another folder with --out");
    fs::create_directory_symlink("mine", folder.path() / "link");
    EXPECT_EQ(refusal("link"), "link: is not a folder and is not replaced; name another folder with --out");
    const auto scenario = folder.read(watched);
    const oracle::SessionResult nothing;
    EXPECT_NE(error([&] { outcome::write_outputs(folder.file("mine"), scenario, nothing, manifest, "", true); }),
              "no InputError was thrown");
    EXPECT_TRUE(fs::is_regular_file(folder.path() / "mine" / "summary.json"));
    EXPECT_EQ(content(folder.path() / "file"), "precious");
}

TEST(Outputs, NeverReplaceTheCurrentFolderOrOneAroundIt) {
    const fs::path current = fs::current_path();
    for (const std::string& name : {std::string("."), std::string(".."), std::string("./"), std::string("x/.."),
                                    std::string("/"), current.string(), current.parent_path().string() + "/"}) {
        EXPECT_EQ(error([&] { outcome::check_output_place(name, true); }),
                  name + ": is the current folder or one around it and is not replaced; name another folder with --out");
    }
}

TEST(Outputs, LeaveAnIncompleteFolderOfSomebodyElseAlone) {
    const ScenarioFolder folder;
    fs::create_directories(folder.path() / "out.incomplete");
    folder.write("out.incomplete/mine", "precious");
    const oracle::SessionResult nothing;
    outcome::write_outputs(folder.file("out"), folder.read(watched), nothing, manifest, "", false);
    EXPECT_EQ(content(folder.path() / "out.incomplete" / "mine"), "precious");
    EXPECT_TRUE(fs::is_regular_file(folder.path() / "out" / "oracle.json"));
    EXPECT_FALSE(fs::exists(folder.path() / "out.incomplete.2"));
}

TEST(Outputs, LeaveNothingWhereTheyCannotBeWritten) {
    const ScenarioFolder folder;
    folder.write("file", "");
    const auto scenario = folder.read(watched);
    const oracle::SessionResult nothing;
    EXPECT_EQ(folder.without_folder(
                  error([&] { outcome::write_outputs(folder.file("file/out"), scenario, nothing, manifest, "", false); })),
              "file/out: cannot be written: Not a directory; name another folder with --out");
    EXPECT_TRUE(fs::is_regular_file(folder.path() / "file"));
    EXPECT_FALSE(fs::exists(folder.path() / "file.incomplete"));
}

TEST(Outputs, KeepTruthOutOfTheTrace) {
    const ScenarioFolder folder;
    run_into(folder.file("out"), folder.read(watched));
    const std::string config = content(folder.path() / "out" / "data.config");
    EXPECT_THAT(config, testing::Not(testing::HasSubstr("crash")));
    EXPECT_THAT(content(folder.path() / "out" / "oracle.json"), testing::HasSubstr("magicwire.oracle/1"));
}
