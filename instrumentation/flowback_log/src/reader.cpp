#include <flowback_log/reader.hpp>

#include <xxhash.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace flowback_log {
namespace {

// Reads an entry; anything that does not fit makes it bad, and what it reads then is 0.
class Cursor {
public:
    Cursor(const std::vector<std::byte>& all, std::uint64_t offset) : all_(all), at_(offset) {}

    bool good() const { return good_; }
    std::uint64_t offset() const { return at_; }

    std::uint64_t number() {
        std::uint64_t result = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (at_ >= all_.size()) break;
            const auto byte = std::to_integer<std::uint64_t>(all_[at_++]);
            result |= (byte & 0x7fU) << shift;
            if (byte < 0x80) return result;
        }
        good_ = false;
        return 0;
    }
    std::uint32_t small() {
        const std::uint64_t result = number();
        if (result > 0xffffffffU) good_ = false;
        return static_cast<std::uint32_t>(result);
    }
    // A number of things that each take a byte or more.
    std::uint64_t count() {
        const std::uint64_t result = number();
        if (result <= all_.size() - at_) return result;
        good_ = false;
        return 0;
    }
    std::span<const std::byte> bytes() {
        const std::uint64_t size = count();
        const std::span<const std::byte> result(all_.data() + at_, size);
        at_ += size;
        return result;
    }
    std::string text() {
        const auto its = bytes();
        return {reinterpret_cast<const char*>(its.data()), its.size()};
    }
    Range range() {
        const std::uint64_t first = number();
        return {first, number()};
    }
    std::vector<Range> pieces() {
        std::vector<Range> all;
        std::uint64_t last = 0;
        for (std::uint64_t left = count(); left > 0 && good_; --left) {
            const std::uint64_t coded = number();
            const std::uint64_t first = last + (coded >> 1U ^ (~(coded & 1U) + 1));
            all.emplace_back(first, number());
            last = first + all.back().second;
        }
        return all;
    }

private:
    const std::vector<std::byte>& all_;
    std::uint64_t at_;
    bool good_ = true;
};

void read_leave(Cursor& cursor, Entry& entry) {
    entry.depth = cursor.small();
    entry.bytes = cursor.bytes();
    entry.unknown_inside = cursor.number() != 0;
    std::uint64_t last = 0;
    for (std::uint64_t left = cursor.count(); left > 0 && cursor.good(); --left) {
        Range range = cursor.range();
        range.first += last;
        last = range.first + range.second;
        entry.ranges.push_back(range);
    }
}

void read_root(Cursor& cursor, Entry& entry) {
    entry.number = cursor.small();
    entry.task = cursor.small();
    entry.subtask = cursor.small();
    for (std::uint64_t left = cursor.count(); left > 0 && cursor.good(); --left) entry.ranges.push_back(cursor.range());
}

void read_call(Cursor& cursor, Entry& entry) {
    entry.number = cursor.small();
    entry.effect = cursor.small();
    entry.bytes = cursor.bytes();
    for (std::uint64_t left = cursor.count(); left > 0 && cursor.good(); --left) {
        Written written;
        written.address = cursor.number();
        written.bytes = cursor.bytes();
        entry.written.push_back(written);
    }
}

void read_act(Cursor& cursor, Entry& entry) {
    entry.act = static_cast<ActKind>(cursor.small());
    entry.peer = cursor.small();
    entry.flow = cursor.small();
    entry.tag = cursor.small();
    entry.context = cursor.small();
    entry.operation = cursor.small();
    entry.from = cursor.pieces();
    entry.to = cursor.pieces();
}

void read_content(Cursor& cursor, Entry& entry) {
    switch (entry.kind) {
        case Kind::Process:
            entry.name = cursor.text();
            entry.like = cursor.text();
            entry.program = cursor.text();
            entry.ranges.push_back(cursor.range());
            break;
        case Kind::Addresses:
            entry.number = cursor.small();
            for (std::uint64_t left = cursor.count(); left > 0 && cursor.good(); --left)
                entry.addresses.push_back(cursor.number());
            break;
        case Kind::Root:
            read_root(cursor, entry);
            break;
        case Kind::Enter:
            entry.number = cursor.small();
            entry.depth = cursor.small();
            entry.bytes = cursor.bytes();
            break;
        case Kind::Leave:
            read_leave(cursor, entry);
            break;
        case Kind::Unwound:
            entry.depth = cursor.small();
            entry.touches = cursor.number();
            break;
        case Kind::Stopped:
            entry.touches = cursor.number();
            break;
        case Kind::Read:
            entry.bytes = cursor.bytes();
            break;
        case Kind::Variable:
            entry.ranges.push_back(cursor.range());
            break;
        case Kind::Call:
            read_call(cursor, entry);
            break;
        case Kind::Message:
            entry.passed = static_cast<Passed>(cursor.small());
            entry.task = cursor.small();
            entry.subtask = cursor.small();
            entry.ranges.push_back(cursor.range());
            break;
        case Kind::Act:
            read_act(cursor, entry);
            break;
    }
}

}  // namespace

Log Log::read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(path + " cannot be read");
    const std::vector<char> all((std::istreambuf_iterator<char>(file)), {});
    if (all.size() < sizeof magic || std::memcmp(all.data(), magic, sizeof magic) != 0)
        throw std::runtime_error(path + " is not a log of --flowback");
    Log log;
    log.file_bytes_ = all.size();
    std::size_t offset = sizeof magic;
    for (std::uint64_t chunk = 0;; ++chunk) {
        std::uint32_t size = 0, flag = 0;
        std::uint64_t sum = 0;
        if (all.size() - offset < chunk_head) {
            log.problem_ = "it ends without its last chunk";
            return log;
        }
        std::memcpy(&size, all.data() + offset, 4);
        std::memcpy(&flag, all.data() + offset + 4, 4);
        std::memcpy(&sum, all.data() + offset + 8, 8);
        offset += chunk_head;
        const bool fits = size <= all.size() - offset && flag <= static_cast<std::uint32_t>(Ending::Threads);
        if (!fits || XXH64(all.data() + offset, size, chunk_seed(chunk, flag)) != sum) {
            log.problem_ = "chunk " + std::to_string(chunk) + " is damaged";
            return log;
        }
        const auto* from = reinterpret_cast<const std::byte*>(all.data() + offset);
        log.entries_.insert(log.entries_.end(), from, from + size);
        offset += size;
        const auto ending = static_cast<Ending>(flag);
        if (ending == Ending::MoreFollow) continue;
        log.whole_ = ending == Ending::Last && offset == all.size();
        if (ending == Ending::NoRoom) log.problem_ = "the node had no memory for more of it";
        if (ending == Ending::Missing) log.problem_ = "chunk " + std::to_string(chunk) + " did not reach the host";
        if (ending == Ending::Threads) log.problem_ = "the process started a thread, which no log follows";
        if (offset != all.size()) log.problem_ = "something follows its last chunk";
        return log;
    }
}

std::optional<Entry> Log::next(std::uint64_t& offset) const {
    if (offset >= entries_.size()) return std::nullopt;
    Entry entry;
    entry.offset = offset;
    const auto kind = std::to_integer<unsigned>(entries_[offset]);
    if (kind < static_cast<unsigned>(Kind::Process) || kind > static_cast<unsigned>(Kind::Act)) return std::nullopt;
    entry.kind = static_cast<Kind>(kind);
    Cursor cursor(entries_, offset + 1);
    read_content(cursor, entry);
    if (!cursor.good()) return std::nullopt;
    offset = cursor.offset();
    return entry;
}

}  // namespace flowback_log
