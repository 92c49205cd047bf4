// A model of the kernel's rules for rendez-vous and signals, written from the rules and not from the kernel's code. Each act is
// over at once. It keeps a log: what each call returned, and each handler that ran, in the order in which the processor does
// it.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <vector>

namespace signal_model {

enum class Do { Send, Receive, SendReceive, Pause };
struct Call {
    Do what = Do::Send;
    int event = 0, type = 0, length = 0, reply_event = 0, reply_type = 0, reply_length = 0, content = 0;
    bool wait = true;
};

constexpr int bit(int number) {
    return 1 << (number - 1);
}

class Model {
public:
    enum class State { Idle, Sends, Receives, Paused, Stopped, Dead };
    enum class Act { Default, Ignore, Handle };
    struct Process {
        explicit Process(int of_kernel) : priority(of_kernel) {}
        int priority;
        State state = State::Idle;
        int pending = 0, blocked = 0, retry = 0xfb & ~bit(6);
        std::array<Act, 9> acts{};
        Call call;
        bool second_half = false, called = false, release_was_blocked = false;  // `called`: a call is under way
        int taken = 0, left = 0, masked = 0;  // signals taken for the present call, those still to act on, own number held back
        bool any() const { return (pending & ~blocked) != 0; }
        int event() const { return second_half ? call.reply_event : call.event; }
        int type() const { return second_half ? call.reply_type : call.type; }
        int length() const { return second_half ? call.reply_length : call.length; }
    };
    explicit Model(const std::vector<int>& priorities) : all(priorities.begin(), priorities.end()) {}

    std::vector<Process> all;
    std::vector<std::string> log;
    void call(int p, const Call& what) {
        all[p].call = what;
        all[p].second_half = false;
        all[p].called = true;
        go_on(p);
    }
    void set_mask(int p, int mask) {
        all[p].blocked = mask;
        while (all[p].state == State::Idle && all[p].any()) take(p);
    }
    void let_others_go_on() {  // after each of these acts
        for (; !ready_.empty(); ready_.pop_front()) ready_.front()();
    }
    void signal(int p, int number, bool itself = false) {
        Process& it = all[p];
        if (number == 5 || number == 6) it.pending &= ~bit(11 - number);  // each takes the other back
        it.pending |= bit(number);
        if (itself) return it.any() ? take(p) : void();
        if (!it.any()) return;
        if (number == 4 && (it.blocked & bit(4)) == 0 && it.acts[4] == Act::Default) return die(p);
        if (it.state == State::Idle) return;
        const State was = it.state;
        leave(p);
        was == State::Stopped ? stopped_has_signal(p) : go_on(p);
    }

private:
    std::map<int, std::list<int>> senders_, receivers_;
    std::list<std::function<void()>>
        ready_;  // of processes whose rendez-vous is over: what each does when it has the processor
    void say(int p, const std::string& text) { log.push_back("p" + std::to_string(p) + " " + text); }
    void leave(int p) {
        senders_[all[p].event()].remove(p);
        receivers_[all[p].event()].remove(p);
        all[p].state = State::Idle;
    }
    void die(int p) {
        leave(p);
        all[p].state = State::Dead;
    }
    // One signal after the other, until a stop or the end.
    void take(int p) {
        Process& it = all[p];
        it.taken = it.left = it.pending & ~it.blocked;
        it.pending &= ~it.taken;
        act(p);
    }
    void act(int p) {
        Process& it = all[p];
        for (int number = 1; number <= 8 && it.state == State::Idle; ++number) {
            if ((it.left & bit(number)) == 0) continue;
            it.left &= ~bit(number);
            it.masked = bit(number) & ~it.blocked;
            it.blocked |= it.masked;
            if (it.acts[number] == Act::Handle) handler(p, number);
            if (it.acts[number] == Act::Default && number == 4) return die(p);
            if (it.acts[number] == Act::Default && number == 5) return stop(p);
            it.blocked &= ~it.masked;
        }
    }
    // Its handler receives from event 1 if a message is offered.
    void handler(int p, int number) {
        const int from = first(senders_[1], 0);
        say(p, "handles " + std::to_string(number) + " and gets " +
                   (from < 0 ? "nothing" : std::to_string(all[from].call.content)));
        if (from >= 0) sent(from, 0, false);
    }
    void stop(int p) {
        Process& it = all[p];
        it.state = State::Stopped;
        it.release_was_blocked = (it.blocked & bit(6)) != 0;
        it.blocked &= ~bit(6);
        if (it.any()) stopped_has_signal(p);
    }
    void stopped_has_signal(int p) {
        Process& it = all[p];
        const int outer_taken = it.taken, outer_left = it.left, outer_masked = it.masked;
        it.state = State::Idle;
        const int now = it.pending & ~it.blocked;
        take(p);
        if (it.state == State::Dead) return;
        it.taken = outer_taken;
        it.left = outer_left;
        it.masked = outer_masked;
        if ((now & bit(6)) == 0) return void(it.state = State::Stopped);
        if (it.release_was_blocked) it.blocked |= bit(6);
        it.blocked &= ~it.masked;
        act(p);
        if (it.state == State::Idle) after_signals(p);
    }
    // The signals are done. A call that was under way is made again, or ends.
    void after_signals(int p) {
        Process& it = all[p];
        if (!it.called) return set_mask(p, it.blocked);
        if (it.call.what == Do::Pause || (it.taken & ~it.retry) != 0) return finish(p, "interrupted");
        go_on(p);
    }
    void finish(int p, const std::string& how) {
        all[p].called = false;
        say(p, how);
    }
    void go_on(int p) {
        Process& it = all[p];
        if (it.any()) {
            take(p);
            return it.state == State::Idle ? after_signals(p) : void();
        }
        if (it.call.what == Do::Pause) return void(it.state = State::Paused);
        it.call.what == Do::Receive || it.second_half ? receive(p) : send(p);
    }
    int first(const std::list<int>& waiting, int type) const {
        const auto meets = [&](int p) { return type == 0 || all[p].type() == 0 || (type & all[p].type()) != 0; };
        const auto found = std::find_if(waiting.begin(), waiting.end(), meets);
        return found == waiting.end() ? -1 : *found;
    }
    void block(std::list<int>& waiting, int p, State state) {
        if (!all[p].call.wait && !all[p].second_half) return finish(p, "would block");
        auto place = waiting.begin();
        while (place != waiting.end() && all[*place].priority >= all[p].priority) ++place;
        waiting.insert(place, p);
        all[p].state = state;
    }
    // `has_processor`: it calls, and its partner has waited. The other goes on when the processor is its own.
    void finish_soon(int p, bool has_processor, const std::string& how) {
        has_processor ? finish(p, how) : ready_.push_back([this, p, how] { finish(p, how); });
    }
    int got(int p, int from, bool has_processor) {  // returns how many bytes
        leave(p);
        const int bytes = std::min(all[p].length(), all[from].length());
        finish_soon(p, has_processor,
                    "gets " + std::to_string(all[from].call.content) + " of type " + std::to_string(all[from].type()) + ", " +
                        std::to_string(bytes) + " bytes");
        return bytes;
    }
    void sent(int p, int bytes, bool has_processor) {  // its message is taken
        leave(p);
        if (all[p].call.what == Do::Send) return finish_soon(p, has_processor, "has sent " + std::to_string(bytes) + " bytes");
        all[p].second_half = true;
        const bool has_work = first(senders_[all[p].event()], all[p].type()) >= 0 || all[p].any();
        has_work && !has_processor ? ready_.push_back([this, p] { go_on(p); }) : go_on(p);
    }
    void send(int p) {
        const int to = first(receivers_[all[p].event()], all[p].type());
        to < 0 ? block(senders_[all[p].event()], p, State::Sends) : sent(p, got(to, p, false), true);
    }
    void receive(int p) {
        const int from = first(senders_[all[p].event()], all[p].type());
        from < 0 ? block(receivers_[all[p].event()], p, State::Receives) : sent(from, got(p, from, true), false);
    }
};

}  // namespace signal_model
