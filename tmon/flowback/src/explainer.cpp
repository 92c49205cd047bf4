#include "explainer.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "senders.hpp"

namespace tmon_flowback {

void weaken(Node& node, Certainty certainty) {
    node.certainty = std::max(node.certainty, certainty);
}

namespace {

std::string with_value(const std::string& name, const std::string& value) {
    return value.empty() ? name : name + " = " + value;
}

}  // namespace

void Explainer::put_event(Node& node, const EventId& event) const {
    const Emulation& emulation = run_.emulation(event.process, event.interval);
    const Site& site = run_.program().site(emulation.events()[event.event].site);
    node.id = run_.text_of(event);
    if (site.line == 0) return;  // of the compiler, or of a parameter
    node.place = run_.program().place(site);
    node.text = run_.program().text_of(site.file, site.line);
}

Node Explainer::of_place(const EventId& before, const Meant& place, std::optional<Bytes> value, unsigned depth) {
    Node node;
    if (!value) value = bytes_before(run_, before, place.address, place.bytes);
    const std::string shown = !value            ? "?"
                              : place.type != 0 ? value_text(run_.program(), *value, place.type)
                                                : value_text(*value, ValueKind::Whole);
    node.title = with_value(place.name, shown);
    const std::vector<Origin> all = origins_.of(before, place.address, place.bytes);
    constexpr std::size_t most_parts = 16;
    if (all.size() == 1) {
        put_origin(node, all.front(), place, value, depth);
        return node;
    }
    for (std::size_t i = 0; i < all.size() && i < most_parts; ++i) {
        const Origin& part = all[i];
        const Named named = part_of(run_.program(), place.type, part.address - place.address, part.bytes);
        Meant meant{place.name + named.name, part.address, part.bytes, named.bytes == part.bytes ? named.type : 0};
        if (named.bytes != part.bytes)
            meant.name = fmt::format("bytes {} to {} of {}", part.address - place.address,
                                     part.address - place.address + part.bytes - 1, place.name);
        std::optional<Bytes> its;
        if (value) {
            const auto from = value->begin() + static_cast<std::ptrdiff_t>(part.address - place.address);
            its.emplace(from, from + static_cast<std::ptrdiff_t>(part.bytes));
        }
        Node child;
        child.title = with_value(meant.name, !its              ? "?"
                                             : meant.type != 0 ? value_text(run_.program(), *its, meant.type)
                                                               : value_text(*its, ValueKind::Bytes));
        put_origin(child, part, meant, its, depth);
        weaken(node, child.certainty);
        node.children.push_back(std::move(child));
    }
    if (all.size() > most_parts) node.notes.push_back(fmt::format("and {} other parts", all.size() - most_parts));
    return node;
}

// The node gets what its origin tells. Bytes that differ from those that the origin wrote are never explained by it.
void Explainer::put_origin(Node& node, const Origin& origin, const Meant& place, const std::optional<Bytes>& value,
                           unsigned depth) {
    for (const std::string& doubt : origin.doubts) node.notes.push_back("not certain: " + doubt);
    if (!origin.doubts.empty()) weaken(node, Certainty::Likely);
    if (!value && origin.act == nothing) weaken(node, Certainty::Unknown);
    if (origin.event) put_event(node, *origin.event);
    switch (origin.kind) {
        case Origin::Kind::Unknown:
            weaken(node, Certainty::Unknown);
            node.notes.push_back("unknown: " + origin.why);
            return;
        case Origin::Kind::Unset:
            node.notes.push_back("never set: the variable begins here");
            return;
        case Origin::Kind::Allocated:
            node.notes.push_back("never set: the memory was allocated here");
            return;
        case Origin::Kind::Initial:
            put_initial(node, origin, value);
            return;
        case Origin::Kind::Received:
            origin.act != nothing ? put_moved(node, origin, place, value, depth) : put_received(node, origin, value, depth);
            return;
        case Origin::Kind::Event:
            if (origin.act != nothing) return put_moved(node, origin, place, value, depth);
            break;
    }
    const auto written = bytes_written(run_, *origin.event, origin.address, origin.bytes);
    if (value && written && *written != *value) {
        weaken(node, Certainty::Unknown);
        node.notes.push_back(
            "unknown: this statement is the last in the logs that wrote it, with another value (" +
            (place.type != 0 ? value_text(run_.program(), *written, place.type) : value_text(*written, ValueKind::Whole)) +
            "); something changed it that no log has");
        return;
    }
    if (run_.site(*origin.event).kind == SiteKind::Copy) {
        add_source_of_copy(node, *origin.event, {place.name, origin.address, origin.bytes, place.type}, depth);
        return;
    }
    if (depth > 1) add_dependences(node, *origin.event, depth - 1);
}

// A copy is passed through: its source has the same bytes.
void Explainer::add_source_of_copy(Node& node, const EventId& copy, const Meant& place, unsigned depth) {
    if (hops_ >= most_hops) {
        node.notes.emplace_back("and so on; ask for this event to go on");
        return;
    }
    ++hops_;
    const Event& event = run_.event(copy);
    const std::uint64_t from = event.value + (place.address - event.address);
    const Named named = name_of(run_, copy, from, place.bytes);
    const int type = named.type != 0 && named.bytes == place.bytes ? named.type : place.type;
    Node source = of_place(copy, {named.name, from, place.bytes, type}, bytes_written(run_, copy, place.address, place.bytes),
                           depth > 1 ? depth - 1 : 1);
    --hops_;
    source.role = "copied from";
    node.children.push_back(std::move(source));
}

void Explainer::put_initial(Node& node, const Origin& origin, const std::optional<Bytes>& value) {
    const Global& global = run_.program().globals()[origin.global];
    node.place = run_.program().file_name(global.file) + ":" + std::to_string(global.line);
    node.text = run_.program().text_of(global.file, global.line);
    if (global.constant) {
        node.notes.emplace_back("a constant of the program");
        return;
    }
    const auto initial =
        initial_bytes(run_.process(origin.process), run_.program(), origin.global, origin.address, origin.bytes);
    if (value && initial && *initial != *value) {
        weaken(node, Certainty::Unknown);
        node.notes.emplace_back("unknown: nothing in the logs wrote it, and it is not the program's initial value either");
        return;
    }
    if (!initial) weaken(node, Certainty::Likely);
    node.notes.push_back(fmt::format("never written in {} before; this is the program's initial value", line_of(origin)));
    add_copies_elsewhere(node, origin);
}

// The process that was asked about, and the one whose memory it began with.
std::string Explainer::line_of(const Origin& origin) const {
    const std::string& name = run_.process(origin.asked).name();
    const std::string& other = run_.process(origin.process).name();
    return name == other ? name : name + ", or in " + other + " whose memory it began with,";
}

// Each process has globals of its own: a write of another process that was meant for this one is worth a note.
void Explainer::add_copies_elsewhere(Node& node, const Origin& origin) {
    for (std::uint32_t process = 0; process < run_.processes().size(); ++process) {
        if (process == origin.process || process == origin.asked) continue;
        const auto& intervals = run_.process(process).intervals();
        const bool wrote = std::any_of(intervals.begin(), intervals.end(), [&](const Interval& each) {
            return each.how != Interval::End::Left ||
                   std::any_of(each.wrote.begin(), each.wrote.end(), [&](const flowback_log::Range& range) {
                       return range.first < origin.address + origin.bytes && origin.address < range.first + range.second;
                   });
        });
        if (!wrote) continue;
        for (const Origin& other : origins_.at_end(process, origin.address, origin.bytes)) {
            if (other.kind != Origin::Kind::Event || other.process != process) continue;
            Node copy;
            put_event(copy, *other.event);
            const auto value = bytes_written(run_, *other.event, other.address, other.bytes);
            const Named named = name_of(run_, *other.event, other.address, other.bytes);
            copy.role = "another process";
            copy.title = with_value(named.name, value ? value_text(run_.program(), *value, named.type) : "?");
            copy.notes.push_back(run_.process(process).name() + " wrote its own copy; processes share no globals");
            node.children.push_back(std::move(copy));
        }
    }
}

// True when the sender's bytes, as far as both are known, are those received.
bool Explainer::sends_same(const EventId& call, const LoggedMessage& sent, const Origin& origin, const Bytes& value) {
    const auto there = bytes_before(run_, call, sent.place.first + origin.message_offset, origin.bytes);
    return there && *there == value;
}

void Explainer::put_received(Node& node, const Origin& origin, const std::optional<Bytes>& value, unsigned depth) {
    if (is_command(run_, origin)) {
        node.notes.emplace_back("given with the command that started the program");
        return;
    }
    const Senders senders = senders_of(run_, origin);
    node.notes.push_back(fmt::format("came with {}, bytes {} to {} of {}", senders.what, origin.message_offset,
                                     origin.message_offset + origin.bytes - 1, message_bytes(run_, origin)));
    struct Sent {
        EventId call;
        std::uint32_t process;
        const LoggedMessage* message;
    };
    std::vector<Sent> all, same;
    for (const Sender& each : senders.candidates) {
        const LoggedMessage& message = run_.process(each.process).messages()[each.message];
        for (const EventId& call : send_calls(run_, each)) {
            all.push_back({call, each.process, &message});
            if (value && sends_same(all.back().call, message, origin, *value)) same.push_back(all.back());
        }
    }
    const bool lost = run_.has_losses();
    if (all.empty()) {
        weaken(node, Certainty::Unknown);
        node.notes.push_back(lost ? "unknown: its sender is not in the logs, and some are damaged"
                                  : "unknown: no prepared code sent it");
        return;
    }
    const bool one = senders.candidates.size() == 1 && all.size() == 1 && !lost;
    if (!one && same.size() > 1) {
        weaken(node, Certainty::Unknown);
        node.notes.push_back(fmt::format("unknown: {} calls sent the same bytes for it", same.size()));
        return;
    }
    if (!one) weaken(node, Certainty::Likely);
    const Sent& from = same.empty() ? all.front() : same.front();
    if (!one && same.empty()) {
        weaken(node, Certainty::Unknown);
        node.notes.push_back("unknown: no call that may have sent it sent these bytes");
        return;
    }
    if (hops_ >= most_hops) {
        node.notes.emplace_back("and so on; ask for this event to go on");
        return;
    }
    ++hops_;
    const std::uint64_t address = from.message->place.first + origin.message_offset;
    const Named named = name_of(run_, from.call, address, origin.bytes);
    Node sender = of_place(from.call, {named.name, address, origin.bytes, named.bytes == origin.bytes ? named.type : 0},
                           std::nullopt, depth > 1 ? depth - 1 : 1);
    --hops_;
    sender.role = "sent by " + run_.process(from.process).name();
    if (same.empty() && value && bytes_before(run_, from.call, address, origin.bytes))
        node.notes.emplace_back("the bytes sent are others than those received: they changed on the way");
    if (!one) sender.notes.emplace_back("not certain: the task's number and the bytes fit; its digits do not decide");
    node.children.push_back(std::move(sender));
}

}  // namespace tmon_flowback
