// Words of a command: options, nodes, processes.
#include <gmock/gmock.h>

#include <trollius_commands/command_words.hpp>
#include <vocabulary/source_position.hpp>

using trollius_commands::CommandWords;
using trollius_commands::nodes_in;
using vocabulary::NodeId;
using vocabulary::RequestError;

namespace {

const trollius_commands::Site words_site{
    .nodes = 16, .host = NodeId(16), .usual = {NodeId(1), NodeId(2)}, .most_packet = 4096, .programs = {}};

std::vector<int> numbers(const std::vector<NodeId>& nodes) {
    std::vector<int> list;
    for (const NodeId node : nodes) list.push_back(node.value());
    return list;
}

CommandWords command_words(const std::vector<std::string>& words) {
    return CommandWords(words, words_site, "gv", "ce", "state [NODES]");
}

}  // namespace

TEST(NodeLists, AreNumbersRangesHexadecimalTheHostAndAll) {
    EXPECT_THAT(numbers(*nodes_in("n3", words_site)), testing::ElementsAre(3));
    EXPECT_THAT(numbers(*nodes_in("n0-2,11", words_site)), testing::ElementsAre(0, 1, 2, 11));
    EXPECT_THAT(numbers(*nodes_in("n0xa-0xb", words_site)), testing::ElementsAre(10, 11));
    EXPECT_THAT(numbers(*nodes_in("h", words_site)), testing::ElementsAre(16));
    EXPECT_EQ(nodes_in("N", words_site)->size(), 16u);
    for (const char* word : {"3", "n", "n1,", "n-", "n1-", "nx", "p5", "", "n1-2-3", "n 1", "n99999999999"})
        EXPECT_FALSE(nodes_in(word, words_site)) << word;
}

TEST(NodeLists, RefuseANodeThatIsNotThereHoweverLarge) {
    for (const char* word : {"n16", "n0-16", "n4294967295", "n0-4294967295"})
        EXPECT_THROW(nodes_in(word, words_site), RequestError) << word;
    EXPECT_THROW(nodes_in("n5-3", words_site), RequestError);
}

TEST(CommandLines, HaveOptionsBeforeAndBetweenOperands) {
    CommandWords words = command_words({"state", "-gc3", "n1", "-v", "n2-3", "p5,7", "%2", "--", "-x", "y"});
    EXPECT_TRUE(words.has('g') && words.has('v') && words.has('c'));
    EXPECT_FALSE(words.has('e'));
    EXPECT_EQ(words.number('c', 9, 1, 10), 3u);
    EXPECT_EQ(words.number('e', 9, 1, 10), 9u);
    EXPECT_THAT(numbers(words.take_nodes(false)), testing::ElementsAre(1, 2, 3));
    const auto processes = words.take_processes();
    EXPECT_TRUE(processes.has(7, 99) && processes.has(99, 2));
    EXPECT_FALSE(processes.has(6, 3));
    EXPECT_THAT(words.arguments(), testing::ElementsAre("-x", "y"));
    EXPECT_THROW(words.end(), RequestError);  // nothing takes arguments
}

TEST(CommandLines, TakeTheUsualNodesWhenNoneIsNamed) {
    EXPECT_THAT(numbers(command_words({"state"}).take_nodes(true)), testing::ElementsAre(1, 2));
    EXPECT_THROW(command_words({"state"}).take_nodes(false), RequestError);
}

TEST(CommandLines, SayWhatIsWrongAndHowItIsWritten) {
    const auto message = [](const auto& act) -> std::string {
        try {
            act();
        } catch (const RequestError& error) {
            return error.what();
        }
        return "nothing";
    };
    EXPECT_EQ(message([] { command_words({"state", "-x"}); }), "there is no option '-x'; write 'state [NODES]'");
    EXPECT_EQ(message([] { command_words({"state", "-c"}); }), "'-c' needs a value; write 'state [NODES]'");
    EXPECT_EQ(message([] {
                  command_words({"state", "-c", "0"}).number('c', 1, 1, 5);
              }),
              "'-c 0': expected a whole number from 1 to 5; write 'state [NODES]'");
    EXPECT_EQ(message([] {
                  command_words({"state", "x"}).end();
              }),
              "'x' is neither a node nor a process; write 'state [NODES]'");
}
