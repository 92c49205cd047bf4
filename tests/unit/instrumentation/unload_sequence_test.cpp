#include <instrumentation/unload_sequence.hpp>

#include <gmock/gmock.h>

#include <vocabulary/source_position.hpp>

namespace {

using instrumentation::UnloadSequence;

UnloadSequence parse(const std::string& text) {
    return UnloadSequence::parse(text, "u.txt");
}

// Whole text of the InputError that the text gives.
std::string error(const std::string& text) {
    try {
        parse(text);
    } catch (const vocabulary::InputError& found) {
        return found.what();
    }
    return "no InputError was thrown";
}

std::uint32_t upper_at(const UnloadSequence& sequence, std::uint64_t clock_us) {
    return sequence.at(clock_us).upper;
}

}  // namespace

TEST(UnloadSequence, ReadsThreeNumbersALine) {
    const UnloadSequence sequence = parse("1000 16 64\n2000 0 0\n");
    ASSERT_EQ(sequence.commands().size(), 2U);
    EXPECT_EQ(sequence.commands()[0].until_us, 1000U);
    EXPECT_EQ(sequence.commands()[0].lower, 16U);
    EXPECT_EQ(sequence.commands()[0].upper, 64U);
    EXPECT_EQ(sequence.commands()[1].where.text(), "u.txt:2:1");
}

TEST(UnloadSequence, SkipsCommentsAndBlankLines) {
    const UnloadSequence sequence = parse("# first\n\n   \t\n  500 1 2  # two\n\n900 3 4");
    ASSERT_EQ(sequence.commands().size(), 2U);
    EXPECT_EQ(sequence.commands()[0].where.text(), "u.txt:4:3");
    EXPECT_EQ(sequence.commands()[1].upper, 4U);
}

TEST(UnloadSequence, ReadsLinesThatEndAsOnOtherSystems) {
    EXPECT_EQ(parse("500 1 2\r\n900 3 4\r\n").commands().size(), 2U);
}

TEST(UnloadSequence, KeepsALineInForceUntilTheClockReachesItsTime) {
    const UnloadSequence sequence = parse("1000 1 10\n2000 2 20\n3000 3 30\n");
    EXPECT_EQ(upper_at(sequence, 0), 10U);
    EXPECT_EQ(upper_at(sequence, 999), 10U);
    EXPECT_EQ(upper_at(sequence, 1000), 20U);
    EXPECT_EQ(upper_at(sequence, 2999), 30U);
}

TEST(UnloadSequence, KeepsTheLastLineInForceForEver) {
    const UnloadSequence sequence = parse("1000 1 10\n2000 2 20\n");
    EXPECT_EQ(upper_at(sequence, 2000), 20U);
    EXPECT_EQ(upper_at(sequence, UINT64_MAX), 20U);
    EXPECT_EQ(upper_at(parse("0 5 6"), 7), 6U);
}

TEST(UnloadSequence, TakesTheLargestNumbersThereAre) {
    const UnloadSequence sequence = parse("18446744073709551615 4294967295 4294967295");
    EXPECT_EQ(sequence.commands()[0].until_us, UINT64_MAX);
    EXPECT_EQ(sequence.commands()[0].lower, UINT32_MAX);
}

TEST(UnloadSequence, RefusesABoundThatFitsNoCounter) {
    EXPECT_EQ(error("1 0 4294967296"),
              "u.txt:1:1: expected an upper bound, a whole number from 0 to 4294967295, and got '4294967296'");
    EXPECT_EQ(error("1 4294967296 4294967297"),
              "u.txt:1:1: expected a lower bound, a whole number from 0 to 4294967295, and got '4294967296'");
    EXPECT_EQ(error("18446744073709551616 0 0"),
              "u.txt:1:1: expected a time in microseconds, a whole number from 0 to 18446744073709551615, and got "
              "'18446744073709551616'");
}

TEST(UnloadSequence, RefusesTimesThatDoNotRise) {
    EXPECT_EQ(
        error("2000 0 0\n1000 0 0\n"),
        "u.txt:2:1: time 1000 us does not come after 2000 us of the line before; put the lines in the order of their times");
    EXPECT_EQ(error("5 0 0\n\n  5 0 0\n"),
              "u.txt:3:3: time 5 us does not come after 5 us of the line before; put the lines in the order of their times");
}

TEST(UnloadSequence, RefusesALowerBoundAboveTheUpper) {
    EXPECT_EQ(error("1000 64 16\n"),
              "u.txt:1:1: lower bound 64 exceeds upper bound 16; the order is <Time> <LowerBound> <UpperBound>");
}

TEST(UnloadSequence, RefusesAnotherNumberOfFields) {
    EXPECT_EQ(error("1000 16\n"),
              "u.txt:1:1: a command has three numbers, <Time> <LowerBound> <UpperBound>, and this line has 2");
    EXPECT_EQ(error("1 2 3\n\n 4 5 6 7\n"),
              "u.txt:3:2: a command has three numbers, <Time> <LowerBound> <UpperBound>, and this line has 4");
}

TEST(UnloadSequence, RefusesWhatIsNoWholeNumber) {
    EXPECT_EQ(error("-5 0 0\n"),
              "u.txt:1:1: expected a time in microseconds, a whole number from 0 to 18446744073709551615, and got '-5'");
    EXPECT_EQ(error("5 x 0\n"), "u.txt:1:1: expected a lower bound, a whole number from 0 to 4294967295, and got 'x'");
    EXPECT_EQ(error("5 0 1.5\n"), "u.txt:1:1: expected an upper bound, a whole number from 0 to 4294967295, and got '1.5'");
}

TEST(UnloadSequence, RefusesATextWithoutCommands) {
    const std::string message =
        "u.txt: the unload sequence has no command; give at least one line <Time> <LowerBound> <UpperBound>";
    EXPECT_EQ(error(""), message);
    EXPECT_EQ(error("# nothing\n"), message);
}

TEST(UnloadSequence, SaysWhichFileCannotBeRead) {
    try {
        UnloadSequence::read("no/such.txt");
        FAIL() << "no InputError was thrown";
    } catch (const vocabulary::InputError& found) {
        EXPECT_STREQ(found.what(), "no/such.txt: the unload sequence cannot be read; check the path");
    }
}
