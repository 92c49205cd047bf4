#include "bundle.hpp"

#include <algorithm>

namespace trek_kernel {
namespace {

void append_number(Bytes& body, std::uint32_t number) {
    const auto bytes = std::as_bytes(std::span(&number, 1));
    body.insert(body.end(), bytes.begin(), bytes.end());
}

std::uint32_t size_of(const Item& message) {
    return static_cast<std::uint32_t>(message.body.size());
}

// The error of the size message, modulo 2^32. A wrong size of one task is a wrong size of its bundle.
std::uint32_t announced_error(const Item& message) {
    return message.announced_bytes ? *message.announced_bytes - size_of(message) : 0;
}

}  // namespace

bool is_bundle(std::span<const std::byte> body, std::uint32_t granularity) {
    for (std::uint32_t places = 0; places < granularity; ++places) {
        std::uint32_t length = 0;
        if (body.size() < sizeof length) return false;
        std::memcpy(&length, body.data(), sizeof length);
        body = body.subspan(sizeof length);
        if (length == nobody) continue;
        if (length > body.size()) return false;
        body = body.subspan(length);
        if (body.empty()) return true;
    }
    return false;
}

bool fits(const Item& item, std::uint32_t granularity) {
    if (granularity == 1 || item.kind == MessageKind::Counts) return true;
    return item.id.task % granularity == 0 && is_bundle(item.body, granularity);
}

Parts unbundle(ItemPtr message, std::uint32_t granularity) {
    Parts parts;
    if (granularity == 1) {
        parts.push_back(std::move(message));
        return parts;
    }
    for_each_part(message->id, message->body, granularity, [&](const TaskIdentity& id, std::span<const std::byte> body) {
        parts.push_back(std::make_unique<Item>(Item{message->kind, id, {body.begin(), body.end()}}));
        parts.back()->priority = message->priority;
        parts.back()->again = message->again;
    });
    if (const std::uint32_t error = announced_error(*message); error != 0 && !parts.empty())
        parts.front()->announced_bytes = size_of(*parts.front()) + error;
    return parts;
}

std::uint32_t tasks_in(const Item& message, std::uint32_t granularity) {
    std::uint32_t count = 0;
    for_each_part(message.id, message.body, granularity, [&](const auto&, const auto&) { ++count; });
    return count;
}

void Bundler::add(ItemPtr one) {
    if (granularity_ == 1) {
        open_.push_back({std::move(one), 1});
        return;
    }
    const std::uint32_t place = one->id.task % granularity_, first = one->id.task - place;
    auto at = std::find_if(open_.begin(), open_.end(), [&](const Open& message) {
        return message.item->id.task == first && message.item->id.subtask == one->id.subtask && message.places <= place;
    });
    if (at == open_.end()) {
        open_.push_back({std::make_unique<Item>(Item{one->kind, {first, one->id.subtask}, {}}), 0});
        at = std::prev(open_.end());
        at->item->priority = one->priority;
    }
    append(*at, place, *one);
}

void Bundler::append(Open& message, std::uint32_t place, const Item& one) {
    Item& bundle = *message.item;
    const std::uint32_t error = announced_error(bundle) + announced_error(one);
    for (; message.places < place; ++message.places) append_number(bundle.body, nobody);
    append_number(bundle.body, static_cast<std::uint32_t>(one.body.size()));
    bundle.body.insert(bundle.body.end(), one.body.begin(), one.body.end());
    ++message.places;
    bundle.priority = std::max(bundle.priority, one.priority);
    if (error != 0) bundle.announced_bytes = size_of(bundle) + error;
    bundle.again |= one.again;
}

}  // namespace trek_kernel
