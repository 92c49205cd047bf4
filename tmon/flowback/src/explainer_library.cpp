// Nodes of values that a library gave: received, copied or combined inside a call.
#include <algorithm>

#include <fmt/format.h>

#include "explainer.hpp"

namespace tmon_flowback {

using flowback_log::ActKind;

namespace {

// The library may take the bytes after the call has returned.
bool is_later_send(const std::string& callee) {
    return callee.starts_with("MPI_I") || callee.starts_with("PMPI_I") || callee.find("MPI_Start") != std::string::npos;
}

}  // namespace

void Explainer::put_moved(Node& node, const Origin& origin, const Meant& place, const std::optional<Bytes>& value,
                          unsigned depth) {
    const LoggedAct& its = run_.process(origin.process).acts()[origin.act];
    if (const auto begin = run_.begin_of_act(origin.process, origin.act); begin && *begin != *origin.event) {
        const Site& site = run_.site(*origin.event);
        put_event(node, *begin);
        node.notes.push_back(fmt::format("it happened during {}() at {}", run_.shown(site.callee), run_.program().place(site)));
    }
    if (its.kind == ActKind::Received) {
        const std::uint32_t peer = run_.process_of_rank(its.peer);
        node.notes.push_back(fmt::format("came from rank {}{}, message {} of the pair, bytes {} to {} of {}", its.peer,
                                         peer == nothing ? "" : " on " + run_.process(peer).name(),
                                         its.flow == 0 ? "?" : std::to_string(its.flow), origin.message_offset,
                                         origin.message_offset + origin.bytes - 1, bytes_of(its.to)));
    }
    if (hops_ >= most_hops) {
        node.notes.emplace_back("and so on; ask for this event to go on");
        return;
    }
    const auto sources = DataWay(run_).sources(*origin.event, origin.act, origin.message_offset, origin.bytes);
    const auto combined = static_cast<std::size_t>(
        std::count_if(sources.begin(), sources.end(), [](const DataSource& each) { return each.combined; }));
    if (combined > 0) node.notes.push_back(fmt::format("the library combined {} values", combined));
    ++hops_;
    constexpr std::size_t most_sources = 64;
    for (std::size_t i = 0; i < sources.size() && i < most_sources; ++i) add_source(node, sources[i], value, depth);
    --hops_;
    if (!value) take_value_sent(node, place, sources);
    if (sources.size() > most_sources) node.notes.push_back(fmt::format("and {} others", sources.size() - most_sources));
}

// The program never read what came. The value is that of its source, unless it was changed on the way.
void Explainer::take_value_sent(Node& node, const Meant& place, const std::vector<DataSource>& sources) const {
    const std::string unknown = " = ?";
    const bool one = sources.size() == 1 && sources.front().why.empty() && !sources.front().combined &&
                     sources.front().place.second == place.bytes && !node.children.empty();
    const std::string sent = one ? node.children.back().title : "";
    const std::size_t sign = sent.rfind(" = ");
    if (sign == std::string::npos || sent.ends_with(unknown) || !node.title.ends_with(unknown))
        return weaken(node, Certainty::Unknown);
    node.title.resize(node.title.size() - unknown.size());
    node.title += sent.substr(sign);
    node.notes.emplace_back("not certain: nothing read the value here, so it is taken from where it came from");
    weaken(node, std::max(Certainty::Likely, node.children.back().certainty));
}

void Explainer::add_source(Node& node, const DataSource& source, const std::optional<Bytes>& value, unsigned depth) {
    if (!source.why.empty()) {
        weaken(node, Certainty::Unknown);
        node.notes.push_back("unknown: " + source.why);
        return;
    }
    for (const std::string& doubt : source.doubts) {
        const std::string note = "not certain: " + doubt;
        if (std::find(node.notes.begin(), node.notes.end(), note) == node.notes.end()) node.notes.push_back(note);
        weaken(node, Certainty::Likely);
    }
    const std::uint64_t address = source.place.first, bytes = source.place.second;
    const unsigned rest = depth > 1 ? depth - 1 : 1;
    const Named named = name_of(run_, source.call, address, bytes);
    const Meant meant{named.name, address, bytes, named.bytes == bytes ? named.type : 0};
    std::optional<Bytes> there;
    Node child;
    if (source.inside) {  // the place as it was before the call has nothing to do with it
        there = bytes_written(run_, *source.origin.event, address, bytes);
        child.title = meant.name + " = " +
                      (!there            ? "?"
                       : meant.type != 0 ? value_text(run_.program(), *there, meant.type)
                                         : value_text(*there, ValueKind::Whole));
        put_origin(child, source.origin, meant, there, rest);
    } else {
        child = of_place(source.call, meant, std::nullopt, rest);
        there = bytes_before(run_, source.call, address, bytes);
    }
    const std::string rank = run_.with_rank(source.call.process);
    child.role = source.combined ? "combined, of " + rank : source.received ? "sent by " + rank : "copied from";
    if (!source.combined && source.received && source.doubts.empty() && value && there &&
        source.offset + bytes <= value->size() &&
        !std::equal(there->begin(), there->end(), value->begin() + static_cast<std::ptrdiff_t>(source.offset)))
        node.notes.push_back(fmt::format("the bytes sent are others than those received: they changed on the way{}",
                                         is_later_send(run_.site(source.call).callee)
                                             ? ", or the sender changed its buffer before the send had ended"
                                             : ""));
    node.children.push_back(std::move(child));
}

}  // namespace tmon_flowback
