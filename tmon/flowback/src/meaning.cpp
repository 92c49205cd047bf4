// Expressions of a question: what they mean at an event, and the value there.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include <tmon_flowback/origins.hpp>
#include <tmon_flowback/question.hpp>
#include <vocabulary/errors.hpp>

namespace tmon_flowback {

using vocabulary::RequestError;

namespace {

// The call at which a value is asked for: what it changes is behind it.
template <class Meets>
bool may_change(RecordedRun& run, const EventId& call, const Meets& meets) {
    const Event& event = run.event(call);
    if (event.extra == nothing) return true;
    const CallDetails& details = run.emulation(call.process, call.interval).call(event);
    if (details.unknown || !details.nested.empty()) return true;
    bool changes = meets(details.fresh.first, details.fresh.second);
    for (const auto& [first, bytes] : details.wrote) changes = changes || meets(first, bytes);
    for (const CallStep& step : details.steps) {
        if (!step.is_act) continue;
        for (const auto& [first, bytes] : run.process(call.process).acts()[step.number].to)
            changes = changes || meets(first, bytes);
    }
    if (details.message == nothing) return changes;
    const LoggedMessage& message = run.process(call.process).messages()[details.message];
    return changes || (message.passed == flowback_log::Passed::Got && meets(message.place.first, message.place.second));
}

}  // namespace

std::optional<std::vector<std::byte>> bytes_before(RecordedRun& run, const EventId& before, std::uint64_t address,
                                                   std::uint64_t bytes) {
    const Emulation& emulation = run.emulation(before.process, before.interval);
    const auto meets = [&](std::uint64_t first, std::uint64_t count) {
        return first < address + bytes && address < first + count;
    };
    // The next read tells, if nothing changes the place before.
    for (std::uint32_t i = before.event; i < emulation.events().size(); ++i) {
        const Event& event = emulation.events()[i];
        const SiteKind kind = run.program().kind(event.site);
        if (kind == SiteKind::Load) {
            if (auto all = bytes_written(run, {before.process, before.interval, i}, address, bytes)) return all;
        } else if (kind == SiteKind::Call && (i != before.event || may_change(run, before, meets))) {
            break;
        } else if (kind == SiteKind::Store || kind == SiteKind::Copy || kind == SiteKind::Fill || kind == SiteKind::Variable) {
            if (meets(event.address, event.bytes)) break;
        }
    }
    std::vector<std::byte> result(bytes);
    for (const Origin& origin : Origins(run).of(before, address, bytes)) {
        if (origin.may_have_changed) return std::nullopt;
        std::optional<std::vector<std::byte>> part;
        if (origin.kind == Origin::Kind::Event) part = bytes_written(run, *origin.event, origin.address, origin.bytes);
        if (origin.kind == Origin::Kind::Initial)
            part = initial_bytes(run.process(before.process), run.program(), origin.global, origin.address, origin.bytes);
        if (!part) return std::nullopt;
        std::copy(part->begin(), part->end(), result.begin() + static_cast<std::ptrdiff_t>(origin.address - address));
    }
    return result;
}

std::optional<std::vector<std::byte>> initial_bytes(const ProcessLog& log, const PreparedProgram& program, std::uint32_t global,
                                                    std::uint64_t address, std::uint64_t bytes) {
    const Global& its = program.globals()[global];
    const std::uint64_t begin = address - log.address_of(global);
    if (!its.known || begin + bytes > its.bytes) return std::nullopt;
    std::vector<std::byte> all(its.bytes);
    if (its.initial.size() == its.bytes) std::memcpy(all.data(), its.initial.data(), its.bytes);
    for (const Global::Relocation& each : its.relocations) {
        const std::uint64_t target = log.address_of(each.target);
        if (each.offset + sizeof target > its.bytes) return std::nullopt;
        const bool asked = each.offset < begin + bytes && begin < each.offset + sizeof target;
        if (target == 0 && asked) return std::nullopt;
        const std::uint64_t value = target + static_cast<std::uint64_t>(each.addend);
        std::memcpy(all.data() + each.offset, &value, sizeof value);
    }
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(begin);
    return std::vector<std::byte>(from, from + static_cast<std::ptrdiff_t>(bytes));
}

namespace {

class Reader {
public:
    Reader(RecordedRun& run, const std::string& text, const EventId& before) : run_(run), text_(text), before_(before) {}

    Meant read() {
        Meant meant = prefixed();
        if (at_ != text_.size()) fail("what follows '" + text_.substr(0, at_) + "' is not understood");
        return meant;
    }

private:
    [[noreturn]] void fail(const std::string& why) const {
        throw RequestError(
            fmt::format("'{}' cannot be followed: {} (variables, .member, ->member, [number] and * are known)", text_, why));
    }
    const Type& type_of(const Meant& meant) const { return run_.program().type(meant.type); }

    Meant prefixed() {
        if (at_ < text_.size() && text_[at_] == '*') {
            ++at_;
            return pointed(prefixed());
        }
        Meant meant = named();
        while (at_ < text_.size()) {
            if (text_[at_] == '.') {
                ++at_;
                meant = member(meant, word());
            } else if (text_.compare(at_, 2, "->") == 0) {
                at_ += 2;
                meant = member(pointed(meant), word());
            } else if (text_[at_] == '[') {
                meant = element(meant);
            } else {
                break;
            }
        }
        return meant;
    }

    std::string word() {
        std::size_t end = at_;
        while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '_')) ++end;
        if (end == at_) fail("a name is missing");
        const std::string result = text_.substr(at_, end - at_);
        at_ = end;
        return result;
    }

    Meant made(std::string name, std::uint64_t address, int type, std::uint64_t bytes = 0) const {
        const std::uint64_t size = run_.program().type(type).bytes;
        constexpr std::uint64_t long_double = 10;  // bytes of 16 that have a value
        if (run_.program().type(type).kind == "float" && size > long_double)
            return {std::move(name), address, long_double, type};
        return {std::move(name), address, size > 0 ? size : bytes, type};
    }

    // As the language looks names up: blocks, outward; the object of a method; classes and namespaces around it. The source
    // follows, and the names of other sources that are not theirs alone.
    Meant named() {
        const std::string name = word();
        const Emulation& emulation = run_.emulation(before_.process, before_.interval);
        const Event& event = emulation.events()[before_.event];
        const std::uint32_t function = emulation.frames()[event.frame].function;
        std::vector<int> scopes;
        for (int scope = run_.program().site(event.site).scope; scope != 0; scope = run_.program().scope_around(scope))
            scopes.push_back(scope);
        for (const int scope : scopes) {
            if (const auto local = local_variable(emulation, event.frame, function, scope, name)) return *local;
            if (const auto global = global_variable(name, [&](const Global& each) { return each.scope == scope; }))
                return *global;
        }
        for (const int scope : scopes) {
            const auto self = name == "this" ? std::nullopt : local_variable(emulation, event.frame, function, scope, "this");
            if (self && has_member(run_.program().type(type_of(*self).base), name)) return member(pointed(*self), name);
        }
        const std::uint32_t source = run_.program().source_of(function);
        if (const auto own =
                global_variable(name, [&](const Global& each) { return each.scope == 0 && each.source == source; }))
            return *own;
        if (const auto other = global_variable(name, [](const Global& each) { return each.scope == 0 && each.outside; }))
            return *other;
        fail(fmt::format("at that line {}() sees no variable {}", run_.program().function(function).name, name));
    }

    bool has_member(const Type& type, const std::string& name) const {
        return std::any_of(type.members.begin(), type.members.end(),
                           [&](const Type::Member& each) { return each.name == name; });
    }

    template <class Fits>
    std::optional<Meant> global_variable(const std::string& name, const Fits& fits) const {
        const auto& globals = run_.program().globals();
        for (std::uint32_t i = 0; i < globals.size(); ++i) {
            if (globals[i].name != name || globals[i].type == 0 || globals[i].bytes == 0 || !fits(globals[i])) continue;
            const std::uint64_t address = run_.process(before_.process).address_of(i);
            if (address == 0) fail("the log does not say where " + name + " lies");
            return made(name, address, globals[i].type, globals[i].bytes);
        }
        return std::nullopt;
    }

    std::optional<Meant> local_variable(const Emulation& emulation, std::uint32_t frame, std::uint32_t function, int scope,
                                        const std::string& name) const {
        for (const LocalVariable& each : run_.program().variables()) {
            if (each.function != function || each.name != name || each.scope != scope) continue;
            for (std::uint32_t i = before_.event; i-- > 0;) {
                const Event& event = emulation.events()[i];
                if (event.site == each.site && event.frame == frame) return made(name, event.address, each.type, event.bytes);
            }
        }
        return std::nullopt;
    }

    Meant pointed(const Meant& pointer) const {
        if (type_of(pointer).kind != "pointer") fail(pointer.name + " is no pointer");
        const auto bytes = bytes_before(run_, before_, pointer.address, 8);
        if (!bytes) fail("the logs do not tell where " + pointer.name + " points to there");
        std::uint64_t address = 0;
        std::memcpy(&address, bytes->data(), sizeof address);
        return made("(*" + pointer.name + ")", address, type_of(pointer).base);
    }

    Meant member(const Meant& object, const std::string& name) const {
        for (const Type::Member& each : type_of(object).members) {
            if (each.name == name) return made(object.name + "." + name, object.address + each.offset, each.type);
        }
        fail(object.name + " has no member " + name);
    }

    Meant element(const Meant& list) {
        const std::size_t close = text_.find(']', at_);
        std::int64_t index = 0;
        if (close == std::string::npos) fail("a ']' is missing");
        const char* end = text_.data() + close;
        const auto [read_to, error] = std::from_chars(text_.data() + at_ + 1, end, index);
        if (error != std::errc() || read_to != end) fail("an index is a whole number");
        at_ = close + 1;
        const bool pointer = type_of(list).kind == "pointer";
        if (!pointer && type_of(list).kind != "array") fail(list.name + " is neither an array nor a pointer");
        const std::uint64_t begin = pointer ? pointed(list).address : list.address;
        const int type = type_of(list).base;
        const auto size = static_cast<std::int64_t>(run_.program().type(type).bytes);
        return made(fmt::format("{}[{}]", list.name, index), begin + static_cast<std::uint64_t>(index * size), type);
    }

    RecordedRun& run_;
    const std::string& text_;
    EventId before_;
    std::size_t at_ = 0;
};

}  // namespace

Meant meaning_of(RecordedRun& run, const std::string& expression, const EventId& before) {
    Meant meant = Reader(run, expression, before).read();
    if (meant.bytes == 0) throw RequestError("'" + expression + "' has no size that is known");
    meant.name = expression;
    return meant;
}

}  // namespace tmon_flowback
