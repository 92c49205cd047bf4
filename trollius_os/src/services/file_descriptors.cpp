#include "file_descriptors.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <trollius_os/services/rfiles.hpp>

#include "file_names.hpp"

namespace trollius_os::services {
namespace {

FileWish wish_of(std::int32_t flags, std::uint32_t mode) {
    const std::int32_t access = flags & open_flags::access_mask;
    return {.read = access != open_flags::write_only,
            .write = access != open_flags::read_only,
            .create = (flags & open_flags::create) != 0,
            .exclusive = (flags & open_flags::exclusive) != 0,
            .truncate = (flags & open_flags::truncate) != 0,
            .mode = mode};
}

bool flags_make_sense(std::int32_t flags) {
    const std::int32_t access = flags & open_flags::access_mask;
    if ((flags & ~open_flags::all) != 0 || access == open_flags::access_mask) return false;
    return access != open_flags::read_only || (flags & (open_flags::truncate | open_flags::append)) == 0;
}

}  // namespace

bool FileDescriptor::readable() const {
    return (flags & open_flags::access_mask) != open_flags::write_only;
}
bool FileDescriptor::writable() const {
    return (flags & open_flags::access_mask) != open_flags::read_only;
}
bool FileDescriptor::locked() const {
    return (flags & open_flags::lock) != 0;
}

std::int32_t FileDescriptors::open(FileStore& store, const std::string& name, std::int32_t flags, std::uint32_t mode) {
    if (!flags_make_sense(flags)) return -EINVAL;
    if ((flags & open_flags::reuse) != 0) {
        if (const std::int32_t old = shared(name, flags); old >= 0) return old;
    }
    const auto locked = std::count_if(all_.begin(), all_.end(), [](const auto& one) { return one.second.locked(); });
    const bool locks = (flags & open_flags::lock) != 0;
    if (all_.size() >= most || (locks && static_cast<std::size_t>(locked) >= most_locked)) return -errors::full;
    make_room();
    FileOpened opened = store.open(name, wish_of(flags, mode));
    if (opened.file == nullptr) return -opened.error;
    std::int32_t number = first;
    for (auto at = all_.begin(); at != all_.end() && at->first == number; ++at) ++number;
    FileDescriptor& descriptor = all_[number];
    descriptor.name = name;
    descriptor.flags = flags;
    descriptor.identity = opened.file->identity();
    descriptor.real = std::move(opened.file);
    descriptor.used = ++uses_;
    return number;
}

// A descriptor of that name and access with one more user, or -1. Truncation and the wish for a new file are no sharing.
std::int32_t FileDescriptors::shared(const std::string& name, std::int32_t flags) {
    constexpr std::int32_t own = open_flags::truncate | open_flags::exclusive;
    constexpr std::int32_t same = open_flags::access_mask | open_flags::append | open_flags::lock;
    if ((flags & own) != 0) return -1;
    const auto found = std::find_if(all_.begin(), all_.end(), [&](const auto& one) {
        return one.second.name == name && (one.second.flags & same) == (flags & same);
    });
    if (found == all_.end() || found->second.users == INT32_MAX) return -1;
    ++found->second.users;
    return found->first;
}

FileDescriptor* FileDescriptors::find(std::int32_t number) {
    const auto found = all_.find(number);
    return found == all_.end() ? nullptr : &found->second;
}

StoredFile* FileDescriptors::file(FileStore& store, FileDescriptor& descriptor, ErrorNumber& error) {
    descriptor.used = ++uses_;
    if (descriptor.real != nullptr) return descriptor.real.get();
    make_room();
    constexpr std::int32_t once = open_flags::create | open_flags::exclusive | open_flags::truncate;
    FileOpened opened = store.open(descriptor.name, wish_of(descriptor.flags & ~once, 0));
    error = opened.error;
    if (opened.file == nullptr) return nullptr;
    if (opened.file->identity() != descriptor.identity) {
        error = ESTALE;  // another program of the host has put a file in its place
        return nullptr;
    }
    descriptor.real = std::move(opened.file);
    return descriptor.real.get();
}

void FileDescriptors::make_room() {
    FileDescriptor* oldest = nullptr;
    std::size_t open = 0;
    for (auto& [number, descriptor] : all_) {
        if (descriptor.real == nullptr) continue;
        ++open;
        if (!descriptor.locked() && (oldest == nullptr || descriptor.used < oldest->used)) oldest = &descriptor;
    }
    if (open >= most_real && oldest != nullptr) oldest->real.reset();
}

std::size_t FileDescriptors::close_all() {
    const std::size_t count = all_.size();
    all_.clear();
    return count;
}

bool FileDescriptors::is_open(const std::string& name) const {
    return std::any_of(all_.begin(), all_.end(), [&](const auto& one) { return is_at_or_below(one.second.name, name); });
}

void FileDescriptors::renamed(const std::string& from, const std::string& to) {
    for (auto& [number, descriptor] : all_) {
        if (is_at_or_below(descriptor.name, from)) descriptor.name = to + descriptor.name.substr(from.size());
    }
}

}  // namespace trollius_os::services
