#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <study_pictures/page.hpp>
#include <vocabulary/errors.hpp>

#include "stored_cases.hpp"

using testing::HasSubstr;
using testing::Not;

namespace {

nlohmann::json data_of(const std::string& page) {
    const std::string begin = "<script type=\"application/json\" id=\"data\">";
    const auto from = page.find(begin) + begin.size();
    return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
}

}  // namespace

TEST(StudyPage, HasEveryRowInColumns) {
    const auto stored = stored_cases::study();
    const auto data = data_of(study_pictures::study_page(stored, stored.rows, "seed=1"));
    EXPECT_EQ(data["points"].size(), 12U);
    EXPECT_EQ(data["axes"][0]["values"], (nlohmann::json{"tree:2:3", "ring:3"}));
    EXPECT_EQ(data["axes"][0]["numbers"], nullptr);
    EXPECT_EQ(data["axes"][1]["numbers"], (nlohmann::json{1.0, 2.0, 4.0}));
    EXPECT_EQ(data["measures"][0]["values"][11], 401);
    EXPECT_EQ(data["measures"][0]["values"][5], nullptr);
    EXPECT_EQ(data["failures"]["5"], "too long");
    EXPECT_EQ(data["only"], "seed=1");
}

TEST(StudyPage, NothingInItClosesItsElement) {
    auto stored = stored_cases::study();
    stored.name = "</script><script>alert(1)</script>";
    stored.axes[0] = "<!--";
    for (auto& row : stored.rows) row.repeat = "</SCRIPT>@DATA@@SCRIPT@\xff";
    const std::string page = study_pictures::study_page(stored, stored.rows, "");
    EXPECT_THAT(page, Not(HasSubstr("</script><script>alert")));
    EXPECT_THAT(page, Not(HasSubstr("</SCRIPT>")));
    EXPECT_EQ(data_of(page)["name"], stored.name);
    EXPECT_EQ(data_of(page)["repeat"][0], "</SCRIPT>@DATA@@SCRIPT@\xef\xbf\xbd");
}

TEST(StudyPage, WithoutAPointIsRefused) {
    EXPECT_THROW(study_pictures::study_page(stored_cases::study(), {}, ""), vocabulary::RequestError);
}
