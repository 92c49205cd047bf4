// A million random operations on one node, beside a model of the rules (signal_model.hpp): same results, same order. They are
// sends and receives that wait or only try, send-receives, pauses, signals with masks and handlers, ends and new processes.
#include <gmock/gmock.h>

#include <algorithm>
#include <deque>

#include <vocabulary/split_mix.hpp>

#include "signal_model.hpp"
#include "test_multicomputer.hpp"

using signal_model::Do;
using signal_model::Model;
using test_support::SimTime;
using test_support::TestMulticomputer;
using trollius_os::Api;
using trollius_os::EventNo;
using trollius_os::Message;
using trollius_os::Outcome;
using trollius_os::Signal;
using trollius_os::SignalAction;

namespace {

constexpr std::size_t most_bytes = 8;
const std::vector<int> model_priorities = {0, 0, 0, 0, -1, -1};  // above 0 are processes of the system

// Processes that do what they are told, one thing at a time.
class Puppets : public TestMulticomputer {
public:
    Puppets() : TestMulticomputer(topologies::chain(2)), strings(model_priorities.size()) {
        for (std::size_t p = 0; p < strings.size(); ++p) make(p);
    }
    void make(std::size_t p) {
        strings[p] = {};
        strings[p].process = user(
            1, [this, p](Api& api) { play(api, p); }, model_priorities[p]);
        ASSERT_EQ(strings[p].process, kernel().processes()[p].get());
        rest();
    }
    void tell(std::size_t p, std::function<void(Api&)> what) {
        strings[p].told = std::move(what);
        box.port(test_support::NodeId(1)).wake(strings[p].thread).get();
        rest();
        ASSERT_FALSE(strings[p].told) << p << " is deaf";
    }
    void call(std::size_t p, const signal_model::Call& what) {
        tell(p, [this, p, what](Api& api) { make_call(api, p, what); });
    }
    void rest() { run_for(SimTime::ms(2)); }
    trollius_os::Kernel& kernel() { return box.kernel(test_support::NodeId(1)); }
    SignalAction handler(std::size_t p) {
        return SignalAction::handle([this, p](Api& api, Signal signal) {
            Message message{.event = EventNo(1)};
            const bool got = api.krecv(message, false) == Outcome::Done;
            say(p, "handles " + std::to_string(static_cast<int>(signal)) + " and gets " +
                       (got ? std::to_string(message.data[0]) : "nothing"));
        });
    }

    struct Strings {
        trollius_os::Process* process = nullptr;
        trollius_os::Thread* thread = nullptr;
        std::function<void(Api&)> told;
    };
    std::vector<Strings> strings;
    std::vector<std::string> log;

private:
    void say(std::size_t p, const std::string& text) { log.push_back("p" + std::to_string(p) + " " + text); }
    void play(Api& api, std::size_t p) {
        strings[p].thread = &api.port().self();
        while (true) {
            while (!strings[p].told) api.wait();
            std::exchange(strings[p].told, nullptr)(api);
        }
    }
    void make_call(Api& api, std::size_t p, const signal_model::Call& what) {
        std::array<std::byte, most_bytes> body{}, room{};
        body.fill(std::byte(what.content));
        const auto length = static_cast<std::uint32_t>(what.length);
        Message out{.event = EventNo(what.event),
                    .type = what.type,
                    .data = {what.content},
                    .length = length,
                    .body = std::span(body).first(length)};
        Message in{.event = EventNo(what.reply_event),
                   .type = what.reply_type,
                   .body = std::span(room).first(static_cast<std::size_t>(what.reply_length))};
        if (what.what == Do::Receive) out.body = std::span(room).first(length);
        Outcome outcome = Outcome::Done;
        switch (what.what) {
            case Do::Send:
                outcome = api.ksend(out, what.wait);
                break;
            case Do::Receive:
                outcome = api.krecv(out, what.wait);
                std::swap(in, out);
                break;
            case Do::SendReceive:
                outcome = api.ksr(out, in, what.wait);
                break;
            case Do::Pause:
                outcome = api.kpause();
                break;
        }
        if (outcome == Outcome::Interrupted) return say(p, "interrupted");
        if (outcome == Outcome::WouldBlock) return say(p, "would block");
        if (what.what == Do::Send) return say(p, "has sent " + std::to_string(out.length) + " bytes");
        std::array<std::byte, most_bytes> wanted{};
        std::fill_n(wanted.begin(), in.length, std::byte(in.data[0]));
        say(p, "gets " + std::to_string(in.data[0]) + " of type " + std::to_string(in.type) + ", " + std::to_string(in.length) +
                   (room == wanted ? " bytes" : " wrong bytes"));
    }
};

std::string text_of(const Model::Process& process) {
    const std::string on = " (" + std::to_string(process.event()) + ", " + std::to_string(process.type()) + ")";
    switch (process.state) {
        case Model::State::Idle:
            return "A";
        case Model::State::Sends:
            return "BS" + on;
        case Model::State::Receives:
            return "BR" + on;
        case Model::State::Paused:
            return "<paused>";
        case Model::State::Stopped:
            return "<stopped>";
        case Model::State::Dead:
            return "ended";
    }
    return {};
}

std::string text_of(const trollius_os::Process& process) {
    if (process.state() == trollius_os::ProcessState::Ended) return "ended";
    if (process.state() == trollius_os::ProcessState::Ready) return "A";
    return trollius_os::state_text(process.status());
}

class SideBySide {
public:
    explicit SideBySide(std::uint64_t seed) : seed_(seed), model(model_priorities) {}

    void act() {
        const std::size_t p = dice(model.all.size());
        const Model::Process& it = model.all[p];
        if (it.state == Model::State::Dead) return make_first_dead();
        if (it.state != Model::State::Idle || dice(4) == 0) return signal(p);
        switch (dice(12)) {
            case 0:
                return set_mask(p);
            case 1:
                return set_retry(p);
            case 2:
            case 3:
                return set_action(p);
            case 4:
                return signal_itself(p);
            default:
                return call(p);
        }
    }
    // The results of this step, in their order.
    void compare() {
        model.let_others_go_on();
        ASSERT_EQ(puppets.log, model.log) << told_;
        for (std::size_t p = 0; p < model.all.size(); ++p) {
            ASSERT_EQ(text_of(*puppets.strings[p].process), text_of(model.all[p])) << "p" << p << " after " << told_;
            if (model.all[p].state == Model::State::Dead) continue;
            ASSERT_EQ(puppets.strings[p].process->pending(), model.all[p].pending) << "p" << p << " after " << told_;
        }
        events += model.log.size();
        model.log.clear();
        puppets.log.clear();
    }
    std::size_t events = 0;

private:
    std::size_t dice(std::size_t sides) { return vocabulary::split_mix(seed_, ++rolled_) % sides; }
    int number() { return std::array{1, 2, 4, 5, 6, 6, 7, 8}[dice(8)]; }
    int mask() { return static_cast<int>(dice(256) & dice(256)) & 0xfb; }
    void note(const std::string& what) {
        told_ = what + "; before it:";
        for (const Model::Process& it : model.all) told_ += " " + text_of(it);
    }

    // The lowest free slot has the next process.
    void make_first_dead() {
        const auto dead =
            std::find_if(model.all.begin(), model.all.end(), [](const auto& it) { return it.state == Model::State::Dead; });
        const auto p = static_cast<std::size_t>(dead - model.all.begin());
        note("p" + std::to_string(p) + " is created");
        *dead = Model::Process(model_priorities[p]);
        puppets.make(p);
    }
    void signal(std::size_t p) {
        const int n = number();
        note("signal " + std::to_string(n) + " to p" + std::to_string(p));
        model.signal(static_cast<int>(p), n);
        puppets.kernel().signal(*puppets.strings[p].process, *trollius_os::signal_of(n));
        puppets.rest();
    }
    void signal_itself(std::size_t p) {
        const int n = number();
        note("p" + std::to_string(p) + " sends itself " + std::to_string(n));
        model.signal(static_cast<int>(p), n, true);
        puppets.tell(p, [n](Api& api) { api.kdoom({}, n); });
    }
    void set_mask(std::size_t p) {
        const int m = mask();
        note("p" + std::to_string(p) + " blocks " + std::to_string(m));
        model.set_mask(static_cast<int>(p), m);
        puppets.tell(p, [m](Api& api) { api.ksigsetmask(static_cast<trollius_os::SignalMask>(m)); });
    }
    void set_retry(std::size_t p) {
        const int m = 0xfb & ~mask();
        note("p" + std::to_string(p) + " retries after " + std::to_string(m));
        model.all[p].retry = m;
        puppets.tell(p, [m](Api& api) { api.ksigsetretry(static_cast<trollius_os::SignalMask>(m)); });
    }
    void set_action(std::size_t p) {
        const int n = number();
        const std::size_t kind = dice(3);
        note("p" + std::to_string(p) + " acts by " + std::to_string(kind) + " on " + std::to_string(n));
        model.all[p].acts[static_cast<std::size_t>(n)] = static_cast<Model::Act>(kind);
        const SignalAction action = kind == 0 ? SignalAction() : kind == 1 ? SignalAction::ignore() : puppets.handler(p);
        puppets.tell(p, [n, action](Api& api) { api.ksignal(*trollius_os::signal_of(n), action); });
    }
    void call(std::size_t p) {
        static constexpr std::array kinds = {Do::Send, Do::Send, Do::Receive, Do::Receive, Do::SendReceive, Do::Pause};
        const auto event = [this] { return 1 + static_cast<int>(dice(3)); };
        const auto type = [this] { return static_cast<int>(dice(4)); };
        const auto length = [this] { return static_cast<int>(dice(most_bytes + 1)); };
        const signal_model::Call what{.what = kinds[dice(kinds.size())],
                                      .event = event(),
                                      .type = type(),
                                      .length = length(),
                                      .reply_event = event(),
                                      .reply_type = type(),
                                      .reply_length = length(),
                                      .content = static_cast<int>(rolled_),
                                      .wait = dice(4) != 0};
        note("call " + std::to_string(static_cast<int>(what.what)) + " of p" + std::to_string(p) + " on " +
             std::to_string(what.event) + ", " + std::to_string(what.type));
        model.call(static_cast<int>(p), what);
        puppets.call(p, what);
    }

    std::uint64_t seed_, rolled_ = 0;
    std::string told_;

public:
    Model model;
    Puppets puppets;
};

}  // namespace

class SignalModel : public testing::TestWithParam<int> {};

TEST_P(SignalModel, AndKernelAgreeOnRandomCallsAndSignals) {
    SideBySide both(static_cast<std::uint64_t>(GetParam()));
    for (int i = 0; i < 20'000; ++i) {
        both.act();
        both.compare();
        if (HasFatalFailure()) FAIL() << "step " << i;
    }
    EXPECT_GT(both.events, 2'000u);
}
INSTANTIATE_TEST_SUITE_P(Seeds, SignalModel, testing::Range(1, 51));
