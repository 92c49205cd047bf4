// Random streams of sends, receives, probes and cancellations on a few ranks, against the rules of matching of
// reference_matcher.hpp. Usage: random_operations LIBRARY SEED OPERATIONS. MAGICWIRE_LAM_OPERATIONS overrides the last.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "random_calls.hpp"

namespace lam_random {
namespace {

constexpr std::size_t most_slots = 12;
constexpr std::size_t most_unexpected = 40;

class Program : public Calls {
public:
    Program(const std::string& library, unsigned seed)
        : Calls(library, 2 + static_cast<int>(seed % 4), seed % 3 == 0 ? 64 : 4096, seed) {}

    void run(std::int64_t operations) {
        while (all_.operations < operations) step();
        drain();
    }

private:
    // ---- Choices ----

    int some_words() {
        const int border = all_.short_bytes / static_cast<int>(sizeof(int));
        switch (chance(8)) {
            case 0:
                return 0;
            case 1:
                return border + chance(4) - 1;
            case 2:
                return border + chance(most_words - border);
            default:
                return chance(8);
        }
    }
    Mode some_mode() {
        const int dice = chance(6);
        return dice == 0 ? Mode::synchronous : dice == 1 ? Mode::buffered : Mode::standard;
    }
    std::unique_ptr<Slot> some_send(int rank) {
        const int number = chance(communicators);
        int to = chance(all_.size());
        while (!all_.can_talk(number, rank, to)) to = chance(all_.size());
        auto slot = all_.new_send(rank, to, number, chance(tags), some_words(), some_mode());
        slot->nobody = chance(40) == 0;
        const auto& posted = all_.matcher.posted(to);
        // A ready send needs its receive.
        if (slot->mode == Mode::standard && chance(2) == 0 && posted.size() == 1 && posted.front().source == rank &&
            posted.front().communicator == number && posted.front().tag == slot->message.tag)
            slot->mode = Mode::ready;
        return slot;
    }
    std::unique_ptr<Slot> some_receive(int rank) {
        const int number = chance(communicators);
        int from = chance(3) == 0 ? lam_reference::any : chance(all_.size());
        while (from != lam_reference::any && !all_.can_talk(number, from, rank)) from = chance(all_.size());
        const int tag = chance(3) == 0 ? lam_reference::any : chance(tags);
        auto slot = all_.new_receive(rank, from, number, tag, chance(4) == 0 ? some_words() : most_words);
        slot->nobody = chance(40) == 0;
        return slot;
    }
    void wait_for_some(int rank) {
        auto& slots = at(rank).slots;
        if (slots.empty()) return;
        const int way = chance(8);
        std::vector<Slot*> chosen;
        for (auto& slot : slots)
            if (chance(2) == 0) chosen.push_back(slot.get());
        if (chosen.empty() || way < 2) chosen = {slots[static_cast<std::size_t>(chance(static_cast<int>(slots.size())))].get()};
        const auto helped = [&](const Slot* its) { return its->active && all_.can_be_helped(rank, *its); };
        const auto idle = [](const Slot* its) { return !its->active; };
        const bool blocks = way % 2 == 0;
        if (blocks && !std::all_of(chosen.begin(), chosen.end(), idle)) {
            if (way == 6 || way == 0) {
                if (!std::all_of(chosen.begin(), chosen.end(), [&](const Slot* its) { return idle(its) || helped(its); }))
                    return;
            } else if (std::none_of(chosen.begin(), chosen.end(), helped)) {
                return;
            }
        }
        all_.machine.begin(rank, [this, rank, chosen, way] { wait_some(rank, chosen, way); });
    }
    void probe(int rank) {
        const int way = chance(4);
        at(rank).received = some_receive(rank);
        Slot& its = *at(rank).received;
        its.active = true;
        its.receive.id = its.message.id = -1;
        if (way % 2 == 0 && !its.nobody && !all_.can_be_helped(rank, its) && !all_.matcher.probe(its.receive, false)) return;
        all_.machine.begin(rank, [this, rank, way] { probe_now(rank, way); });
    }
    void cancel_send(int rank, Slot& slot) {
        settle();
        if (!slot.active || all_.machine.is_busy(rank)) return;
        all_.machine.begin(rank, [this, rank, &slot] {
            api(rank).Cancel(&slot.handle);
            const bool cancelled = look(rank, slot) != 0;
            const bool alone = slot.mode == Mode::buffered || (slot.mode != Mode::synchronous && all_.is_short(slot));
            const bool gone = all_.matcher.is_received(slot.message.id) || all_.matcher.is_taken(slot.message.id);
            all_.expect(cancelled || alone || gone, "a send without a receive is not cancelled", slot.message.id);
            slot.may_be_cancelled = cancelled;
            if (cancelled) all_.expect(all_.matcher.cancel_send(slot.message), "a received send is cancelled", slot.message.id);
        });
        while (all_.machine.is_busy(rank)) turn();
    }
    void cancel(int rank) {
        auto& slots = at(rank).slots;
        if (slots.empty()) return;
        Slot& slot = *slots[static_cast<std::size_t>(chance(static_cast<int>(slots.size())))];
        if (!slot.active || slot.nobody || slot.must_be_cancelled || slot.may_be_cancelled) return;
        if (!slot.receives) return cancel_send(rank, slot);
        all_.machine.begin(rank, [this, rank, &slot] { cancel_receive(rank, slot); });
    }

    // ---- Turns ----

    void turn() {
        all_.release_all();
        for (int i = 0; i < all_.size(); ++i) {
            if (all_.machine.is_busy(i))
                all_.machine.resume(i);
            else
                all_.machine.begin(i, [this, i] { all_.poke(i); });
        }
    }
    void settle() {
        for (int i = 0; i < 6; ++i) turn();
    }
    // A rank that waits gets what it waits for from one that does not.
    void help(int rank) {
        for (const Slot* slot : at(rank).waits_for) {
            if (all_.is_done(*slot)) continue;
            const int number = slot->receives ? slot->receive.communicator : slot->message.communicator;
            int helper = slot->receives ? slot->receive.source : slot->message.destination;
            if (helper == lam_reference::any) helper = chance(all_.size());
            if (all_.machine.is_busy(helper) || helper == rank || !all_.can_talk(number, helper, rank)) continue;
            if (!slot->receives && all_.matcher.is_taken(slot->message.id))
                return all_.machine.begin(helper, [this, helper] { receive_taken(helper); });
            const int tag =
                slot->receives ? (slot->receive.tag == lam_reference::any ? 0 : slot->receive.tag) : slot->message.tag;
            auto made = slot->receives ? all_.new_send(helper, rank, number, tag, some_words(), Mode::standard)
                                       : all_.new_receive(helper, rank, number, tag, most_words);
            Slot* const its = made.release();
            all_.machine.begin(helper, [this, helper, its] { begin_one(helper, std::unique_ptr<Slot>(its)); });
            return;
        }
    }
    void act(int rank) {
        const auto begin = [&](std::unique_ptr<Slot> made) {
            Slot* const its = made.release();
            all_.machine.begin(rank, [this, rank, its] { begin_one(rank, std::unique_ptr<Slot>(its)); });
        };
        const auto& unexpected = all_.matcher.unexpected(rank);
        if (unexpected.size() > most_unexpected) {
            const Message& first = unexpected.front();
            return begin(all_.new_receive(rank, first.source, first.communicator, first.tag, most_words));
        }
        const int dice = at(rank).slots.size() > most_slots ? 10 + chance(3) : chance(16);
        switch (dice) {
            case 0:
            case 1:
                return begin(some_send(rank));
            case 2:
            case 3:
                return begin(some_receive(rank));
            case 4:
                return chance(4) == 0 ? init_on(rank) : all_.machine.begin(rank, [this, rank] { start(rank); });
            case 5:
                return act_now(rank, false);
            case 6:
                return act_now(rank, true);
            case 7:
                return exchange(rank);
            case 8:
                return cancel(rank);
            case 9:
                if (chance(4) == 0) all_.machine.begin(rank, [this, rank] { free_one(rank); });
                return;
            case 13:
            case 14:
                return probe(rank);
            case 15:
                return all_.machine.begin(rank, [this, rank] { receive_taken(rank); });
            default:
                return wait_for_some(rank);
        }
    }
    void init_on(int rank) {
        Slot* const its = (chance(2) == 0 ? some_send(rank) : some_receive(rank)).release();
        if (its->mode == Mode::ready) its->mode = Mode::standard;
        all_.machine.begin(rank, [this, rank, its] { init_persistent(rank, std::unique_ptr<Slot>(its)); });
    }
    void act_now(int rank, bool receives) {
        auto slot = receives ? some_receive(rank) : some_send(rank);
        slot->active = true;
        const bool has_message = receives && all_.matcher.probe(slot->receive, false).has_value();
        if (!slot->nobody && !has_message && !all_.can_be_helped(rank, *slot)) return;
        (receives ? at(rank).received : at(rank).sent) = std::move(slot);
        all_.machine.begin(rank, [this, rank, receives] { receives ? receive_now(rank) : send_now(rank); });
    }
    void exchange(int rank) {
        auto in = some_receive(rank);
        auto out = some_send(rank);
        if (in->nobody || out->nobody || out->mode != Mode::standard) return;
        in->active = out->active = true;
        in->receive.communicator = out->message.communicator;
        if (in->receive.source != lam_reference::any && !all_.can_talk(in->receive.communicator, in->receive.source, rank))
            return;
        const bool self = out->message.destination == rank && in->receive.source == rank &&
                          (in->receive.tag == out->message.tag || in->receive.tag == lam_reference::any) &&
                          all_.is_short(*out) && all_.matcher.posted(rank).empty();
        if (!self && !(all_.can_be_helped(rank, *in) && all_.can_be_helped(rank, *out))) return;
        at(rank).received = std::move(in);
        at(rank).sent = std::move(out);
        all_.machine.begin(rank, [this, rank] { send_and_receive(rank); });
    }
    void step() {
        if (chance(3) == 0) all_.release(chance(all_.size()), chance(all_.size()));
        const int rank = chance(all_.size());
        if (!all_.machine.is_busy(rank)) return act(rank);
        all_.machine.resume(rank);
        if (all_.machine.is_busy(rank) && chance(4) == 0) {
            turn();
            if (all_.machine.is_busy(rank)) help(rank);
        }
    }

    // ---- The end: everything that is under way comes to its end ----

    bool some_busy() {
        for (int i = 0; i < all_.size(); ++i)
            if (all_.machine.is_busy(i)) return true;
        return false;
    }
    void tell_busy() {
        for (int i = 0; i < all_.size(); ++i) {
            if (!all_.machine.is_busy(i)) continue;
            std::fprintf(stderr, "rank %d waits:", i);
            for (const Slot* its : at(i).waits_for)
                std::fprintf(
                    stderr, " %s %lld of rank %d, communicator %d, tag %d, %d bytes, mode %d, active %d, matched %d, taken %d;",
                    its->receives ? "receive" : "send", static_cast<long long>(its->message.id),
                    its->receives ? its->receive.source : its->message.destination,
                    its->receives ? its->receive.communicator : its->message.communicator, tag_of(*its), its->message.bytes,
                    static_cast<int>(its->mode), its->active, all_.is_done(*its), all_.matcher.is_taken(its->message.id));
            std::fputs("\n", stderr);
        }
        all_.expect(false, "ranks wait for ever");
    }
    void end_busy() {
        for (int round = 0; some_busy(); ++round) {
            if (round >= 1000) tell_busy();
            turn();
            for (int i = 0; i < all_.size(); ++i)
                if (all_.machine.is_busy(i)) help(i);
        }
    }
    void match_all() {
        for (bool some = true; some;) {
            some = false;
            settle();
            for (int i = 0; i < all_.size(); ++i) {
                while (!at(i).taken.empty()) all_.machine.begin(i, [this, i] { receive_taken(i); });
                while (!all_.matcher.unexpected(i).empty()) {
                    const Message first = all_.matcher.unexpected(i).front();
                    some = true;
                    Slot* const its = all_.new_receive(i, first.source, first.communicator, first.tag, most_words).release();
                    all_.machine.begin(i, [this, i, its] { begin_one(i, std::unique_ptr<Slot>(its)); });
                }
                while (!all_.matcher.posted(i).empty()) {
                    const Receive first = all_.matcher.posted(i).front();
                    some = true;
                    int from = first.source;
                    for (int k = 0; from == lam_reference::any; ++k)
                        if (all_.can_talk(first.communicator, k, i)) from = k;
                    const int tag = first.tag == lam_reference::any ? 0 : first.tag;
                    Slot* const its = all_.new_send(from, i, first.communicator, tag, 1, Mode::standard).release();
                    all_.machine.begin(from, [this, from, its] { begin_one(from, std::unique_ptr<Slot>(its)); });
                    settle();
                }
            }
        }
    }
    void drain() {
        end_busy();
        match_all();
        for (int i = 0; i < all_.size(); ++i) {
            std::vector<Slot*> chosen;
            for (auto& slot : at(i).slots) chosen.push_back(slot.get());
            all_.machine.begin(i, [this, i, chosen] {
                if (!chosen.empty()) wait_some(i, chosen, 6);
            });
        }
        end_busy();
        for (int i = 0; i < all_.size(); ++i)
            for (auto& slot : at(i).freed) {
                if (!slot->receives || !slot->active || slot->nobody) continue;
                const auto got = all_.matcher.match(slot->receive.id);
                all_.expect(got.has_value(), "a freed receive without a message", slot->receive.id);
                all_.check_data(*slot, *got);
            }
        all_.machine.all([this](int rank) { api(rank).Finalize(); });
    }
};

}  // namespace
}  // namespace lam_random

int main(int argc, char** argv) {
    if (argc != 4) return std::fprintf(stderr, "usage: random_operations LIBRARY SEED OPERATIONS\n"), 2;
    const char* const more = std::getenv("MAGICWIRE_LAM_OPERATIONS");
    const long long operations = std::atoll(more != nullptr ? more : argv[3]);
    lam_random::Program program(argv[1], static_cast<unsigned>(std::atoi(argv[2])));
    program.run(operations);
    std::printf("%lld operations match as the reference says\n", operations);
}
