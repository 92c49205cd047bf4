// Files messages.mwm: the contents of logged packets, which a replay feeds to receivers whose senders do not send them again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <tmon_recovery/block_file.hpp>
#include <tmon_recovery/event_graph.hpp>

namespace tmon_recovery {

class MessageLog {
public:
    // `manifest`: JSON, says of which record and plan it is. Throws vocabulary::InputError: no such file, damage in its middle,
    // or it was cut off. Linear.
    explicit MessageLog(const std::string& path);
    const std::string& manifest() const { return manifest_; }
    // Words and body of a packet. Empty: it is not there.
    std::span<const std::byte> content(MessageNo message) const;
    std::size_t size() const { return size_; }  // packets

private:
    void take(std::span<const std::byte> block, const BlockReader& reader);
    struct Place {
        std::size_t at = 0, bytes = 0;
    };
    std::string manifest_{};
    std::vector<std::byte> content_{};
    std::vector<Place> places_{};  // of each message
    std::size_t size_ = 0;
};

// Throws as BlockWriter does.
class MessageLogWriter {
public:
    MessageLogWriter(const std::string& path, const std::string& manifest);
    void add(MessageNo message, std::span<const std::byte> words, std::span<const std::byte> body);
    void finish();

private:
    void flush();
    BlockWriter file_;
    std::vector<std::byte> block_{};
};

}  // namespace tmon_recovery
