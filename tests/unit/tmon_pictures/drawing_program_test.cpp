// Programs that draw, with a shell in their place.
#include <tmon_pictures/drawing_program.hpp>

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <unistd.h>

#include <vocabulary/source_position.hpp>

namespace {

using tmon_pictures::DrawingProgram;

std::string drawn(const std::string& script, const std::string& input = "") {
    return tmon_pictures::drawn_by({"sh", "dash", "draw by hand"}, {"-c", script}, input, "--picture p.svg");
}

std::string error_of(const std::string& script, const DrawingProgram& program = {"sh", "dash", "draw by hand"}) {
    try {
        tmon_pictures::drawn_by(program, {"-c", script}, "", "--picture p.svg");
    } catch (const vocabulary::InputError& error) {
        return error.what();
    }
    return "no InputError was thrown";
}

// Temporary files go to a folder of the test's own; afterwards none is left in it.
class Drawing : public testing::Test {
protected:
    Drawing() : folder_((std::filesystem::temp_directory_path() / "drawing_program.XXXXXX").string()) {
        if (::mkdtemp(folder_.data()) == nullptr) std::abort();
        ::setenv("TMPDIR", folder_.c_str(), 1);
    }
    ~Drawing() override {
        EXPECT_TRUE(std::filesystem::is_empty(folder_));
        ::unsetenv("TMPDIR");
        std::filesystem::remove_all(folder_);
    }

private:
    std::string folder_;
};

}  // namespace

TEST_F(Drawing, GivesWhatTheProgramWrites) {
    EXPECT_EQ(drawn("cat {in} > {out}", "a picture\n"), "a picture\n");
    EXPECT_EQ(drawn("sh {in}", "printf x > '{out}'\n"), "x");
}

TEST_F(Drawing, KeepsWhatTheProgramSaysOutOfThePictureAndOffTheTerminal) {
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    EXPECT_EQ(drawn("echo no font >&2; echo drawn; printf x > {out}"), "x");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(Drawing, ThatFailsSaysWhy) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(error_of("echo first >&2; echo 'no such colour: grue' >&2; exit 3"),
              "--picture p.svg: dash's program 'sh' failed with exit code 3: no such colour: grue; draw by hand");
    EXPECT_EQ(error_of("exit 4"), "--picture p.svg: dash's program 'sh' failed with exit code 4; draw by hand");
    EXPECT_EQ(error_of("kill -9 $$"), "--picture p.svg: dash's program 'sh' was ended by Killed; draw by hand");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(Drawing, WithoutTheProgramSaysWhatToInstall) {
    EXPECT_EQ(error_of("", {"no_such_program", "nothing", "draw by hand"}),
              "--picture p.svg: nothing's program 'no_such_program' cannot be run: No such file or directory; install nothing "
              "(scripts/setup does), or draw by hand");
}

TEST_F(Drawing, WithoutAFolderForItsFilesSaysSo) {
    const std::string folder = std::getenv("TMPDIR");
    ::setenv("TMPDIR", "/no/such/folder", 1);
    EXPECT_EQ(error_of("exit 0"), "TMPDIR: names no folder for temporary files; set it to one with room");
    ::setenv("TMPDIR", folder.c_str(), 1);
}
