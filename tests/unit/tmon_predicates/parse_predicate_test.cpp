#include <gmock/gmock.h>

#include <tmon_predicates/predicate.hpp>
#include <vocabulary/source_position.hpp>

namespace tmon_predicates {
namespace {

using trace_record::Event;
using trace_record::EventKind;

std::string error_of(const std::string& text) {
    try {
        parse_predicate(text, 8);
    } catch (const vocabulary::InputError& error) {
        return error.what();
    }
    return "no error";
}

const Event received{.task = 49, .subtask = 0x10, .bytes = 140, .node = 3, .peer = 1, .kind = EventKind::Receive};

TEST(ParsePredicate, ReadsAnEventWithItsFields) {
    const Predicate made = parse_predicate("receive(n3, task=49, subtask=0010, result=no, peer=n1, bytes>=100)", 8);
    ASSERT_EQ(made.what, Predicate::What::Linked);
    ASSERT_EQ(made.events.size(), 1U);
    EXPECT_TRUE(made.events[0].matches(received));
    for (const auto change : {0, 1, 2, 3, 4, 5}) {
        Event other = received;
        if (change == 0) other.node = 4;
        if (change == 1) other.task = 50;
        if (change == 2) other.subtask = 0x100;
        if (change == 3) other.is_result = 1;
        if (change == 4) other.peer = 2;
        if (change == 5) other.bytes = 99;
        EXPECT_FALSE(made.events[0].matches(other)) << change;
    }
}

TEST(ParsePredicate, ReadsFieldsOfEachKind) {
    const auto matches = [](const std::string& text, const Event& event) {
        return parse_predicate(text, 8).events[0].matches(event);
    };
    const Event start{.task = 0x76616C73, .subtask = 0x65, .bytes = 0, .node = 2, .peer = 77, .kind = EventKind::ProcessStart};
    EXPECT_TRUE(matches("process-start(n2, name=slave, process=77)", start));
    EXPECT_FALSE(matches("process-start(name=master)", start));
    EXPECT_TRUE(matches("process-start(name!=master)", start));
    const Event call{
        .task = static_cast<std::uint32_t>(-5), .subtask = 9, .bytes = 12, .node = 2, .peer = 1, .kind = EventKind::SendCall};
    EXPECT_TRUE(matches("send-call(event=-5, process=9, number=12, peer=n1)", call));
    const Event user{.task = 7, .subtask = 5, .bytes = 1, .node = 2, .kind = EventKind::User};
    EXPECT_TRUE(matches("user(number=7, value=0x100000005)", user));
    EXPECT_TRUE(matches("user(number<8, value>5)", user));
    EXPECT_TRUE(matches("user(seq=0)", user));
    EXPECT_TRUE(matches("user", user));
}

TEST(ParsePredicate, ReadsEachForm) {
    const auto form = [](const std::string& text) { return parse_predicate(text, 8); };
    EXPECT_EQ(form("send(n1) -> receive(n3) -> user").events.size(), 3U);
    const Predicate both = form("possibly(receive(n3, task=49) and count(send(n1)) >= 2 and between(receive(n2), send(n2)))");
    ASSERT_EQ(both.locals.size(), 3U);
    EXPECT_EQ(both.locals[0].what, Local::What::Newest);
    EXPECT_EQ(both.locals[1].what, Local::What::Count);
    EXPECT_EQ(both.locals[1].least, 2U);
    EXPECT_EQ(both.locals[2].what, Local::What::Between);
    EXPECT_EQ(form("definitely(user(n1))").what, Predicate::What::Definitely);
    EXPECT_EQ(form("count(receive) >= 100").least, 100U);
    EXPECT_EQ(form("in_flight(n1,n2) >= 3").messages, Messages::Tasks);
    EXPECT_EQ(form("in_flight(n1, n2, messages)>=3").messages, Messages::Kernel);
    EXPECT_EQ(form("unread(n7)>=1").to, 7);
}

TEST(ParsePredicate, NamesTheColumnAndWhatMayStandThere) {
    EXPECT_EQ(
        error_of(""),
        "predicate:1:1: expected possibly, definitely, count, in_flight, unread, send, receive, send-call, message-send, "
        "receive-call, message-receive, process-start, process-end, node-usage, synchronise or user, and the text ends here");
    EXPECT_THAT(error_of("recieve(n3)"),
                testing::AllOf(testing::HasSubstr("predicate:1:1: "), testing::HasSubstr("did you mean 'receive'?")));
    EXPECT_EQ(error_of("receive(n3, taks=49)"),
              "predicate:1:13: expected a node, or a field of 'receive': task, subtask, result, peer, bytes or seq (did you "
              "mean 'task'?), found "
              "'taks'");
    EXPECT_EQ(error_of("receive(n9)"), "predicate:1:9: there is no node n9; the last one is n7");
    EXPECT_EQ(error_of("receive(n3"), "predicate:1:11: expected ',' or ')', and the text ends here");
    EXPECT_EQ(error_of("receive(task 49)"), "predicate:1:14: expected =, !=, <, <=, > or >=, found '49'");
    EXPECT_EQ(error_of("receive(task=x)"), "predicate:1:14: expected a number, found 'x'");
    EXPECT_EQ(error_of("receive(subtask=zz)"), "predicate:1:17: expected a sub-task, as 0010, found 'zz'");
    EXPECT_EQ(error_of("receive(result=1)"), "predicate:1:16: expected yes or no, found '1'");
    EXPECT_EQ(error_of("receive(result>yes)"), "predicate:1:15: expected = or !=, found '>'");
    EXPECT_EQ(error_of("possibly(receive)"), "predicate:1:10: a state of a node names the node, as receive(n3, task=49)");
    EXPECT_EQ(error_of("possibly(receive(n1) or send(n2))"), "predicate:1:22: expected 'and' or ')', found 'or'");
    EXPECT_EQ(
        error_of("possibly(between(receive(n1), send(n2)))"),
        "predicate:1:10: both events of 'between' name the same node, as between(receive(n3, task=49), send(n3, task=49))");
    EXPECT_EQ(error_of("count(receive) > 3"), "predicate:1:16: expected '>=' and a number, found '>'");
    EXPECT_EQ(error_of("count(receive) >= 0"), "predicate:1:19: expected a number from 1 on, since 0 is true of every state");
    EXPECT_EQ(error_of("in_flight(n1) >= 1"), "predicate:1:13: expected ',', found ')'");
    EXPECT_EQ(error_of("unread(n1, tasks) >= 1"), "predicate:1:12: expected 'messages', for those of programs, found 'tasks'");
    EXPECT_EQ(error_of("send -> "),
              "predicate:1:9: expected send, receive, send-call, message-send, receive-call, message-receive, "
              "process-start, process-end, node-usage, synchronise or user, and the text ends here");
    EXPECT_EQ(error_of("send send"), "predicate:1:6: expected '->' or the end, found 'send'");
    EXPECT_EQ(error_of("count(send) >= 1 x"), "predicate:1:18: expected the end, found 'x'");
    EXPECT_EQ(error_of(std::string(5000, ' ')), "predicate:1: has 5000 characters, and at most 4096 are read");
}

}  // namespace
}  // namespace tmon_predicates
