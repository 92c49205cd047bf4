// CTF 1.8: a folder with `metadata` and a file for each node, for babeltrace2 and Trace Compass. docs/formats/exports.md has
// the fields. A loss begins a new packet, whose context counts the events that are lost so far.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

#include "exporter.hpp"

namespace tmon_export {
namespace {

static_assert(std::endian::native == std::endian::little, "the metadata says so");

namespace fs = std::filesystem;
using vocabulary::InputError;

constexpr std::uint32_t packet_magic = 0xC1FC1FC1;
constexpr std::size_t packet_bytes = std::size_t{16} << 10;  // of events; then the packet is written
constexpr std::size_t head_bytes = 8 + 48;                   // of a packet: header and context

constexpr const char* types = R"(/* CTF 1.8 */
typealias integer {{ size = 8; align = 8; }} := u8;
typealias integer {{ size = 32; align = 8; }} := u32;
typealias integer {{ size = 64; align = 8; }} := u64;
trace {{
  major = 1; minor = 8; byte_order = le;
  packet.header := struct {{ u32 magic; u32 stream_instance_id; }};
}};
env {{ tracer_name = "magicwire"; status = "{}"; }};
clock {{ name = main; freq = 1000000000; description = "{}"; }};
typealias integer {{ size = 64; align = 8; map = clock.main.value; }} := main_ns;
stream {{
  packet.context := struct {{
    main_ns timestamp_begin; main_ns timestamp_end; u64 content_size; u64 packet_size; u64 events_discarded; u64 node;
  }};
  event.header := struct {{ u8 id; main_ns timestamp; }};
}};
)";
constexpr const char* event_type = R"(event {{ id = {}; name = "{}"; fields := struct {{
  u32 seq; u64 node_us; u32 task; u32 subtask; u32 is_result; u32 bytes; u32 peer; u32 from; u32 to; u32 message; }};
}};
)";
constexpr std::uint8_t unnamed_receive = static_cast<std::uint8_t>(event_kinds);

class Ctf final : public Exporter {
public:
    // An export can be made again, but a folder is never replaced: it may hold a person's other files.
    Ctf(std::string name, bool) : name_(std::move(name)), growing_(name_ + ".incomplete") {
        if (name_.empty()) throw InputError({"-o", 0, 0}, "the name is empty; give it a name");
        for (const std::string& folder : {name_, growing_}) {
            if (fs::exists(fs::symlink_status(folder)))
                throw InputError({folder, 0, 0},
                                 "exists already, and a folder is not replaced; remove it, or name another with -o");
        }
        if (::mkdir(growing_.c_str(), 0777) != 0) fail(growing_, errno);
    }
    ~Ctf() override {
        std::error_code ignored;
        if (!named_) fs::remove_all(growing_, ignored);
    }

    void begin(const ExportHead& head) override {
        shift_ns_ = head.first_ns < 0 ? -head.first_ns : 0;
        nodes_.resize(head.nodes);
        std::string text = fmt::format(fmt::runtime(types), plain(head.status), plain(head.clock));
        for (std::size_t kind = 0; kind < event_kinds; ++kind)
            text += fmt::format(fmt::runtime(event_type), kind, kind_name(static_cast<EventKind>(kind)));
        text += fmt::format(fmt::runtime(event_type), unnamed_receive, "message-receive-unnamed");
        append_file("metadata", text);
    }
    void item(const TraceItem& item, const Match&) override {
        Node& node = nodes_[item.node];
        const auto ns = static_cast<std::uint64_t>(item.main_ns + shift_ns_);
        if (item.kind == TraceItem::Kind::Record) {
            node.first_ns = node.bytes.empty() ? ns : node.first_ns;
            node.last_ns = ns;
            record(node, item.event, item.node, ns);
            if (node.bytes.size() >= packet_bytes) write_packet(item.node);
        } else if (item.kind == TraceItem::Kind::Lost) {
            if (!node.bytes.empty()) write_packet(item.node);
            node.lost += item.loss.last_seq - item.loss.first_seq + 1ULL;
            node.last_ns = std::max(node.last_ns, ns);
            node.lost_in_no_packet = true;
        }
    }
    void end(const ExportResult&) override {
        for (std::uint16_t node = 0; node < nodes_.size(); ++node) {
            if (!nodes_[node].bytes.empty() || nodes_[node].lost_in_no_packet || nodes_[node].packets == 0) write_packet(node);
        }
    }
    void close() override {
        if (std::rename(growing_.c_str(), name_.c_str()) != 0) fail(name_, errno);
        named_ = true;
    }

private:
    struct Node {
        std::string bytes;  // events of the packet that goes on
        std::uint64_t first_ns = 0, last_ns = 0, lost = 0, packets = 0;
        bool lost_in_no_packet = false;
        std::uint32_t partner_seq = 0, partner_message = 0, partner_node = 0;  // of the last Partner record
    };

    [[noreturn]] static void fail(const std::string& file, int error) {
        vocabulary::throw_file_error(
            file, error, std::string("cannot be written: ") + std::strerror(error) + "; name another folder with -o");
    }
    static std::string plain(std::string text) {
        std::replace_if(
            text.begin(), text.end(), [](unsigned char c) { return c == '"' || c == '\\' || c < ' '; }, '\'');
        return text;
    }
    template <class Number>
    static void put(std::string& bytes, Number number) {
        bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
    }

    static bool is_send(EventKind kind) {
        return kind == EventKind::Send || kind == EventKind::SendCall || kind == EventKind::MessageSend;
    }
    static void record(Node& node, const Event& e, std::uint16_t self, std::uint64_t ns) {
        if (e.kind == EventKind::Partner) {
            node.partner_seq = e.seq;
            node.partner_message = e.task;
            node.partner_node = e.peer;
        }
        std::uint32_t from = is_send(e.kind) ? self : e.peer, message = 0;
        if (e.kind == EventKind::SendCall) message = e.bytes;
        auto id = static_cast<std::uint8_t>(trace_record::kind_number(e.kind));
        if (e.kind == EventKind::MessageReceive) {
            const bool named = node.partner_message > 0 && node.partner_seq + 1 == e.seq;
            if (named) from = node.partner_node;
            message = named ? node.partner_message : 0;
            if (!named) id = unnamed_receive;
        }
        std::string& to = node.bytes;
        put(to, id);
        put(to, ns);
        put(to, e.seq);
        put(to, e.time_us);
        for (const std::uint32_t field : {e.task, e.subtask, std::uint32_t{e.is_result}, e.bytes, std::uint32_t{e.peer}, from,
                                          is_send(e.kind) ? std::uint32_t{e.peer} : std::uint32_t{self}, message})
            put(to, field);
    }
    void write_packet(std::uint16_t index) {
        Node& node = nodes_[index];
        std::string packet;
        put(packet, packet_magic);
        put(packet, std::uint32_t{index});
        const std::uint64_t bits = (head_bytes + node.bytes.size()) * 8;
        const std::uint64_t first = node.bytes.empty() ? node.last_ns : node.first_ns;
        for (const std::uint64_t field : {first, node.last_ns, bits, bits, node.lost, std::uint64_t{index}}) put(packet, field);
        append_file(fmt::format("n{}", index), packet + node.bytes);
        node.bytes.clear();
        node.lost_in_no_packet = false;
        ++node.packets;
    }
    // Opened for each piece, since a process may not have as many files as there are nodes.
    void append_file(const std::string& name, const std::string& bytes) const {
        const std::string path = growing_ + "/" + name;
        std::FILE* file = std::fopen(path.c_str(), "ab");
        if (file == nullptr) fail(path, errno);
        const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
        const int error = errno;
        if (std::fclose(file) != 0 || !written) fail(path, written ? errno : error);
    }

    std::string name_, growing_;
    bool named_ = false;
    std::int64_t shift_ns_ = 0;
    std::vector<Node> nodes_;
};

}  // namespace

std::unique_ptr<Exporter> make_ctf(const std::string& out, bool force) {
    return std::make_unique<Ctf>(out, force);
}

}  // namespace tmon_export
