#include <flowback_unload/log_unloading.hpp>

#include <xxhash.h>

#include <trollius_os/kernel.hpp>
#include <trollius_os/services/request.hpp>

namespace flowback_unload {
namespace {

constexpr vocabulary::EventNo collector(-91012);

// Words of the pouch that say whose block it is, and a checksum of them. A block has a checksum of its own, but a whole one in
// the log of another process would be taken for its.
constexpr std::size_t words = 3;
std::int32_t sum_of(const trollius_os::Message& message) {
    return static_cast<std::int32_t>(XXH32(message.data.data(), words * sizeof message.data[0], 0));
}

}  // namespace

void LogInbox::open(vocabulary::NodeId node, std::uint32_t process, Take take, Count in_flight) {
    processes_[{node, process}] = {std::move(take), std::move(in_flight)};
}

bool LogInbox::take(vocabulary::NodeId node, std::uint32_t process, std::uint32_t number, std::vector<std::byte> block) {
    const auto found = processes_.find({node, process});
    if (found == processes_.end()) return false;
    found->second.first(number, std::move(block));
    return true;
}

std::uint64_t LogInbox::in_flight() const {
    std::uint64_t all = 0;
    for (const auto& [which, its] : processes_) all += its.second();
    return all;
}

void send_block(trollius_os::Api& api, std::uint32_t process, std::uint32_t number, std::span<std::byte> block) {
    const trollius_os::Conversation undisturbed(api.calls());
    trollius_os::Message message{.node = api.kernel().host(),
                                 .event = collector,
                                 .flags = trollius_os::flags::of(accounts::log),
                                 .length = static_cast<std::uint32_t>(block.size()),
                                 .body = block};
    message.data[0] = static_cast<std::int32_t>(api.node().value());
    message.data[1] = static_cast<std::int32_t>(process);
    message.data[2] = static_cast<std::int32_t>(number);
    message.data[words] = sum_of(message);
    api.nsend(message);
}

void collect(trollius_os::Api& api, LogInbox& inbox) {
    std::vector<std::byte> room(api.kernel().costs().most_packet);
    api.port().on_behalf_of(accounts::log);
    while (true) {
        trollius_os::Message message{.event = collector, .body = room};
        api.nrecv(message);
        const std::span<const std::byte> block = std::span(room).first(message.length);
        const auto node = static_cast<vocabulary::NodeId::value_type>(message.data[0]);
        const bool known = message.data[words] == sum_of(message) &&
                           inbox.take(vocabulary::NodeId(node), static_cast<std::uint32_t>(message.data[1]),
                                      static_cast<std::uint32_t>(message.data[2]), {block.begin(), block.end()});
        if (!known) api.kernel().drop("the collector of flowback's logs", "a damaged block");
    }
}

}  // namespace flowback_unload
