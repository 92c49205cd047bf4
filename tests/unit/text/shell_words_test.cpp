// Words of a shell, there and back.
#include <random>

#include <gmock/gmock.h>

#include <text/shell_words.hpp>

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using text::shell_word;
using text::shell_words;

TEST(ShellWords, StandBetweenBlanksAndKeepWhatIsQuoted) {
    EXPECT_THAT(shell_words("  a b\t'c d'\n\"e 'f'\" g'h'\"i\" ").all, ElementsAre("a", "b", "c d", "e 'f'", "ghi"));
    EXPECT_THAT(shell_words("'' \"\"").all, ElementsAre("", ""));
    EXPECT_THAT(shell_words(" \n").all, IsEmpty());
}

TEST(ShellWords, KeepWhatStandsBehindABackslash) {
    EXPECT_THAT(shell_words(R"(a\ b \'c "d\"e\\f\g" 'h\i')").all, ElementsAre("a b", "'c", R"(d"e\f\g)", R"(h\i)"));
}

TEST(ShellWords, TellAQuoteThatIsNotClosed) {
    EXPECT_EQ(shell_words("a 'b c").open_quote, '\'');
    EXPECT_EQ(shell_words("a \"b 'c'").open_quote, '"');
    EXPECT_EQ(shell_words("a 'b' \"c\"").open_quote, '\0');
}

TEST(ShellWords, AreReadBackAsTheyWereWritten) {
    std::mt19937 dice(1);
    const std::string letters = "ab '\"\\\t\n$*{};&|=/.-";
    for (int i = 0; i < 10'000; ++i) {
        std::vector<std::string> words(dice() % 4);
        std::string line;
        for (std::string& word : words) {
            for (std::size_t left = dice() % 6; left > 0; --left) word += letters[dice() % letters.size()];
            line += shell_word(word) + ' ';
        }
        const text::ShellWords read = shell_words(line);
        ASSERT_EQ(read.all, words) << line;
        ASSERT_EQ(read.open_quote, '\0') << line;
    }
}

TEST(ShellWords, NeedNoQuotesWhenTheyArePlain) {
    EXPECT_EQ(shell_word("farm.tasks=10"), "farm.tasks=10");
    EXPECT_EQ(shell_word(""), "''");
    EXPECT_EQ(shell_word("it's"), R"('it'\''s')");
}

}  // namespace
