#include "buffer_pool.hpp"

#include <algorithm>
#include <utility>

namespace trollius_os::services {

BufferPool::BufferPool(const KernelCosts& costs, NodeId here, std::uint64_t most_space)
    : costs_(costs), here_(here), most_space_(most_space), space_(costs.buffer_pool), user_space_(costs.user_pool) {}

std::int32_t BufferPool::accepted() const {
    const std::uint32_t with_next = used_ + least_space();
    if (with_next > space_) return classes::control;
    if (with_next > user_space_) return classes::control | classes::system;
    return 0;
}

void BufferPool::store(const Message& packet) {
    const auto body = packet.body.first(packet.length);
    stored_.push_back({packet, {body.begin(), body.end()}, packet.datalink_event});
    stored_.back().message.body = stored_.back().body;
    used_ += charged(packet);
}

bool BufferPool::store_answer(const Message& packet) {
    std::uint32_t answers = charged(packet);
    for (const Stored& s : stored_) answers += s.is_answer ? charged(s.message) : 0;
    if (answers > 4 * least_space()) return false;
    store(packet);
    stored_.back().is_answer = true;
    return true;
}

BufferPool::Place BufferPool::find(EventNo event, std::int32_t type) const {
    return std::find_if(stored_.begin(), stored_.end(), [&](const Stored& s) {
        return s.wanted_at == event && (s.message.node != here_ || types_meet(s.message.type, type));
    });
}

std::optional<BufferPool::Stored> BufferPool::take(EventNo event, std::int32_t type) {
    const Place found = find(event, type);
    if (found == stored_.end()) return std::nullopt;
    const auto place = stored_.begin() + (found - stored_.begin());
    Stored taken = std::move(*place);
    stored_.erase(place);
    used_ -= charged(taken.message);
    taken.message.body = taken.body;
    taken.message.datalink_event = taken.wanted_at;
    return taken;
}

void BufferPool::put_back(Stored packet) {
    packet.message.length =
        static_cast<std::uint32_t>(packet.body.size());  // the kernel shortens it where there is little room
    used_ += charged(packet.message);
    stored_.push_front(std::move(packet));
    stored_.front().message.body = stored_.front().body;
}

const Message* BufferPool::oldest(EventNo event, std::int32_t type) const {
    const Place found = find(event, type);
    return found == stored_.end() ? nullptr : &found->message;
}

bool BufferPool::set_space(std::uint32_t all, std::uint32_t of_users) {
    if (of_users < least_space() || all < of_users || all > most_space_) return false;
    space_ = all;
    user_space_ = of_users;
    return true;
}

std::uint32_t BufferPool::sweep(const std::function<bool(const Message&)>& unwanted) {
    const auto gone = std::erase_if(stored_, [&](const Stored& s) {
        if (!unwanted(s.message)) return false;
        used_ -= charged(s.message);
        return true;
    });
    return static_cast<std::uint32_t>(gone);
}

std::vector<BufferedPacket> BufferPool::records(std::uint32_t first) const {
    std::vector<BufferedPacket> records;
    const std::size_t most = costs_.most_packet / sizeof(BufferedPacket);
    for (std::size_t i = first; i < stored_.size() && records.size() < most; ++i) {
        const Message& m = stored_[i].message;
        records.push_back({m.node, m.event, m.type, m.length, m.flags & (flags::more | flags::second)});
    }
    return records;
}

const Message* BufferPool::look(std::uint32_t number) const {
    return number < stored_.size() ? &stored_[number].message : nullptr;
}

}  // namespace trollius_os::services
