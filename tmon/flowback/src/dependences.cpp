// The events that an event depends on: operands, parameters, results of calls, and the decision that led there.
#include <algorithm>

#include <fmt/format.h>

#include "explainer.hpp"

namespace tmon_flowback {

// The latest execution of a site in the event's frame. A value of the code is always from its latest execution there.
std::optional<EventId> Explainer::latest(const EventId& before, std::uint32_t site) const {
    const auto& events = run_.emulation(before.process, before.interval).events();
    const std::uint32_t frame = events[before.event].frame;
    for (std::uint32_t i = before.event; i-- > 0;) {
        if (events[i].site == site && events[i].frame == frame) return EventId{before.process, before.interval, i};
    }
    return std::nullopt;
}

Node Explainer::of_event(const EventId& event, unsigned depth) {
    const Emulation& emulation = run_.emulation(event.process, event.interval);
    const Event& its = emulation.events()[event.event];
    const Site& site = run_.program().site(its.site);
    if (site.kind == SiteKind::Load) return of_load(event, depth);
    if (site.kind == SiteKind::Call) return of_call(event, depth);
    Node node;
    put_event(node, event);
    if (site.kind == SiteKind::Store) {
        const Named named = name_of(run_, event, its.address, its.bytes);
        const auto content = emulation.content(its);
        node.title = named.name + " = " +
                     (named.type != 0 ? value_text(run_.program(), content, named.type) : value_text(content, site.value));
    } else if (site.kind == SiteKind::Branch) {
        node.title = !site.two_ways   ? fmt::format("chose {}", static_cast<std::int64_t>(its.value))
                     : its.value != 0 ? "was true"
                                      : "was false";
    } else if (site.kind == SiteKind::Return) {
        node.title = "returned " + value_text(emulation.content(its), site.value);
    }
    add_dependences(node, event, depth);
    return node;
}

void Explainer::add_dependences(Node& node, const EventId& event, unsigned depth) {
    if (depth == 0) return;
    unsigned& before = shown_[event];
    if (before >= depth) {
        if (!run_.site(event).operands.empty()) node.notes.emplace_back("its dependences stand elsewhere in this answer");
        return;
    }
    before = depth;
    const Site& site = run_.site(event);
    std::set<std::string> shown;
    for (const int wanted : {Operand::value, Operand::address, Operand::argument}) {
        for (const Operand& operand : site.operands) {
            if (std::min(operand.role, Operand::argument) != wanted) continue;
            auto child = of_operand(event, operand, depth);
            if (!child) continue;
            if (operand.role == Operand::address) child->role = "which one";
            if (operand.role >= Operand::argument)
                child->role = fmt::format("argument {}", operand.role - Operand::argument + 1);
            if (shown.insert(child->title + child->id).second) node.children.push_back(std::move(*child));
        }
    }
    if (auto decision = of_decision(event, depth)) node.children.push_back(std::move(*decision));
}

std::optional<Node> Explainer::of_operand(const EventId& event, const Operand& operand, unsigned depth) {
    if (operand.site == 0) return of_parameter(event, operand.parameter, depth);
    const auto its = latest(event, operand.site);
    if (!its) return std::nullopt;
    return of_event(*its, depth);
}

Node Explainer::of_load(const EventId& load, unsigned depth) {
    const Emulation& emulation = run_.emulation(load.process, load.interval);
    const Event& event = emulation.events()[load.event];
    const auto content = emulation.content(event);
    const Named named = name_of(run_, load, event.address, event.bytes);
    const std::vector<std::byte> value(content.begin(), content.end());
    Node node =
        of_place(load, {named.name, event.address, event.bytes, named.bytes == event.bytes ? named.type : 0}, value, depth);
    if (node.id.empty()) node.id = run_.text_of(load);
    if (depth <= 1) return node;
    for (const Operand& operand : run_.program().site(event.site).operands) {  // an index, or a pointer
        auto child = of_operand(load, operand, depth - 1);
        if (!child) continue;
        child->role = "which one";
        node.children.push_back(std::move(*child));
    }
    return node;
}

// A result: of a leaf, its return; of a prepared function, that of its interval; of others, the log's word for it.
Node Explainer::of_call(const EventId& call, unsigned depth) {
    const Emulation& emulation = run_.emulation(call.process, call.interval);
    const Event& event = emulation.events()[call.event];
    const Site& site = run_.program().site(event.site);
    Node node;
    put_event(node, call);
    const std::string name = site.callee.empty() ? "the function called" : run_.shown(site.callee);
    const auto returned_by = [&](std::uint32_t interval) -> std::optional<EventId> {
        const Emulation& its = interval == call.interval ? emulation : run_.emulation(call.process, interval);
        for (const Frame& frame : its.frames()) {
            const bool wanted = interval == call.interval ? frame.call == call.event : frame.call == nothing;
            if (wanted && frame.returned != nothing) return EventId{call.process, interval, frame.returned};
        }
        return std::nullopt;
    };
    std::optional<EventId> inside;
    if (site.effect == inherited_call) inside = returned_by(call.interval);
    if (const std::uint32_t nested = run_.interval_of(call); nested != nothing) inside = returned_by(nested);
    if (inside) {
        const Emulation& its = run_.emulation(inside->process, inside->interval);
        const Event& end = its.events()[inside->event];
        node.title = fmt::format("{}() = {}", name, value_text(its.content(end), run_.program().site(end.site).value));
        if (depth > 1) {
            Node result = of_event(*inside, depth - 1);
            result.role = "in it";
            node.children.push_back(std::move(result));
        }
        for (const Operand& operand : site.operands) {  // a pointer decided which function it is
            if (operand.role >= Operand::argument || depth <= 1) continue;
            auto pointer = of_operand(call, operand, depth - 1);
            if (!pointer) continue;
            pointer->role = "which one";
            node.children.push_back(std::move(*pointer));
        }
        return node;
    }
    const std::vector<std::byte> value(
        reinterpret_cast<const std::byte*>(&event.value),
        reinterpret_cast<const std::byte*>(&event.value) + std::min<std::uint64_t>(event.bytes, 8));
    node.title = fmt::format("{}() = {}", name, value_text(value, site.value));
    if (event.extra != nothing && !emulation.call(event).nested.empty())
        node.notes.emplace_back("it called functions of the program");
    if (depth > 1) add_dependences(node, call, depth - 1);
    return node;
}

Node Explainer::of_parameter(const EventId& event, int parameter, unsigned depth) {
    const Emulation& emulation = run_.emulation(event.process, event.interval);
    const Frame& frame = emulation.frames()[emulation.events()[event.event].frame];
    Node node;
    node.title = fmt::format("parameter {} of {}()", parameter + 1, run_.program().function(frame.function).name);
    const auto call = run_.call_of_frame(event);
    const ProcessLog& log = run_.process(event.process);
    const bool has_caller = log.intervals()[event.interval].parent != nothing;
    if (!call && has_caller) {
        weaken(node, Certainty::Unknown);
        node.notes.emplace_back("unknown: its caller cannot be run again up to the call");
        return node;
    }
    if (call && run_.site(*call).effect != inherited_call && run_.interval_of(*call) == nothing) {
        put_event(node, *call);
        node.notes.emplace_back("a function that is not prepared gave it");
        return node;
    }
    if (!call) {
        node.notes.push_back(log.roots().empty() ? "the runtime gave it"
                                                 : fmt::format("the runtime gave it, with task {}",
                                                               log.roots()[log.intervals()[event.interval].root].task));
        return node;
    }
    put_event(node, *call);
    for (const Operand& operand : run_.site(*call).operands) {
        if (operand.role != Operand::argument + parameter || depth <= 1) continue;
        if (auto child = of_operand(*call, operand, depth - 1)) node.children.push_back(std::move(*child));
    }
    return node;
}

// `a && b` and `c ? d : e` put their value into a variable of the compiler. Where a is false, its value is set right before the
// branch that a decides.
std::optional<EventId> Explainer::branch_behind(const EventId& event) const {
    const Emulation& emulation = run_.emulation(event.process, event.interval);
    const Event& store = emulation.events()[event.event];
    const Site& site = run_.program().site(store.site);
    if (site.kind != SiteKind::Store || !site.operands.empty()) return std::nullopt;
    const Named named = name_of(run_, event, store.address, store.bytes);
    if (named.name != compilers_variable) return std::nullopt;
    for (std::uint32_t i = event.event + 1; i < emulation.events().size(); ++i) {
        const Event& next = emulation.events()[i];
        if (next.frame != store.frame) continue;
        const Site& its = run_.program().site(next.site);
        if (its.kind == SiteKind::Branch && its.block == site.block) return EventId{event.process, event.interval, i};
        if (its.block != site.block) break;
    }
    return std::nullopt;
}

// The predicate that let the event happen: the latest execution of a branch that decides about its block.
std::optional<Node> Explainer::of_decision(const EventId& event, unsigned depth) {
    // Where nothing in the function decides, its call may hang on a predicate of the caller.
    constexpr unsigned most_callers = 100;
    std::optional<EventId> best, at = event;
    for (unsigned level = 0; at && !best && level < most_callers; ++level) {
        best = decision_about(*at);
        const auto call = run_.call_of_frame(*at);
        const bool prepared = call && (run_.site(*call).effect == inherited_call || run_.interval_of(*call) != nothing);
        at = prepared ? call : std::nullopt;
    }
    if (!best) return std::nullopt;
    Node node = of_event(*best, depth > 1 ? depth - 1 : 0);
    node.role = "because";
    return node;
}

// The latest execution of a branch that decides about the event's block, in its own function.
std::optional<EventId> Explainer::decision_about(const EventId& event) const {
    const Site& site = run_.site(event);
    const FunctionEntry& function = run_.program().function(site.function);
    std::optional<EventId> best = branch_behind(event);
    const auto found = function.deciders.find(site.block);
    if (best || found == function.deciders.end()) return best;
    for (const std::uint32_t branch : found->second) {
        const auto its = latest(event, branch);
        if (its && (!best || its->event > best->event)) best = its;
    }
    return best;
}

}  // namespace tmon_flowback
