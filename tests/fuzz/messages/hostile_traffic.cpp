#include "hostile_traffic.hpp"

#include <algorithm>
#include <cstring>

#include <trollius_os/services/castd.hpp>
#include <trollius_os/services/datalink.hpp>
#include <trollius_os/services/mallocd.hpp>
#include <trollius_os/services/router.hpp>
#include <trollius_os/services/traced.hpp>

namespace hostile {
namespace {

namespace events = trollius_os::events;
namespace flags = trollius_os::flags;

constexpr std::array service_events = {events::router, events::boot,   events::filed,   events::loadd,
                                       events::kenyad, events::echod,  events::bufferd, events::flatd,
                                       events::castd,  events::traced, events::mallocd, events::route_orders};
constexpr std::array other_events = {events::pause,
                                     events::stop,
                                     trollius_os::nowhere,
                                     trollius_os::system_event(19),
                                     trollius_os::system_event(20),
                                     trollius_os::system_event(22),
                                     trollius_os::system_event(119),
                                     trollius_os::system_event(120),
                                     EventNo(0),
                                     EventNo(1),
                                     EventNo(77)};
constexpr std::array<std::int32_t, 16> words_of_interest = {0,   1,    -1,   2,     3,       4,         16,        64,
                                                            255, 4096, 4097, 65535, 0x10000, INT32_MAX, INT32_MIN, 0x20000};
constexpr std::array texts = {"check", "file",  "inner/file", "../outside/secret", "/etc/passwd", "/dev/null", "15:foo", "a",
                              "",      "inner", "..",         "no\nname",          "3:inner/file"};

}  // namespace

Traffic::Traffic(std::uint64_t seed, Mood mood) : mood_(mood), seed_(seed) {
    bench_.box.programs()["check"] = {4'000, 1024,
                                      [](Api& api, const trollius_os::Arguments&) { api.compute(SimTime::us(10)); }};
    outside_ = bench_.tree("outside");
}

std::vector<std::byte> Traffic::any_body(Dice& dice) {
    constexpr std::array<std::uint32_t, 8> lengths = {0, 0, 0, 4, 28, 160, 4096, 9000};
    if (dice.one_in(3)) {
        const std::string text = dice.of(texts);
        const auto raw = std::as_bytes(std::span(text.c_str(), text.size() + dice.up_to(2)));
        return {raw.begin(), raw.end()};
    }
    // A sender that is doomed in the middle of a message leaves its receiver with the beginning (decision 0025).
    std::vector<std::byte> body(std::min(dice.of(lengths), mood_ == Mood::Mild ? 4096u : 9000u));
    const bool zeros = dice.one_in(3);
    for (std::byte& b : body) b = zeros ? std::byte() : std::byte(dice.any());
    return body;
}

// Most requests begin with the call and its caller; often both make sense, so that the service looks at the rest.
std::array<std::int32_t, 8> Traffic::any_words(Api& api, Dice& dice, EventNo event) {
    std::array<std::int32_t, 8> words{};
    for (std::int32_t& word : words)
        word = dice.one_in(5)   ? static_cast<std::int32_t>(dice.any())
               : dice.one_in(2) ? static_cast<std::int32_t>(dice.up_to(8))
                                : dice.of(words_of_interest);
    if (!dice.one_in(8)) words[0] = static_cast<std::int32_t>(dice.up_to(event == events::filed ? 40 : 15));
    if (!dice.one_in(8)) words[1] = api.node().value();
    if (!dice.one_in(8)) words[2] = api.process().reply_event().value();
    if (dice.one_in(8)) words[3] = static_cast<std::int32_t>(api.pid().value());
    return words;
}

Message Traffic::any_message(Api& api, Dice& dice) {
    const auto node = dice.one_in(10) ? static_cast<std::uint16_t>(dice.any()) : static_cast<std::uint16_t>(dice.up_to(4));
    EventNo event = dice.of(service_events);
    if (dice.one_in(6)) event = dice.of(other_events);
    if (dice.one_in(12)) event = EventNo(static_cast<std::int32_t>(dice.any()));
    Message message{.node = NodeId(node), .event = event, .data = any_words(api, dice, event)};
    if (dice.one_in(3)) message.type = static_cast<std::int32_t>(1u << dice.up_to(6));
    if (event == events::bufferd && !dice.one_in(4)) message.type = trollius_os::classes::control;
    if (dice.one_in(4)) message.flags = static_cast<std::uint32_t>(dice.any());
    if (mood_ == Mood::Mild) message.flags &= ~(flags::no_buffer | flags::more | flags::circuit | flags::numbered);
    return message;
}

// A mild message must not ask for these.
bool Traffic::harms(const Message& message) const {
    const std::int32_t call = message.data[0];
    if (message.event == events::bufferd) return call == 0 || call > 4;  // wipes messages of services, and shrinks the pool
    return message.event == events::route_orders || (message.event == events::kenyad && call >= 3);
}

void Traffic::one_message(Api& api, Dice& dice) {
    std::vector<std::byte> body = any_body(dice);
    Message message = any_message(api, dice);
    message.length = static_cast<std::uint32_t>(body.size());
    message.body = body;
    if (mood_ == Mood::Mild && harms(message)) return;
    ++sent_;
    const bool no_node = message.node.value() > 3 && !trollius_os::is_cast(message.node);
    if (mood_ == Mood::Mild && no_node)
        return void(api.answer(message));  // nsend() would block for ever, as on the real machine
    switch (mood_ == Mood::Mild ? 0 : dice.up_to(5)) {
        case 0:
            api.nsend(message);
            return;
        case 1:
            api.ntry_send(message);
            return;
        case 2:  // past the network layer: to any process of the node
            message.length = std::min(message.length, 4096u);
            message.datalink_event = dice.one_in(2) ? message.event : dice.of(other_events);
            api.dsend(message, false);
            return;
        case 3:
            api.ksend(message, false);
            return;
        default:
            api.answer(message);
    }
}

// A packet on the wire, as a fault of the link or of the sender's node would make it.
void Traffic::one_packet(Api& api, Dice& dice) {
    std::vector<std::byte> body = any_body(dice);
    Message message = any_message(api, dice);
    if (mood_ == Mood::Mild && harms(message)) return;
    message.length =
        dice.one_in(2) ? static_cast<std::uint32_t>(body.size()) : static_cast<std::uint32_t>(dice.any() >> dice.up_to(33));
    const auto header = trollius_os::services::encode_header(message);
    auto raw = std::as_bytes(std::span(&header, 1));
    if (dice.one_in(6)) raw = raw.first(dice.up_to(53));
    ++sent_;
    const trollius_os::LinkNo link(
        api.node() == NodeId(0) ? 1 : static_cast<std::uint8_t>(api.node() == NodeId(1) ? dice.up_to(2) : 0));
    api.settle();
    api.calls()
        .link_send(link, {.channel = trollius_os::LinkChannel::Datalink,
                          .header = raw,
                          .body = body,
                          .wire_bytes = static_cast<std::uint32_t>(56 + body.size()),
                          .messages = 2})
        .get();
}

void Traffic::be_hostile(Api& api, std::uint64_t seed) {
    Dice dice(seed);
    std::vector<std::byte> room(10'000);
    while (sent_ < wanted_) {
        if (api.node() != bench_.box.host_id() && dice.one_in(5)) {
            one_packet(api, dice);
        } else {
            one_message(api, dice);
        }
        if (dice.one_in(4)) {  // what has come, for any of its events
            Message answer{.event = dice.one_in(4) ? EventNo(77) : api.process().reply_event(), .body = room};
            api.ntry_recv(answer);
        }
        api.compute(SimTime::us(dice.up_to(2000)));
    }
}

void Traffic::begin(std::uint16_t node) {
    const auto seed = vocabulary::split_mix(seed_, ++begun_);
    bench_.box.kernel(NodeId(node)).create({"hostile", trollius_os::Priority::Low, 0, 1024, [this, seed](Api& api) {
                                                be_hostile(api, seed);
                                            }});
}

// A process that has sent to nobody blocks for ever. Another takes its place.
void Traffic::begin_again(std::uint16_t node) {
    auto& kernel = bench_.box.kernel(NodeId(node));
    std::vector<vocabulary::ProcessId> stuck, waits;
    for (const auto& process : kernel.processes()) {
        if (process->name() != "hostile" || process->state() != trollius_os::ProcessState::BlockedSending) continue;
        const bool again = std::find(blocked_.begin(), blocked_.end(), process->pid()) != blocked_.end();
        (again ? stuck : waits).push_back(process->pid());
    }
    for (const auto pid : stuck) {
        kernel.doom(*kernel.find(pid));
        begin(node);
    }
    blocked_.insert(blocked_.end(), waits.begin(), waits.end());
}

void Traffic::ask_node(Api& api, NodeId node) {
    const std::string at = " of n" + std::to_string(node.value());
    const auto ask = [&](const char* service, auto question) {
        asking_ = service + at;
        if (!question()) wrong_.push_back(asking_ + " gives no sense");
    };
    const bool is_host = node == bench_.box.host_id();
    ask("bufferd", [&] { return trollius_os::buffer_state(api, node).space > 0; });
    ask("echod", [&] { return trollius_os::echo(api, node, 100) > SimTime(); });
    ask("kenyad", [&] { return trollius_os::state(api, node).size() > 5; });
    ask("kenyad", [&] { return trollius_os::doom(api, node, vocabulary::ProcessId(3)) == trollius_os::Doomed::NoProcess; });
    ask("castd", [&] { return trollius_os::cast_state(api, node).size() < 1000; });
    ask("traced", [&] { return trollius_os::rtrwipe(api, node).error == 0; });
    if (is_host) return;
    ask("mallocd", [&] { return trollius_os::memory_regions(api, node).size() > 2; });
    ask("flatd and loadd", [&] {
        const auto made = trollius_os::loadgo(api, node, bench_.box.host_id(), "check");
        if (!made) asking_ += " (error " + std::to_string(static_cast<int>(made.error)) + ")";
        return made || made.error == trollius_os::CreateError::NoMemory || made.error == trollius_os::CreateError::TableFull;
    });
    ask("router", [&] { return trollius_os::rrsetsmart(api, node, true) == 0; });
}

void Traffic::ask_all(Api& api) {
    // Forged callers: what was for a process of another node with the same id lies here.
    for (bool more = true; more;) {
        Message stray{.event = api.process().reply_event()};
        more = api.ntry_recv(stray) == trollius_os::Outcome::Done;
    }
    for (std::uint16_t node = 0; node < 4; ++node) ask_node(api, NodeId(node));
    asking_ = "router of the host";
    if (trollius_os::getrent(api, NodeId(2)).error != 0) wrong_.push_back("the host's router has no way to n2");
    asking_ = "filed";
    std::string now;
    if (trollius_os::rfgetwd(api, now) < 0) wrong_.push_back("filed has no directory");
    asking_ = "castd of the host";
    const std::array nodes = {NodeId(0), NodeId(2)};
    const auto made = trollius_os::rcast(api, nodes);
    if (made.error == 0 && trollius_os::rcask(api, made.cast).nodes.size() != 2) wrong_.push_back("castd has lost a cast");
    asking_ = "";
}

// Processes blocked in a send, or at a link, when something is wrong.
void Traffic::tell_who_waits() {
    for (std::uint16_t node = 0; node < 4; ++node) {
        for (const auto& process : bench_.box.kernel(NodeId(node)).processes()) {
            const bool rests = process->state() == trollius_os::ProcessState::BlockedReceiving ||
                               process->state() == trollius_os::ProcessState::Ended;
            const auto& [to, event] = process->last_sent();
            if (!rests)
                wrong_.push_back("n" + std::to_string(node) + " " + process->name() + ": " + state_text(process->status()) +
                                 ", its last message to event " + std::to_string(event.value()) + " of n" +
                                 std::to_string(to.value()));
        }
    }
}

std::vector<std::string> Traffic::run(int messages) {
    wanted_ = messages;
    for (std::uint16_t node = 0; node < 8; ++node) begin(node % 4);
    const auto on_host = [&](const char* name, std::function<void(Api&)> code) {
        bench_.box.host().create({name, trollius_os::Priority::Low, 0, 1024, std::move(code)});
    };
    // Answers for nobody fill the pools, as on the real machine, and then the messages at the end of a link plug it.
    for (std::uint16_t node = 0; mood_ == Mood::Mild && node < 4; ++node) {
        bench_.box.kernel(NodeId(node)).create({"room", trollius_os::Priority::Low, 0, 1024, [](Api& api) {
                                                    trollius_os::set_buffer_space(api, api.node(), 3'000'000, 2'000'000);
                                                }});
    }
    for (int round = 0; sent_ < wanted_ && round < messages; ++round) {
        bench_.run_for(SimTime::ms(100));
        for (std::uint16_t node = 0; node < 4; ++node) begin_again(node);
    }
    bench_.run_for(SimTime::s(5));
    bool asked = false;
    on_host("asks", [&](Api& api) {
        ask_all(api);
        asked = true;
    });
    bench_.run_for(SimTime::s(60));
    if (mood_ == Mood::Wild) wrong_.clear();  // a wild message may stop a service
    if (mood_ == Mood::Mild && !asked) wrong_.push_back(asking_ + " does not answer");
    if (!wrong_.empty()) tell_who_waits();
    if (bench_.tree("outside") != outside_) wrong_.push_back("a file outside of the allowed folder has changed");
    return wrong_;
}

std::uint64_t Traffic::dropped() {
    std::uint64_t sum = 0;
    for (std::uint16_t node = 0; node < 4; ++node) sum += bench_.box.kernel(NodeId(node)).dropped_damaged();
    return sum;
}

}  // namespace hostile
