// The monitor's commands and their answers as messages: what travels, and what is refused.
#include <instrumentation/monctrl.hpp>

#include <gmock/gmock.h>

namespace {

using instrumentation::Control;
using instrumentation::ControlAnswer;
using instrumentation::ControlCommand;
using instrumentation::decode_answer;
using instrumentation::decode_command;
using testing::ElementsAre;
using trollius_os::Message;
using vocabulary::EventNo;
using vocabulary::NodeId;

template <class Words>
Message sealed(const Words& words) {
    Message message{.data = trollius_os::encode(words)};
    instrumentation::seal(message);
    return message;
}

const ControlCommand classes{.what = Control::Classes, .caller = {NodeId(8), EventNo(-41)}, .classes = 5, .on = 1};

}  // namespace

TEST(MonitorCommand, TravelsInTheWordsBeforeTheSeal) {
    EXPECT_THAT(trollius_os::encode(classes), ElementsAre(3, 8, -41, 5, 1, 0, 0, 0));
    const auto got = decode_command(sealed(classes));
    ASSERT_TRUE(got);
    EXPECT_EQ(got->what, Control::Classes);
    EXPECT_EQ(got->caller, classes.caller);
    EXPECT_EQ(got->classes, 5);
    EXPECT_EQ(got->on, 1);
}

TEST(MonitorCommand, IsRefusedWhenABitOfItIsAnother) {
    for (std::size_t bit = 0; bit < 256; ++bit) {
        Message message = sealed(classes);
        message.data[bit / 32] ^= static_cast<std::int32_t>(1U << bit % 32);
        EXPECT_FALSE(decode_command(message)) << bit;
    }
}

TEST(MonitorCommand, IsRefusedWithALengthThatIsNotItsOwn) {
    Message message = sealed(classes);
    message.length = 4;
    EXPECT_FALSE(decode_command(message));
}

TEST(MonitorCommand, IsRefusedWhenThereIsNoSuchCommandThoughItsSealIsWhole) {
    for (const std::int32_t what : {0, 5, -1, INT32_MIN, INT32_MAX}) {
        ControlCommand none = classes;
        none.what = static_cast<Control>(what);
        EXPECT_FALSE(decode_command(sealed(none))) << what;
    }
    for (const Control what : {Control::Begin, Control::Quit, Control::Classes, Control::Stop})
        EXPECT_TRUE(decode_command(sealed(ControlCommand{.what = what})));
}

TEST(MonitorAnswer, NamesTheNodeThatHasObeyed) {
    EXPECT_THAT(trollius_os::encode(ControlAnswer{NodeId(6)}), ElementsAre(6, 0, 0, 0, 0, 0, 0, 0));
    EXPECT_EQ(decode_answer(sealed(ControlAnswer{NodeId(6)}))->node.id(), NodeId(6));
}

TEST(MonitorAnswer, IsRefusedWhenItsSealIsBroken) {
    Message message = sealed(ControlAnswer{NodeId(6)});
    message.data.front() ^= 1;
    EXPECT_FALSE(decode_answer(message));
}
