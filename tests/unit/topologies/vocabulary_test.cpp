#include <gtest/gtest.h>

#include <vocabulary/contract.hpp>
#include <vocabulary/errors.hpp>
#include <vocabulary/ids.hpp>
#include <vocabulary/nearest_name.hpp>
#include <vocabulary/sim_time.hpp>
#include <vocabulary/source_position.hpp>

using vocabulary::Cycles;
using vocabulary::did_you_mean;
using vocabulary::edit_distance;
using vocabulary::InputError;
using vocabulary::nearest_name;
using vocabulary::NodeId;
using vocabulary::SimTime;

TEST(NearestName, CountsInsertedDeletedChangedAndSwappedLettersAsOne) {
    EXPECT_EQ(edit_distance("sped", "speed"), 1u);
    EXPECT_EQ(edit_distance("speeed", "speed"), 1u);
    EXPECT_EQ(edit_distance("spead", "speed"), 1u);
    EXPECT_EQ(edit_distance("pseed", "speed"), 1u);
    EXPECT_EQ(edit_distance("", "speed"), 5u);
    EXPECT_EQ(edit_distance("speed", "speed"), 0u);
}

TEST(NearestName, TakesTheFirstOfEquallyNearCandidates) {
    EXPECT_EQ(nearest_name("lint", {"line", "link", "list"}), "line");
}

TEST(NearestName, IsEmptyWhenTooManyLettersDiffer) {
    EXPECT_EQ(nearest_name("colour", {"links", "host", "switches"}), std::nullopt);
    EXPECT_EQ(nearest_name("anything", {}), std::nullopt);
}

TEST(NearestName, TakesNoTimeForANameThatIsFarTooLong) {
    EXPECT_EQ(nearest_name(std::string(8'000'000, 'x'), {"links", "host"}), std::nullopt);
}

TEST(NearestName, NeverChangesEveryLetterOfAShortCandidate) {
    EXPECT_EQ(nearest_name("X", {"V", "R"}), std::nullopt);
}

TEST(NearestName, BecomesAQuestionInAMessage) {
    EXPECT_EQ(did_you_mean("sped", {"speed"}), ", did you mean 'speed'?");
    EXPECT_EQ(did_you_mean("colour", {"speed"}), "");
}

TEST(SimTime, CountsPicosecondsInEveryUnit) {
    EXPECT_EQ(SimTime::ns(50).in_ps(), 50'000);
    EXPECT_EQ(SimTime::us(3), SimTime::ns(3000));
    EXPECT_EQ(SimTime::ms(2), SimTime::us(2000));
    EXPECT_EQ(SimTime::s(1), SimTime::ms(1000));
    EXPECT_EQ(SimTime::us(7).in_us(), 7);
    EXPECT_DOUBLE_EQ(SimTime::ms(1500).in_seconds(), 1.5);
}

TEST(SimTime, AddsSubtractsAndDivides) {
    SimTime time = SimTime::us(10);
    time += SimTime::us(5);
    time -= SimTime::us(3);
    EXPECT_EQ(time, SimTime::us(12));
    EXPECT_EQ(time * 2 - SimTime::us(4), SimTime::us(20));
    EXPECT_EQ(SimTime::us(12) / SimTime::us(5), 2);
}

TEST(SimTime, NeverIsLaterThanEveryOtherTime) {
    EXPECT_LT(SimTime::s(9'000'000), SimTime::never());
}

TEST(Cycles, AddAndMultiply) {
    EXPECT_EQ(Cycles(3) + Cycles(4) * 2 - Cycles(1), Cycles(10));
}

TEST(Ids, OfDifferentKindsDoNotConvert) {
    EXPECT_FALSE((std::is_convertible_v<NodeId, vocabulary::LinkNo>));
    EXPECT_FALSE((std::is_convertible_v<int, NodeId>));
    EXPECT_LT(NodeId(3), NodeId(4));
}

TEST(SourcePosition, LeavesOutWhatIsNotKnown) {
    EXPECT_EQ((vocabulary::SourcePosition{"a.yaml", 7, 12}.text()), "a.yaml:7:12");
    EXPECT_EQ((vocabulary::SourcePosition{"a.yaml", 7, 0}.text()), "a.yaml:7");
    EXPECT_EQ((vocabulary::SourcePosition{"a.yaml", 0, 0}.text()), "a.yaml");
}

TEST(Errors, AreTheRequestsTheHostsOrADefect) {
    using vocabulary::ErrorKind;
    using vocabulary::kind_of;
    EXPECT_EQ(kind_of(InputError({"a.yaml", 1, 1}, "wrong; mend it")), ErrorKind::Request);
    EXPECT_EQ(kind_of(vocabulary::RequestError("it cannot be; ask for less")), ErrorKind::Request);
    EXPECT_EQ(kind_of(vocabulary::HostError("no process; end others")), ErrorKind::Host);
    EXPECT_EQ(kind_of(std::bad_alloc()), ErrorKind::Host);
    EXPECT_EQ(kind_of(std::system_error(std::make_error_code(std::errc::no_space_on_device))), ErrorKind::Host);
    EXPECT_EQ(kind_of(std::out_of_range("at")), ErrorKind::Defect);
    EXPECT_EQ(kind_of(std::runtime_error("of a library")), ErrorKind::Defect);
}

TEST(Errors, KeepTheirKindFromOneProcessToAnother) {
    using vocabulary::ErrorKind;
    for (const ErrorKind kind : {ErrorKind::Request, ErrorKind::Host, ErrorKind::Defect}) {
        try {
            vocabulary::throw_as(kind, "the reason");
        } catch (const std::exception& error) {
            EXPECT_EQ(vocabulary::kind_of(error), kind);
            EXPECT_STREQ(error.what(), "the reason");
        }
    }
}

TEST(FileErrors, AreTheHostsWhenItHasNoRoomAndTheNamesOtherwise) {
    EXPECT_THROW(vocabulary::throw_file_error("out", ENOSPC, "cannot be written"), vocabulary::HostError);
    EXPECT_THROW(vocabulary::throw_file_error("out", ENOTDIR, "cannot be written"), InputError);
}

TEST(InputError, SaysPlaceThenMessage) {
    const InputError error({"a.yaml", 7, 12}, "wrong; mend it");
    EXPECT_STREQ(error.what(), "a.yaml:7:12: wrong; mend it");
    EXPECT_EQ(error.message(), "wrong; mend it");
    EXPECT_EQ(error.where().line, 7);
}

TEST(ContractDeathTest, NamesItsIdAndAborts) {
    EXPECT_DEATH(EXPECTS(1 > 2, "test.impossible"), "precondition 'test.impossible' does not hold: 1 > 2");
    EXPECT_DEATH(ENSURES(false, "test.promise"), "postcondition 'test.promise'");
}
