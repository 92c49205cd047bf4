#include <tmon_pictures/curve_picture.hpp>

#include <cstdlib>
#include <filesystem>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <text/output_file.hpp>
#include <vocabulary/source_position.hpp>

namespace {

using testing::HasSubstr;
using text::Replace;
using tmon_pictures::CurvePicture;

CurvePicture two_curves() {
    CurvePicture picture;
    picture.title = "Slow-down of 'dc8'";
    picture.x = {"grain (ms)", tmon_pictures::Scale::Log};
    picture.y = {"slow-down (%)"};
    picture.curves = {{"task", {{0.1, 21.5}, {1, 4.25}, {10, 0.5}}}, {"task_and message", {{0.1, 40}, {1, 9}}}};
    return picture;
}

class CurvePictureFile : public testing::Test {
protected:
    CurvePictureFile() : folder((std::filesystem::temp_directory_path() / "curve_picture.XXXXXX").string()) {
        if (::mkdtemp(folder.data()) == nullptr) std::abort();
    }
    ~CurvePictureFile() override { std::filesystem::remove_all(folder); }
    std::string file(const std::string& name) const { return folder + "/" + name; }
    std::string error_of(const std::string& name, Replace replace = Replace::No) const {
        try {
            tmon_pictures::draw_curves({two_curves()}, file(name), replace);
        } catch (const vocabulary::InputError& error) {
            return error.what();
        }
        return "no error";
    }
    std::string folder;
};

bool no_gnuplot() {
    return std::system("gnuplot --version > /dev/null 2>&1") != 0;
}

TEST(CurvePicture, CurvesDifferByColourMarkerAndDashes) {
    const std::string text = tmon_pictures::gnuplot_text({two_curves()}, "a.svg");
    EXPECT_THAT(text, HasSubstr("linecolor rgb '#0072B2' linewidth 2 dashtype 1 pointtype 7 pointsize 0.9 title 'task'"));
    EXPECT_THAT(text, HasSubstr("linecolor rgb '#D55E00' linewidth 2 dashtype 2 pointtype 5"));
}

TEST(CurvePicture, AxesHaveLabelsAndScales) {
    const std::string text = tmon_pictures::gnuplot_text({two_curves()}, "a.svg");
    EXPECT_THAT(text, HasSubstr("set xlabel 'grain (ms)'\nset logscale x\n"));
    EXPECT_THAT(text, HasSubstr("set ylabel 'slow-down (%)'\nunset logscale y\n"));
}

TEST(CurvePicture, AQuoteInATitleStaysText) {
    EXPECT_THAT(tmon_pictures::gnuplot_text({two_curves()}, "a.svg"), HasSubstr("set title 'Slow-down of ''dc8'''\n"));
}

TEST(CurvePicture, ValuesThatAreNoNumbersStandAtTheirPlaceInTheList) {
    CurvePicture picture = two_curves();
    picture.x = {"policy", tmon_pictures::Scale::Linear, {"stop", "degrade"}};
    picture.curves = {{"", {{0, 1}, {1, 2}}}};
    EXPECT_THAT(tmon_pictures::gnuplot_text({picture}, "a.svg"),
                HasSubstr("set xtics ('stop' 0, 'degrade' 1)\nset xrange [-0.5:1.5]\n"));
}

TEST_F(CurvePictureFile, ANameMayHaveAPercentSign) {
    CurvePicture picture = two_curves();
    picture.x = {"lost", tmon_pictures::Scale::Linear, {"to 1 %", "100 %d %"}};
    picture.curves = {{"", {{0, 1}, {1, 2}}}};
    EXPECT_THAT(tmon_pictures::gnuplot_text({picture}, "a.svg"), HasSubstr("set xtics ('to 1 %%' 0, '100 %%d %%' 1)\n"));
    if (no_gnuplot()) GTEST_SKIP() << "no gnuplot here";
    tmon_pictures::draw_curves({picture}, file("percent.svg"), Replace::No);
    EXPECT_THAT(text::read_text_file(file("percent.svg"), "a picture"), HasSubstr("100 %d %"));
}

TEST(CurvePicture, FittingScaleIsLogarithmicForPositiveValuesThatDifferTwentyfold) {
    EXPECT_EQ(tmon_pictures::fitting_scale({0.1, 1, 2}), tmon_pictures::Scale::Log);
    EXPECT_EQ(tmon_pictures::fitting_scale({1, 19}), tmon_pictures::Scale::Linear);
    EXPECT_EQ(tmon_pictures::fitting_scale({0, 1, 100}), tmon_pictures::Scale::Linear);
    EXPECT_EQ(tmon_pictures::fitting_scale({}), tmon_pictures::Scale::Linear);
}

TEST_F(CurvePictureFile, TheSameCurvesGiveTheSameBytesWithEveryNameOfTheKey) {
    if (no_gnuplot()) GTEST_SKIP() << "no gnuplot here";
    tmon_pictures::draw_curves({two_curves(), two_curves()}, file("a.svg"), Replace::No);
    tmon_pictures::draw_curves({two_curves(), two_curves()}, file("b.svg"), Replace::No);
    const std::string svg = text::read_text_file(file("a.svg"), "a picture");
    EXPECT_EQ(svg, text::read_text_file(file("b.svg"), "a picture"));
    EXPECT_THAT(svg, testing::AllOf(HasSubstr("<svg"), HasSubstr("task_and message"), HasSubstr("</svg>")));
}

TEST_F(CurvePictureFile, PngIsAPictureToo) {
    if (no_gnuplot()) GTEST_SKIP() << "no gnuplot here";
    tmon_pictures::draw_curves({two_curves()}, file("a.png"), Replace::No);
    EXPECT_EQ(text::read_text_file(file("a.png"), "a picture").substr(1, 3), "PNG");
}

TEST_F(CurvePictureFile, ACurveWithoutAPointIsDrawnAsNothing) {
    if (no_gnuplot()) GTEST_SKIP() << "no gnuplot here";
    CurvePicture picture;
    picture.curves = {{"all failed", {}}};
    tmon_pictures::draw_curves({picture}, file("a.svg"), Replace::No);
    EXPECT_THAT(text::read_text_file(file("a.svg"), "a picture"), HasSubstr("all failed"));
}

TEST_F(CurvePictureFile, AnotherEndingIsRefused) {
    EXPECT_EQ(error_of("a.pdf"),
              file("a.pdf") + ": this kind of picture cannot be drawn; use a name that ends with .svg or .png");
}

TEST_F(CurvePictureFile, AFileThatIsThereIsNotReplaced) {
    text::write_text_file(file("a.svg"), "mine", Replace::No);
    EXPECT_EQ(error_of("a.svg"),
              file("a.svg") + ": exists already and is not replaced; name another file, or replace it with -f");
}

TEST_F(CurvePictureFile, WithoutGnuplotTheErrorSaysWhatToInstall) {
    const std::string path = std::getenv("PATH");
    ::setenv("PATH", folder.c_str(), 1);
    const std::string error = error_of("a.svg");
    ::setenv("PATH", path.c_str(), 1);
    EXPECT_EQ(error, file("a.svg") +
                         ": gnuplot-nox's program 'gnuplot' cannot be run: No such file or directory; install "
                         "gnuplot-nox (scripts/setup does), or take the figures without the picture");
}

TEST(CurvePicture, ASpreadIsABandWithTheCurvesDashesAndABarBesideNames) {
    CurvePicture picture = two_curves();
    picture.curves[1].points[0].spread = tmon_pictures::Range{30, 50};
    const std::string text = tmon_pictures::gnuplot_text({picture}, "a.svg");
    EXPECT_THAT(text, HasSubstr("0.1 40 30 50\n"));
    EXPECT_THAT(text, HasSubstr("$p0c1 using 1:3:4 with filledcurves linecolor rgb '#D55E00'"));
    EXPECT_THAT(text, HasSubstr("$p0c1 using 1:3 with lines linecolor rgb '#D55E00' linewidth 0.7 dashtype 2 notitle"));
    EXPECT_THAT(text, testing::Not(HasSubstr("$p0c0 using 1:3:4")));
    picture.x = {"policy", tmon_pictures::Scale::Linear, {"stop", "degrade"}};
    picture.curves = {{"", {{0, 1, tmon_pictures::Range{0, 2}}, {1, 2}}}};
    EXPECT_THAT(tmon_pictures::gnuplot_text({picture}, "a.svg"), HasSubstr("$p0c0 using 1:2:3:4 with yerrorbars"));
}

TEST(CurvePicture, TheWordForItsOwnFileStaysTextInATitle) {
    CurvePicture picture = two_curves();
    picture.title = "a{out}b";
    EXPECT_THAT(tmon_pictures::gnuplot_text({picture}, "a.svg"), HasSubstr("set title 'a{ out}b'\n"));
}

tmon_pictures::HeatPicture two_by_two() {
    return {"map", "", {"x", {}, {"a", "b"}}, {"y", {}, {"c", "d"}}, "rate", {}, {{1.0, 2.0}, {std::nullopt, 11.0}}};
}

TEST(HeatPicture, CellsHaveNumbersWhiteOnDarkAndBlackOnBright) {
    const std::string text = tmon_pictures::heat_text(two_by_two(), "a.svg");
    EXPECT_THAT(text, HasSubstr("$cells << END\n0 0 1\n1 0 2\n1 1 11\nEND\n"));
    EXPECT_THAT(text, HasSubstr("$dark << END\n0 0 1\n1 0 2\nEND\n$bright << END\n1 1 11\nEND\n"));
    EXPECT_THAT(text, HasSubstr("set cbrange [1:11]"));
}

TEST_F(CurvePictureFile, AMapOfOneValueIsDrawn) {
    if (no_gnuplot()) GTEST_SKIP() << "no gnuplot here";
    auto same = two_by_two();
    same.cells = {{5.0, 5.0}, {5.0, 5.0}};
    tmon_pictures::draw_heat(same, file("same.svg"), Replace::No);
    EXPECT_THAT(text::read_text_file(file("same.svg"), "a picture"), HasSubstr("</svg>"));
}

TEST(HeatPictureDeathTest, HasARowForEachNameAndValuesThatItsScaleHas) {
    auto ragged = two_by_two(), unnamed = two_by_two(), negative = two_by_two();
    ragged.cells[0].pop_back();
    unnamed.y.names.pop_back();
    negative.scale = tmon_pictures::Scale::Log;
    negative.cells[0][0] = -1;
    auto none = two_by_two();
    none.cells = {{std::nullopt, std::nullopt}, {std::nullopt, std::nullopt}};
    EXPECT_DEATH(tmon_pictures::heat_text(none, "a.svg"), "heat_picture.cells");
    EXPECT_DEATH(tmon_pictures::heat_text(ragged, "a.svg"), "heat_picture.row");
    EXPECT_DEATH(tmon_pictures::heat_text(unnamed, "a.svg"), "heat_picture.names");
    EXPECT_DEATH(tmon_pictures::heat_text(negative, "a.svg"), "heat_picture.value");
}

TEST(CurvePictureDeathTest, HasAPanelAndEachPanelACurve) {
    EXPECT_DEATH(tmon_pictures::gnuplot_text({}, "a.svg"), "curve_picture.panels");
    CurvePicture empty = two_curves();
    empty.curves.clear();
    EXPECT_DEATH(tmon_pictures::gnuplot_text({two_curves(), empty}, "a.svg"), "curve_picture.curves");
}

TEST(CurvePictureDeathTest, HasPointsThatLieOnItsAxes) {
    CurvePicture infinite = two_curves(), not_positive = two_curves();
    infinite.curves[1].points[0].y = std::numeric_limits<double>::infinity();
    not_positive.curves[0].points[0].x = 0;
    EXPECT_DEATH(tmon_pictures::gnuplot_text({infinite}, "a.svg"), "curve_picture.finite");
    EXPECT_DEATH(tmon_pictures::gnuplot_text({not_positive}, "a.svg"), "curve_picture.log");
}

}  // namespace
