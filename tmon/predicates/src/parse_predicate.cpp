#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <tmon_predicates/predicate.hpp>
#include <trace_record/event_names.hpp>
#include <vocabulary/nearest_name.hpp>
#include <vocabulary/source_position.hpp>

namespace tmon_predicates {
namespace {

using trace_record::EventKind;

constexpr std::size_t most_characters = 4096;

struct FieldName {
    const char* name;
    Field field;
};

using Fields = std::vector<FieldName>;

// The fields that a kind has, in the order of the page.
Fields fields_of(EventKind kind) {
    constexpr FieldName seq{"seq", Field::Seq}, peer{"peer", Field::Peer}, bytes{"bytes", Field::Bytes};
    constexpr FieldName event{"event", Field::Event}, process{"process", Field::Process}, number{"number", Field::Number};
    switch (kind) {
        case EventKind::Send:
        case EventKind::Receive:
            return {{"task", Field::Task}, {"subtask", Field::SubTask}, {"result", Field::Result}, peer, bytes, seq};
        case EventKind::MessageSend:
        case EventKind::MessageReceive:
            return {event, process, peer, bytes, seq};
        case EventKind::SendCall:
            return {event, process, peer, number, seq};
        case EventKind::ReceiveCall:
            return {event, process, seq};
        case EventKind::ProcessStart:
        case EventKind::ProcessEnd:
            return {{"name", Field::Name}, process, seq};
        case EventKind::User:
            return {number, {"value", Field::Value}, seq};
        case EventKind::Synchronise:
            return {number, seq};
        default:
            return {seq};
    }
}

constexpr std::array<EventKind, 11> kinds = {EventKind::Send,         EventKind::Receive,     EventKind::SendCall,
                                             EventKind::MessageSend,  EventKind::ReceiveCall, EventKind::MessageReceive,
                                             EventKind::ProcessStart, EventKind::ProcessEnd,  EventKind::NodeUsage,
                                             EventKind::Synchronise,  EventKind::User};

std::optional<EventKind> kind_named(std::string_view word) {
    for (const EventKind kind : kinds) {
        if (word == trace_record::kind_name(kind)) return kind;
    }
    return std::nullopt;
}

std::string list_of(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
        text += words[i];
    }
    return text;
}

// A piece of the text: a word or number, a sign, or its end.
struct Token {
    std::string_view text;
    std::size_t at = 0;  // from 0
};

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

class Parser {
public:
    Parser(const std::string& text, std::uint16_t nodes, const std::string& where)
        : text_(text), nodes_(nodes), where_(where) {}

    Predicate parse() {
        if (text_.size() > most_characters)
            throw vocabulary::InputError(
                {where_, 1, 0}, fmt::format("has {} characters, and at most {} are read", text_.size(), most_characters));
        advance();
        Predicate made = predicate();
        made.text = text_;
        if (!token_.text.empty()) {
            std::vector<std::string> allowed{"the end"};
            if (made.what == Predicate::What::Linked) allowed.insert(allowed.begin(), "'->'");
            fail("expected " + list_of(allowed));
        }
        return made;
    }

private:
    [[noreturn]] void fail_at(std::size_t at, const std::string& message) const {
        throw vocabulary::InputError({where_, 1, static_cast<int>(at) + 1}, message);
    }
    [[noreturn]] void fail(const std::string& expected) const {
        fail_at(token_.at, token_.text.empty() ? fmt::format("{}, and the text ends here", expected)
                                               : fmt::format("{}, found '{}'", expected, token_.text));
    }

    void advance() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
        const std::size_t begin = at_;
        const std::string_view rest = std::string_view(text_).substr(at_);
        if (rest.empty()) {
            token_ = {rest, begin};
            return;
        }
        if (is_word(rest.front())) {
            // A name may have a hyphen inside, but "->" is a sign.
            const auto in_word = [&](std::size_t i) {
                return is_word(text_[i]) || (text_[i] == '-' && i + 1 < text_.size() && is_word(text_[i + 1]));
            };
            while (at_ < text_.size() && in_word(at_)) ++at_;
        } else {
            const std::string_view two = rest.substr(0, 2);
            at_ += two == "->" || two == ">=" || two == "<=" || two == "!=" ? 2 : 1;
            if (rest.front() == '-' && rest.size() > 1 && rest[1] >= '0' && rest[1] <= '9') {  // a negative number
                while (at_ < text_.size() && is_word(text_[at_])) ++at_;
            }
        }
        token_ = {std::string_view(text_).substr(begin, at_ - begin), begin};
    }
    bool take(std::string_view sign) {
        if (token_.text != sign) return false;
        advance();
        return true;
    }
    void need(std::string_view sign) {
        if (!take(sign)) fail(fmt::format("expected '{}'", sign));
    }

    Predicate predicate() {
        const Token first = token_;
        Predicate made;
        if (take("possibly") || take("definitely")) {
            made.what = first.text == "possibly" ? Predicate::What::Possibly : Predicate::What::Definitely;
            conjunction(made);
        } else if (take("count")) {
            made.what = Predicate::What::Count;
            made.events.push_back(counted());
            made.least = at_least();
        } else if (take("in_flight")) {
            made.what = Predicate::What::InFlight;
            need("(");
            made.from = node();
            need(",");
            made.to = node();
            made.messages = messages();
            made.least = at_least();
        } else if (take("unread")) {
            made.what = Predicate::What::Unread;
            need("(");
            made.to = node();
            made.messages = messages();
            made.least = at_least();
        } else {
            made.events.push_back(event({"possibly", "definitely", "count", "in_flight", "unread"}));
            while (take("->")) made.events.push_back(event({}));
        }
        return made;
    }

    void conjunction(Predicate& made) {
        need("(");
        do made.locals.push_back(local());
        while (take("and"));
        if (!take(")")) fail("expected 'and' or ')'");
    }

    Local local() {
        Local made;
        const std::size_t at = token_.at;
        if (take("count")) {
            made.what = Local::What::Count;
            made.event = counted();
            made.least = at_least();
        } else if (take("between")) {
            made.what = Local::What::Between;
            need("(");
            made.event = event({});
            need(",");
            made.until = event({});
            need(")");
            if (made.until.node != made.event.node)
                fail_at(at, "both events of 'between' name the same node, as between(receive(n3, task=49), send(n3, task=49))");
        } else {
            made.event = event({"count", "between"});
        }
        if (!made.event.node) fail_at(at, "a state of a node names the node, as receive(n3, task=49)");
        return made;
    }

    EventPattern counted() {
        need("(");
        EventPattern made = event({});
        need(")");
        return made;
    }
    std::uint64_t at_least() {
        if (!take(">=")) fail("expected '>=' and a number");
        const Token number = token_;
        const std::int64_t value = whole(0, "a number");
        if (value < 1) fail_at(number.at, "expected a number from 1 on, since 0 is true of every state");
        return static_cast<std::uint64_t>(value);
    }
    Messages messages() {
        const bool given = take(",");
        if (given && !take("messages")) fail("expected 'messages', for those of programs");
        need(")");
        return given ? Messages::Kernel : Messages::Tasks;
    }

    std::uint16_t node() {
        const Token word = token_;
        std::uint32_t number = 0;
        const char* const end = word.text.data() + word.text.size();
        const bool named = word.text.size() > 1 && word.text.front() == 'n';
        if (!named || std::from_chars(word.text.data() + 1, end, number) != std::from_chars_result{end, std::errc()})
            fail("expected a node, as n3");
        if (number >= nodes_) fail_at(word.at, fmt::format("there is no node {}; the last one is n{}", word.text, nodes_ - 1));
        advance();
        return static_cast<std::uint16_t>(number);
    }

    // A whole number; base 16 for sub-tasks. Also -5.
    std::int64_t whole(int base, const char* what) {
        std::string_view digits = token_.text;
        if (base == 0) {
            base = 10;
            if (digits.starts_with("0x")) {
                digits.remove_prefix(2);
                base = 16;
            }
        }
        std::int64_t value = 0;
        const char* const end = digits.data() + digits.size();
        if (digits.empty() || std::from_chars(digits.data(), end, value, base) != std::from_chars_result{end, std::errc()})
            fail(fmt::format("expected {}", what));
        advance();
        return value;
    }

    // `others`: words that may stand here as well.
    EventPattern event(std::vector<std::string> others) {
        EventPattern made;
        const auto kind = kind_named(token_.text);
        if (!kind) {
            for (const EventKind one : kinds) others.emplace_back(trace_record::kind_name(one));
            const std::string hint = vocabulary::did_you_mean(token_.text, others);
            fail("expected " + list_of(others) + (token_.text.empty() || hint.empty() ? "" : " (" + hint.substr(2) + ")"));
        }
        made.kind = *kind;
        advance();
        if (!take("(")) return made;
        const bool has_node =
            token_.text.size() > 1 && token_.text.front() == 'n' && token_.text[1] >= '0' && token_.text[1] <= '9';
        if (has_node) made.node = node();
        if (!has_node || take(",")) {
            do made.conditions.push_back(condition(made.kind));
            while (take(","));
        }
        if (!take(")")) fail("expected ',' or ')'");
        return made;
    }

    FieldCondition condition(EventKind kind) {
        FieldCondition made;
        const Fields fields = fields_of(kind);
        const auto found =
            std::find_if(fields.begin(), fields.end(), [this](const FieldName& one) { return token_.text == one.name; });
        if (found == fields.end()) {
            std::vector<std::string> names;
            for (const FieldName& one : fields) names.emplace_back(one.name);
            const std::string hint = vocabulary::did_you_mean(token_.text, names);
            fail(fmt::format("expected a node, or a field of '{}': {}{}", trace_record::kind_name(kind), list_of(names),
                             token_.text.empty() || hint.empty() ? "" : " (" + hint.substr(2) + ")"));
        }
        made.field = found->field;
        advance();
        made.comparison = comparison(made.field);
        value(made);
        return made;
    }

    Comparison comparison(Field field) {
        static constexpr std::array<std::pair<const char*, Comparison>, 6> all = {{{"=", Comparison::Equal},
                                                                                   {"!=", Comparison::Unequal},
                                                                                   {"<", Comparison::Less},
                                                                                   {"<=", Comparison::LessOrEqual},
                                                                                   {">", Comparison::Greater},
                                                                                   {">=", Comparison::GreaterOrEqual}}};
        const bool ordered = field != Field::Name && field != Field::Result && field != Field::Peer;
        for (const auto& [sign, comparison] : all) {
            if (!ordered && comparison > Comparison::Unequal) break;
            if (take(sign)) return comparison;
        }
        fail(ordered ? "expected =, !=, <, <=, > or >=" : "expected = or !=");
    }

    void value(FieldCondition& made) {
        switch (made.field) {
            case Field::Result:
                made.value = token_.text == "yes" ? 1 : 0;
                if (!take("yes") && !take("no")) fail("expected yes or no");
                return;
            case Field::Name:
                if (token_.text.empty() || !is_word(token_.text.front()))
                    fail("expected the name of a process, as its records have it");
                made.name = std::string(token_.text.substr(0, 12));
                return advance();
            case Field::Peer:
                made.value = node();
                return;
            case Field::SubTask:
                made.value = whole(16, "a sub-task, as 0010");
                return;
            default:
                made.value = whole(0, "a number");
        }
    }

    const std::string& text_;
    const std::uint16_t nodes_;
    const std::string& where_;
    std::size_t at_ = 0;
    Token token_;
};

}  // namespace

Predicate parse_predicate(const std::string& text, std::uint16_t nodes, const std::string& where) {
    return Parser(text, nodes, where).parse();
}

}  // namespace tmon_predicates
