// The messages of the services: each struct word by word as it travels, and the damage that decoding refuses.
#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <vector>

#include <trollius_os/services.hpp>

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using trollius_os::decode;
using trollius_os::encode;
using trollius_os::EventNo;
using trollius_os::Message;
using trollius_os::ProcessLine;
using trollius_os::RouteTable;
using trollius_os::services::answer_to;
using trollius_os::services::BufferRequest;
using trollius_os::services::Caller;
using trollius_os::services::CreateAnswer;
using trollius_os::services::CreateRequest;
using trollius_os::services::damage_in;
using trollius_os::services::decode_header;
using trollius_os::services::decode_routes;
using trollius_os::services::decode_state;
using trollius_os::services::EchoRequest;
using trollius_os::services::encode_header;
using trollius_os::services::encode_routes;
using trollius_os::services::encode_state;
using trollius_os::services::FileAnswer;
using trollius_os::services::FileCall;
using trollius_os::services::FileRequest;
using trollius_os::services::FlatAnswer;
using trollius_os::services::FlatCall;
using trollius_os::services::FlatRequest;
using trollius_os::services::LoadAnswer;
using trollius_os::services::LoadRequest;
using trollius_os::services::NodeWord;
using trollius_os::services::PacketHeader;
using trollius_os::services::request_to;
using trollius_os::services::RequestHead;
using trollius_os::services::RouteAnswer;
using trollius_os::services::RouteQuestion;
using trollius_os::services::RoutesAnswer;
using trollius_os::services::RoutesRequest;
using trollius_os::services::StateAnswer;
using trollius_os::services::StateRecord;
using trollius_os::services::StateRequest;
using vocabulary::LinkNo;
using vocabulary::NodeId;
using vocabulary::ProcessId;

constexpr Caller asker{NodeId(3), EventNo(-41)};

// The struct that comes out of the words that `words` makes.
template <class Words>
auto there_and_back(const Words& words) {
    return decode<Words>({.data = encode(words)});
}

// True when `Words` is refused once one of its words is another.
template <class Words>
bool refuses(const Words& words, std::size_t which, std::int32_t word) {
    Message message{.data = encode(words)};
    message.data[which] = word;
    return !decode<Words>(message);
}

template <class Words>
void expect_only_its_own_call(const Words& words, std::initializer_list<std::int32_t> others) {
    EXPECT_TRUE(there_and_back(words));
    for (const std::int32_t call : others) EXPECT_TRUE(refuses(words, 0, call)) << call;
}

constexpr std::int32_t smallest = INT32_MIN, largest = INT32_MAX;

}  // namespace

TEST(PouchCodec, LeavesTheWordsBehindTheStructAtZero) {
    EXPECT_THAT(encode(RouteAnswer{EventNo(7)}), ElementsAre(7, 0, 0, 0, 0, 0, 0, 0));
}

TEST(PouchCodec, DoesNotLookAtTheWordsBehindTheStruct) {
    Message message{.data = encode(RouteAnswer{EventNo(7)})};
    for (std::size_t i = 1; i < message.data.size(); ++i) message.data[i] = -1;
    EXPECT_EQ(decode<RouteAnswer>(message).next, EventNo(7));
}

TEST(NodeWord, GivesTheLowHalfAsTheNodeAndSaysWhetherTheUpperHalfIsClear) {
    NodeWord node = NodeId(0xFFFF);
    EXPECT_EQ(node.word, 0xFFFF);
    EXPECT_TRUE(node.fits());
    node.word |= 0x50000;
    EXPECT_EQ(node.id(), NodeId(0xFFFF));
    EXPECT_FALSE(node.fits());
    node.word = -1;
    EXPECT_EQ(node.id(), NodeId(0xFFFF));
    EXPECT_FALSE(node.fits());
}

TEST(RequestHead, IsSharedByAllRequestsThatComeFromAfar) {
    const auto head = [](const trollius_os::Pouch& pouch) { return decode<RequestHead>({.data = pouch}).caller; };
    EXPECT_EQ(head(encode(EchoRequest{.caller = asker})), asker);
    EXPECT_EQ(head(encode(FileRequest{.caller = asker})), asker);
    EXPECT_EQ(head(encode(LoadRequest{.caller = asker})), asker);
    EXPECT_EQ(head(encode(FlatRequest{.caller = asker})), asker);
    EXPECT_EQ(head(encode(CreateRequest{.caller = asker})), asker);
    EXPECT_EQ(head(encode(StateRequest{.caller = asker})), asker);
    EXPECT_EQ(head(encode(RoutesRequest{.caller = asker})), asker);
}

TEST(RequestAndAnswer, GoToTheServiceAndToItsCaller) {
    std::array<std::byte, 5> body{};
    const Message request = request_to(NodeId(9), trollius_os::events::echod, EchoRequest{.caller = asker}, body);
    EXPECT_EQ(request.node, NodeId(9));
    EXPECT_EQ(request.event, trollius_os::events::echod);
    EXPECT_EQ(request.length, 5U);
    const Message answer = answer_to(asker, StateAnswer{2});
    EXPECT_EQ(answer.node, NodeId(3));
    EXPECT_EQ(answer.event, EventNo(-41));
    EXPECT_EQ(answer.length, 0U);
    EXPECT_THAT(answer.data, ElementsAre(2, 0, 0, 0, 0, 0, 0, 0));
}

TEST(RouterMessages, AreTheNodeAndTheAskerAndTheEvent) {
    EXPECT_THAT(encode(RouteQuestion{NodeId(12), ProcessId(41)}), ElementsAre(12, 41, 0, 0, 0, 0, 0, 0));
    const auto question = there_and_back(RouteQuestion{NodeId(12), ProcessId(41)});
    EXPECT_EQ(question->node, NodeWord(NodeId(12)));
    EXPECT_EQ(question->asker, ProcessId(41));
    EXPECT_EQ(there_and_back(RouteAnswer{trollius_os::nowhere}).next, trollius_os::nowhere);
}

TEST(RouterMessages, RefuseANodeThatIsNoId) {
    for (const std::int32_t node : {0x10000, -1, smallest, largest})
        EXPECT_TRUE(refuses(RouteQuestion{NodeId(12), ProcessId(41)}, 0, node));
}

TEST(BufferMessages, AreTheCallTheMessageWantedAndTheAsker) {
    const BufferRequest request{.event = EventNo(77), .type = 6, .asker = {ProcessId(41), 8}};
    EXPECT_THAT(encode(request), ElementsAre(1, 77, 6, 41, 8, 0, 0, 0));
    const auto got = there_and_back(request);
    EXPECT_EQ(got->event, EventNo(77));
    EXPECT_EQ(got->type, 6);
    EXPECT_EQ(got->asker.pid, ProcessId(41));
    EXPECT_EQ(got->asker.request, 8U);
}

TEST(BufferMessages, RefuseAnotherCall) {
    expect_only_its_own_call(BufferRequest{}, {0, 2, -1, smallest, largest});
}

TEST(BufferMessages, RefuseAQueryWhoseAnswerWouldGoToNoCaller) {
    const trollius_os::services::BufferQuery query{.caller = asker};
    EXPECT_TRUE(there_and_back(query));
    EXPECT_TRUE(refuses(query, 1, 0x10003));
    for (const EventNo reply :
         {EventNo(0), EventNo(41), EventNo(largest), trollius_os::nowhere, trollius_os::events::router,
          trollius_os::events::bufferd, trollius_os::datalink_event(LinkNo(1)), trollius_os::buffer_worker_event(LinkNo(2))})
        EXPECT_TRUE(refuses(query, 2, reply.value())) << reply.value();
}

TEST(FlatMessages, AreTheCallTheCallerTheNameAndTheBytes) {
    const FlatRequest request{FlatCall::Chunk, asker, {NodeId(4), 5}, 70'000};
    EXPECT_THAT(encode(request), ElementsAre(2, 3, -41, 4, 5, 70'000, 0, 0));
    const auto got = there_and_back(request);
    EXPECT_EQ(got->call, FlatCall::Chunk);
    EXPECT_EQ(got->caller, asker);
    EXPECT_EQ(got->name, (trollius_os::services::FlatTag{NodeId(4), 5}));
    EXPECT_EQ(got->bytes, 70'000U);
    EXPECT_THAT(encode(FlatAnswer{1}), ElementsAre(1, 0, 0, 0, 0, 0, 0, 0));
}

TEST(FlatMessages, RefuseACallThatThereIsNot) {
    for (const std::int32_t call : {0, 4, -1, smallest, largest}) EXPECT_TRUE(refuses(FlatRequest{}, 0, call)) << call;
    for (const std::int32_t call : {1, 2, 3}) EXPECT_FALSE(refuses(FlatRequest{}, 0, call)) << call;
}

TEST(LoadMessages, AreTheCallerAndTheDestinationAndTheTag) {
    const LoadRequest request{.caller = asker, .destination = NodeId(15)};
    EXPECT_THAT(encode(request), ElementsAre(0, 3, -41, 15, 0, 0, 0, 0));
    EXPECT_EQ(there_and_back(request).caller, asker);
    EXPECT_EQ(there_and_back(request).destination.id(), NodeId(15));
    EXPECT_THAT(encode(LoadAnswer{4, trollius_os::CreateError::NoMemory}), ElementsAre(4, 2, 0, 0, 0, 0, 0, 0));
}

TEST(KenyadMessages, AreTheCallTheCallerAndTheWordsOfTheCall) {
    const CreateRequest create{.caller = asker, .module = {NodeId(2), 5}, .arguments = -2, .flags = 16};
    EXPECT_THAT(encode(create), ElementsAre(1, 3, -41, 2, 5, -2, 16, 0));
    EXPECT_THAT(encode(StateRequest{.caller = asker}), ElementsAre(2, 3, -41, 0, 0, 0, 0, 0));
    EXPECT_THAT(encode(RoutesRequest{.caller = asker, .tag = 6}), ElementsAre(3, 3, -41, 6, 0, 0, 0, 0));
    EXPECT_THAT(encode(RoutesAnswer{NodeId(2), 6}), ElementsAre(2, 6, 0, 0, 0, 0, 0, 0));
    EXPECT_EQ(there_and_back(create)->arguments, -2);
    EXPECT_EQ(there_and_back(create)->module, create.module);
    EXPECT_EQ(there_and_back(StateRequest{.caller = asker})->caller, asker);
    EXPECT_EQ(there_and_back(RoutesRequest{.caller = asker, .tag = 6})->tag, 6);
    EXPECT_EQ(there_and_back(CreateAnswer{ProcessId(61)}).pid, ProcessId(61));
    EXPECT_EQ(there_and_back(StateAnswer{9}).dropped, 9U);
    EXPECT_EQ(there_and_back(RoutesAnswer{NodeId(2), 6})->node.id(), NodeId(2));
}

TEST(KenyadMessages, RefuseEveryOtherCall) {
    expect_only_its_own_call(CreateRequest{}, {0, 2, 3, 4, smallest, largest});
    expect_only_its_own_call(StateRequest{}, {0, 1, 3, 4, smallest, largest});
    expect_only_its_own_call(RoutesRequest{}, {0, 1, 2, 4, smallest, largest});
    expect_only_its_own_call(trollius_os::services::DoomRequest{}, {0, 1, 2, 3, 5, smallest, largest});
    expect_only_its_own_call(trollius_os::services::EndedRequest{}, {0, 1, 2, 3, 4, smallest, largest});
}

TEST(KenyadMessages, RefuseAnEndOfAnotherProcess) {
    const trollius_os::services::EndedRequest ended{.caller = asker, .pid = ProcessId(41)};
    EXPECT_TRUE(there_and_back(ended));
    EXPECT_TRUE(refuses(ended, 2, -42));
    EXPECT_TRUE(refuses(ended, 3, 45));
}

TEST(KenyadMessages, RefuseAnAnswerOfANodeThatIsNoId) {
    for (const std::int32_t node : {0x10002, -1, smallest, largest}) EXPECT_TRUE(refuses(RoutesAnswer{NodeId(2), 6}, 0, node));
}

TEST(RouteTableInABody, TakesAByteANode) {
    const RouteTable routes{LinkNo(0), std::nullopt, LinkNo(3)};
    const std::vector<std::byte> body = encode_routes(routes);
    EXPECT_THAT(body, ElementsAre(std::byte{0}, std::byte{0xff}, std::byte{3}));
    EXPECT_EQ(decode_routes(body, 3), routes);
}

TEST(RouteTableInABody, IsRefusedWhenItIsShortOrLong) {
    const std::vector<std::byte> body(3);
    EXPECT_FALSE(decode_routes(body, 2));
    EXPECT_FALSE(decode_routes(body, 4));
    EXPECT_FALSE(decode_routes({}, 3));
}

TEST(RouteTableInABody, HasNoWayWhereAByteIsNoLink) {
    const std::array<std::byte, 3> body{std::byte{4}, std::byte{0x80}, std::byte{1}};
    EXPECT_EQ(decode_routes(body, 3), (RouteTable{std::nullopt, std::nullopt, LinkNo(1)}));
}

class StateInABody : public testing::Test {
protected:
    static std::vector<std::byte> body_of(const std::vector<ProcessLine>& lines) {
        std::vector<std::byte> body(lines.size() * sizeof(StateRecord));
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const StateRecord record = encode_state(lines[i]);
            std::memcpy(body.data() + i * sizeof record, &record, sizeof record);
        }
        return body;
    }
    const ProcessLine line{2, ProcessId(61), 1085, 3, EventNo(-91009), 8, "nodemon"};
};

TEST_F(StateInABody, ComesBackAsItWas) {
    const auto got = decode_state(body_of({{}, line}));
    ASSERT_EQ(got.size(), 2U);
    EXPECT_EQ(got[1].index, 2U);
    EXPECT_EQ(got[1].pid, ProcessId(61));
    EXPECT_EQ(got[1].priority, 1085);
    EXPECT_EQ(got[1].state, 3);
    EXPECT_EQ(got[1].event, EventNo(-91009));
    EXPECT_EQ(got[1].type, 8);
    EXPECT_EQ(got[1].name, "nodemon");
}

TEST_F(StateInABody, CutsANameToItsRoom) {
    ProcessLine longer = line;
    longer.name = std::string(40, 'x');
    EXPECT_EQ(decode_state(body_of({longer})).front().name, std::string(27, 'x'));
}

TEST_F(StateInABody, GivesTheWholeRoomWhenTheZeroBehindANameIsDamaged) {
    std::vector<std::byte> body = body_of({line});
    std::fill(body.end() - 28, body.end(), std::byte{'y'});
    EXPECT_EQ(decode_state(body).front().name, std::string(28, 'y'));
}

TEST_F(StateInABody, LeavesOutARecordThatIsShort) {
    std::vector<std::byte> body = body_of({line, line});
    body.pop_back();
    EXPECT_EQ(decode_state(body).size(), 1U);
    EXPECT_EQ(decode_state(std::span(body).first(sizeof(StateRecord) - 1)).size(), 0U);
    EXPECT_THAT(decode_state({}), IsEmpty());
}

TEST(EchoMessages, AreTheCaller) {
    EXPECT_THAT(encode(EchoRequest{.caller = asker}), ElementsAre(0, 3, -41, 0, 0, 0, 0, 0));
    EXPECT_EQ(there_and_back(EchoRequest{.caller = asker}).caller, asker);
}

TEST(FileMessages, AreTheCallerTheCallAndTheBytesToRead) {
    const FileRequest request{.caller = asker, .call = FileCall::Read, .most = 100};
    EXPECT_THAT(encode(request), ElementsAre(0, 3, -41, 4, 100, 0, 0, 0));
    EXPECT_EQ(there_and_back(request)->call, FileCall::Read);
    EXPECT_EQ(there_and_back(request)->most, 100);
    EXPECT_EQ(there_and_back(FileAnswer{4000}).taken, 4000U);
}

TEST(FileMessages, RefuseACallThatThereIsNot) {
    for (const std::int32_t call : {5, -1, smallest, largest}) EXPECT_TRUE(refuses(FileRequest{}, 3, call)) << call;
    for (const std::int32_t call : {0, 1, 2, 3, 4}) EXPECT_FALSE(refuses(FileRequest{}, 3, call)) << call;
}

class PacketOnALink : public testing::Test {
protected:
    static const char* damage(const Message& packet, std::uint32_t header_bytes, std::uint32_t body_bytes) {
        return damage_in(packet, {.header_bytes = header_bytes, .body_bytes = body_bytes}, NodeId(1), 4096);
    }
    const Message packet{.node = NodeId(0x1234),
                         .event = EventNo(-7),
                         .type = 9,
                         .flags = trollius_os::flags::more,
                         .data = {1, 2, 3, 4, 5, 6, 7, 8},
                         .length = 20};
};

TEST_F(PacketOnALink, HasAllFieldsOfItsMessageInTheHeader) {
    const Message got = decode_header(encode_header(packet));
    EXPECT_EQ(got.node, packet.node);
    EXPECT_EQ(got.event, packet.event);
    EXPECT_EQ(got.type, packet.type);
    EXPECT_EQ(got.flags, packet.flags);
    EXPECT_EQ(got.data, packet.data);
    EXPECT_EQ(got.length, packet.length);
}

TEST_F(PacketOnALink, HasAHeaderOf52BytesWithItsLengthBehindTheFlags) {
    const PacketHeader header = encode_header(packet);
    std::array<std::uint32_t, sizeof header / 4> words{};
    std::memcpy(words.data(), &header, sizeof header);
    EXPECT_THAT(words, ElementsAre(0x1234, static_cast<std::uint32_t>(-7), 9, 0x1000, 20, 1, 2, 3, 4, 5, 6, 7, 8));
}

TEST_F(PacketOnALink, IsRefusedWhenItsHeaderIsShortOrLong) {
    EXPECT_EQ(damage(packet, 52, 20), nullptr);
    EXPECT_STREQ(damage(packet, 51, 20), "a packet without a header");
    EXPECT_STREQ(damage(packet, 53, 20), "a packet without a header");
    EXPECT_STREQ(damage(packet, 0, 20), "a packet without a header");
}

TEST_F(PacketOnALink, IsRefusedWhenItsLengthIsNotThatOfItsBody) {
    EXPECT_STREQ(damage(packet, 52, 19), "a packet with a wrong length");
    EXPECT_STREQ(damage(packet, 52, 21), "a packet with a wrong length");
}

TEST_F(PacketOnALink, IsRefusedWhenItIsLongerThanAny) {
    Message most = packet;
    most.length = 4096;
    EXPECT_EQ(damage(most, 52, 4096), nullptr);
    ++most.length;
    EXPECT_STREQ(damage(most, 52, 4097), "a packet that is too long");
}

TEST_F(PacketOnALink, IsRefusedWhenItIsForTheNodesOwnProcessesThatMoveMessages) {
    Message inside = packet;
    for (const EventNo event : {trollius_os::events::router, trollius_os::events::bufferd, trollius_os::nowhere,
                                trollius_os::datalink_event(LinkNo(3)), trollius_os::buffer_worker_event(LinkNo(0))}) {
        inside.event = event;
        inside.node = NodeId(1);
        EXPECT_STREQ(damage(inside, 52, 20), "a packet for a process that takes none from other nodes");
        inside.node = NodeId(2);
        EXPECT_EQ(damage(inside, 52, 20), nullptr) << "it goes on to another node";
    }
}

TEST_F(PacketOnALink, IsForTheBuffersOnlyIfItIsAboutThePool) {
    Message about_pool = packet;
    about_pool.node = NodeId(1);
    about_pool.event = trollius_os::events::bufferd;
    for (const std::int32_t type : {0, 1, 2, 9}) {
        about_pool.type = type;
        EXPECT_STREQ(damage(about_pool, 52, 20), "a packet for a process that takes none from other nodes") << type;
    }
    about_pool.type = trollius_os::classes::control;
    EXPECT_EQ(damage(about_pool, 52, 20), nullptr);
}
