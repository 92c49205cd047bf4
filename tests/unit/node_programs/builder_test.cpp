// The work of `magicwire cc`: compiles what has changed, and links it.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include <node_programs/builder.hpp>
#include <vocabulary/source_position.hpp>

#include "program_bench.hpp"

namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Cc : public testing::Test {
protected:
    Cc() : folder_(fs::path(testing::TempDir()) / ("magicwire_cc_test." + std::to_string(getpid()))) {
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    ~Cc() override { fs::remove_all(folder_); }

    std::string file(const std::string& name) const { return (folder_ / name).string(); }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name) << text;
        return file(name);
    }
    std::vector<std::string> build(const std::vector<std::string>& files, const std::vector<std::string>& options = {}) {
        return node_programs::build(
            {.files = files, .output = file("prog"), .options = options, .say = [this](const std::string& text) {
                 said_ += text;
             }});
    }
    std::string error(const std::vector<std::string>& files) {
        try {
            build(files);
        } catch (const vocabulary::InputError& found) {
            return found.what();
        }
        return "none";
    }
    fs::path folder_;
    std::string said_;
};

}  // namespace

TEST_F(Cc, CompilesWhatHasChanged) {
    const std::string a =
        write("a.c", "#include <node_programs/trollius.h>\nint add(int);\nint main(void) { return add(N); }\n");
    const std::string b = write("b.cpp", "extern \"C\" int add(int n) { return n + 1; }\n");
    EXPECT_THAT(build({a, b}, {"-DN=3"}), ElementsAre(a, b));
    EXPECT_TRUE(fs::exists(file("prog")) && fs::exists(file("prog.blocks")));
    EXPECT_THAT(build({a, b}, {"-DN=3"}), IsEmpty());
    EXPECT_THAT(build({a, b}, {"-DN=4"}), ElementsAre(a, b));
    write("b.cpp", "extern \"C\" int add(int n) { return n + 2; }\n");
    EXPECT_THAT(build({a, b}, {"-DN=4"}), ElementsAre(b));
}

TEST_F(Cc, PassesOnWhatTheCompilerSays) {
    const std::string a = write("a.c", "int main(void) { return wrong; }\n");
    EXPECT_EQ(error({a}), a + ": cannot be compiled; correct what the compiler says above");
    EXPECT_THAT(said_, HasSubstr("a.c:1:25: error: "));
}

TEST_F(Cc, RefusesAProgramWithoutMain) {
    EXPECT_THAT(error({write("a.c", "int helper(void) { return 1; }\n")}), HasSubstr("the sources have no function main()"));
    EXPECT_FALSE(fs::exists(file("prog")));
}

TEST_F(Cc, RefusesAFileThatIsNotThere) {
    EXPECT_THAT(error({file("none.c")}), HasSubstr("none.c: there is no source file of this name"));
}

TEST_F(Cc, MakesAProgramThatIsLoadedAgainWhenItHasChanged) {
    test_support::ProgramBench bench(topologies::chain(2));
    for (const char* status : {"5", "5", "6"}) {
        build({write("a.c", "int main(void) { return STATUS; }\n")}, {std::string("-DSTATUS=") + status});
        fs::rename(file("prog"), file("prog.so"));
        bench.load("prog", folder_);
        EXPECT_TRUE(bench.run({{1, "prog"}}));
    }
    EXPECT_THAT(bench.ends, ElementsAre(std::pair(1, 5), std::pair(1, 5), std::pair(1, 6)));
}
