#include <trollius_os/services/mallocd.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

namespace trollius_os {

namespace services {
namespace {

constexpr std::uint64_t first_address = 0x8000'0000;  // the lowest of a transputer

class Memory {
public:
    explicit Memory(Calls& calls)
        : calls_(calls),
          begin_(first_address + calls.kernel().costs().system_memory),
          end_(first_address + std::min<std::uint64_t>(calls.port().memory_bytes(), 0x7fff'ffff)) {}

    Task<> serve() {
        Message message{.event = events::mallocd, .any_body = &room_};
        co_await calls_.nrecv(message);
        const auto request = decode<MemoryRequest>(message);
        if (!request) co_return calls_.kernel().drop("mallocd", "an unreadable request");
        out_.clear();
        calls_.charge(calls_.kernel().costs().memory_request);
        Message answer = answer_to(request->caller, obey(*request), out_);
        answer.length = static_cast<std::uint32_t>(out_.size());
        answer.body = out_;
        co_await calls_.answer(answer);
    }

private:
    struct Block {
        std::uint32_t bytes = 0;
        std::vector<std::byte> content = {};  // zeros at the end are left out
    };

    MemoryAnswer obey(const MemoryRequest& request) {
        switch (request.call) {
            case MemoryCall::Allocate:
                return allocate(request.bytes);
            case MemoryCall::Free:
                return {.error = free(request.address)};
            case MemoryCall::Read:
                return {.error = read(request.address, request.bytes)};
            case MemoryCall::Write:
                return {.error = write(request.address, request.bytes)};
            case MemoryCall::Regions:
                return regions(request.first);
        }
        return {.error = errors::bad_request};
    }

    // First fit.
    MemoryAnswer allocate(std::uint32_t wanted) {
        if (wanted == 0) return {.error = EINVAL};
        const std::uint64_t bytes = (std::uint64_t{wanted} + 3) / 4 * 4;
        std::uint64_t at = begin_;
        for (const auto& [address, block] : blocks_) {
            if (at + bytes <= address) break;
            at = std::uint64_t{address} + block.bytes;
        }
        if (at + bytes > end_ || !calls_.port().take_memory(bytes)) return {.error = ENOMEM};
        blocks_[static_cast<std::uint32_t>(at)].bytes = static_cast<std::uint32_t>(bytes);
        return {.address = static_cast<std::uint32_t>(at)};
    }

    ErrorNumber free(std::uint32_t address) {
        const auto found = blocks_.find(address);
        if (found == blocks_.end()) return errors::not_malloced;
        calls_.port().give_back_memory(found->second.bytes);
        blocks_.erase(found);
        return 0;
    }

    // The block in which all these bytes lie, and their place in it.
    std::pair<Block*, std::size_t> block_of(std::uint32_t address, std::uint64_t bytes) {
        auto after = blocks_.upper_bound(address);
        if (after == blocks_.begin()) return {};
        auto& [begin, block] = *--after;
        const std::uint64_t offset = address - begin;
        if (offset + bytes > block.bytes) return {};
        return {&block, offset};
    }

    ErrorNumber read(std::uint32_t address, std::uint32_t bytes) {
        if (bytes > calls_.kernel().costs().most_packet) return errors::message_length;
        const auto [block, offset] = block_of(address, bytes);
        if (block == nullptr) return errors::not_malloced;
        out_.assign(bytes, std::byte{});
        if (offset < block->content.size())
            std::copy_n(block->content.begin() + static_cast<std::ptrdiff_t>(offset),
                        std::min<std::size_t>(bytes, block->content.size() - offset), out_.begin());
        pay_copy(bytes);
        return 0;
    }

    ErrorNumber write(std::uint32_t address, std::uint32_t bytes) {
        if (bytes != room_.size()) return errors::message_length;
        const auto [block, offset] = block_of(address, bytes);
        if (block == nullptr) return errors::not_malloced;
        if (block->content.size() < offset + bytes) block->content.resize(offset + bytes);
        std::copy(room_.begin(), room_.end(), block->content.begin() + static_cast<std::ptrdiff_t>(offset));
        pay_copy(bytes);
        return 0;
    }

    void pay_copy(std::uint32_t bytes) {
        calls_.charge(
            vocabulary::SimTime::ps(static_cast<std::int64_t>(bytes / calls_.kernel().costs().copy_bytes_per_us * 1e6)));
    }

    MemoryAnswer regions(std::uint32_t first) {
        const std::vector<MemoryRegion> all = all_regions();
        const std::size_t most = calls_.kernel().costs().most_packet / sizeof(MemoryRegion);
        const std::size_t from = std::min<std::size_t>(first, all.size());
        const auto part = std::as_bytes(std::span(all).subspan(from, std::min(most, all.size() - from)));
        out_.assign(part.begin(), part.end());
        return {.count = static_cast<std::uint32_t>(all.size())};
    }

    std::vector<MemoryRegion> all_regions() const {
        const std::uint64_t all = calls_.port().memory_bytes(), used = calls_.port().memory_used();
        const std::uint64_t system = calls_.kernel().costs().system_memory;
        std::uint64_t processes = 0, blocks = 0;
        for (const auto* clients : {&calls_.kernel().processes(), &calls_.kernel().threads()}) {
            for (const auto& process : *clients)
                if (process->state() != ProcessState::Ended) processes += process->memory_bytes();
        }
        for (const auto& [address, block] : blocks_) blocks += block.bytes;
        const std::uint64_t known = system + processes + blocks;
        const auto region = [](MemoryUse use, std::uint64_t bytes) {
            return MemoryRegion{use, 0, static_cast<std::uint32_t>(bytes)};
        };
        std::vector<MemoryRegion> list{region(MemoryUse::System, system), region(MemoryUse::Processes, processes),
                                       region(MemoryUse::Other, used > known ? used - known : 0)};
        for (const auto& [address, block] : blocks_) list.push_back({MemoryUse::Block, address, block.bytes});
        list.push_back(region(MemoryUse::Free, all - used));
        return list;
    }

    Calls& calls_;
    const std::uint64_t begin_, end_;  // of the addresses of blocks
    std::map<std::uint32_t, Block> blocks_;
    std::vector<std::byte> room_, out_;  // bodies of the request and of its answer
};

}  // namespace

Task<> mallocd(Calls& calls) {
    Memory memory(calls);
    while (true) co_await memory.serve();
}

}  // namespace services

using services::MemoryAnswer;
using services::MemoryCall;
using services::MemoryRegion;
using services::MemoryRequest;

namespace {

MemoryAnswer ask_memory(Api& api, NodeId node, MemoryRequest request, std::span<std::byte> body = {},
                        std::vector<std::byte>* room = nullptr) {
    if (node == api.kernel().host()) return {.error = errors::service};
    const Conversation undisturbed(api.calls());
    request.caller = services::caller(api);
    Message message = services::request_to(node, events::mallocd, request, body);
    api.nsend(message);
    Message answer{.event = api.process().reply_event(), .any_body = room};
    api.nrecv(answer);
    return decode<MemoryAnswer>(answer);
}

}  // namespace

Allocated rmalloc(Api& api, NodeId node, std::uint32_t bytes) {
    const MemoryAnswer answer = ask_memory(api, node, {.call = MemoryCall::Allocate, .bytes = bytes});
    return {answer.error, answer.address};
}

ErrorNumber rfree(Api& api, NodeId node, std::uint32_t address) {
    return ask_memory(api, node, {.call = MemoryCall::Free, .address = address}).error;
}

ErrorNumber rmread(Api& api, NodeId node, std::uint32_t address, std::span<std::byte> room) {
    const std::size_t most = api.kernel().costs().most_packet;
    std::size_t done = 0;
    do {
        const std::size_t part = std::min(most, room.size() - done);
        if (done > UINT32_MAX - address) return errors::not_malloced;
        std::vector<std::byte> got;
        const auto at = static_cast<std::uint32_t>(address + done);
        const auto bytes = static_cast<std::uint32_t>(part);
        const MemoryAnswer answer = ask_memory(api, node, {.call = MemoryCall::Read, .address = at, .bytes = bytes}, {}, &got);
        if (answer.error != 0) return answer.error;
        if (got.size() != part) return errors::unknown;
        std::copy(got.begin(), got.end(), room.begin() + static_cast<std::ptrdiff_t>(done));
        done += part;
    } while (done < room.size());
    return 0;
}

ErrorNumber rmwrite(Api& api, NodeId node, std::uint32_t address, std::span<const std::byte> bytes) {
    const std::size_t most = api.kernel().costs().most_packet;
    std::size_t done = 0;
    do {
        const auto part = bytes.subspan(done, std::min(most, bytes.size() - done));
        if (done > UINT32_MAX - address) return errors::not_malloced;
        std::vector<std::byte> body(part.begin(), part.end());
        const MemoryRequest request{.call = MemoryCall::Write,
                                    .address = static_cast<std::uint32_t>(address + done),
                                    .bytes = static_cast<std::uint32_t>(part.size())};
        if (const ErrorNumber error = ask_memory(api, node, request, body).error; error != 0) return error;
        done += part.size();
    } while (done < bytes.size());
    return 0;
}

std::vector<MemoryRegion> memory_regions(Api& api, NodeId node) {
    std::vector<MemoryRegion> regions;
    std::uint32_t all = 0;
    do {
        std::vector<std::byte> room;
        all =
            ask_memory(api, node, {.call = MemoryCall::Regions, .first = static_cast<std::uint32_t>(regions.size())}, {}, &room)
                .count;
        const std::size_t listed = room.size() / sizeof(MemoryRegion);
        if (listed == 0) break;  // the host, or blocks have gone meanwhile
        regions.resize(regions.size() + listed);
        std::memcpy(regions.data() + regions.size() - listed, room.data(), listed * sizeof regions[0]);
    } while (regions.size() < all);
    return regions;
}

}  // namespace trollius_os
