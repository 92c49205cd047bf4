// SQLite: docs/formats/sqlite.md has the schema. Rows go in in one transaction, indices are made when all are there.
#include <sqlite3.h>

#include <memory>
#include <optional>

#include <fmt/compile.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <vocabulary/source_position.hpp>

#include "byte_output.hpp"
#include "exporter.hpp"

namespace tmon_export {
namespace {

using vocabulary::InputError;

constexpr int schema_version = 1;
constexpr const char* not_joined = "not_joined";  // key of the manifest
constexpr const char* tables = R"(
CREATE TABLE manifest(key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE nodes(node INTEGER PRIMARY KEY, finished INTEGER NOT NULL, records INTEGER NOT NULL, lost INTEGER NOT NULL,
                   first_us INTEGER, last_us INTEGER, last_ns INTEGER);
CREATE TABLE events(node INTEGER NOT NULL, seq INTEGER NOT NULL, kind TEXT NOT NULL, time_us INTEGER NOT NULL,
                    time_ns INTEGER NOT NULL, task INTEGER, subtask TEXT, is_result INTEGER, peer INTEGER, bytes INTEGER,
                    process INTEGER, number INTEGER, value INTEGER, name TEXT);
CREATE TABLE losses(node INTEGER NOT NULL, first_seq INTEGER NOT NULL, last_seq INTEGER NOT NULL, cause TEXT NOT NULL,
                    classes TEXT NOT NULL, from_us INTEGER NOT NULL, until_us INTEGER NOT NULL, times_known INTEGER NOT NULL);
CREATE TABLE messages(send_node INTEGER NOT NULL, send_seq INTEGER NOT NULL, receive_node INTEGER NOT NULL,
                      receive_seq INTEGER NOT NULL);
CREATE TABLE kernel_messages(send_node INTEGER NOT NULL, send_seq INTEGER NOT NULL, receive_node INTEGER NOT NULL,
                             receive_seq INTEGER NOT NULL);
CREATE TABLE usage(node INTEGER NOT NULL, seq INTEGER NOT NULL, time_us INTEGER NOT NULL, time_ns INTEGER NOT NULL,
                   high_us INTEGER NOT NULL, low_us INTEGER NOT NULL, link0_percent INTEGER NOT NULL,
                   link1_percent INTEGER NOT NULL, link2_percent INTEGER NOT NULL, link3_percent INTEGER NOT NULL,
                   buffered INTEGER NOT NULL);
CREATE TABLE sync(node INTEGER NOT NULL, seq INTEGER NOT NULL, interrupt INTEGER NOT NULL, time_us INTEGER NOT NULL,
                  time_ns INTEGER NOT NULL);
CREATE TABLE unloads(node INTEGER NOT NULL, time_us INTEGER NOT NULL, time_ns INTEGER NOT NULL, records INTEGER NOT NULL);
)";
constexpr const char* indices = R"(
CREATE UNIQUE INDEX events_by_id ON events(node, seq);
CREATE INDEX events_by_time ON events(time_ns);
CREATE INDEX events_by_task ON events(task, subtask) WHERE task IS NOT NULL;
CREATE UNIQUE INDEX messages_by_send ON messages(send_node, send_seq);
CREATE UNIQUE INDEX messages_by_receive ON messages(receive_node, receive_seq);
CREATE INDEX kernel_messages_by_send ON kernel_messages(send_node, send_seq);
CREATE UNIQUE INDEX kernel_messages_by_receive ON kernel_messages(receive_node, receive_seq);
CREATE INDEX losses_by_node ON losses(node, first_seq);
)";

class Database {
public:
    explicit Database(const std::string& path) : path_(path) {
        sqlite3* opened = nullptr;
        const int result =
            sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
        handle_.reset(opened);  // there also after a failed open, to give the reason
        if (result != SQLITE_OK) fail();
    }
    void run(const char* text) {
        if (sqlite3_exec(handle(), text, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
    }
    [[noreturn]] void fail() const {
        throw InputError({path_, 0, 0}, std::string("cannot be written: ") + sqlite3_errmsg(handle()));
    }
    sqlite3* handle() const { return handle_.get(); }

private:
    std::string path_;
    std::unique_ptr<sqlite3, decltype(&sqlite3_close_v2)> handle_{nullptr, &sqlite3_close_v2};
};

// One prepared statement. Texts that it is given must live until done().
class Insert {
public:
    // `columns`: "TABLE(COLUMN, COLUMN)", the others stay empty; or "TABLE" with the number of its columns.
    Insert(Database& database, const std::string& columns, int values) : database_(database) {
        std::string text = "INSERT INTO " + columns + " VALUES (?";
        for (int i = 1; i < values; ++i) text += ",?";
        if (sqlite3_prepare_v3(database.handle(), (text + ")").c_str(), -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr) !=
            SQLITE_OK)
            database.fail();
    }
    Insert(const Insert&) = delete;
    Insert& operator=(const Insert&) = delete;
    ~Insert() { sqlite3_finalize(statement_); }
    Insert& operator<<(std::int64_t value) {
        sqlite3_bind_int64(statement_, ++at_, value);
        return *this;
    }
    Insert& operator<<(std::string_view value) {
        sqlite3_bind_text(statement_, ++at_, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
        return *this;
    }
    Insert& operator<<(const char* value) { return *this << std::string_view(value); }
    Insert& operator<<(const std::string& value) { return *this << std::string_view(value); }
    Insert& null(int count) {
        for (; count > 0; --count) sqlite3_bind_null(statement_, ++at_);
        return *this;
    }
    void done() {
        at_ = 0;
        if (sqlite3_step(statement_) != SQLITE_DONE) database_.fail();
        sqlite3_reset(statement_);
    }

private:
    Database& database_;
    sqlite3_stmt* statement_ = nullptr;
    int at_ = 0;
};

// Every table's statement. Records of events differ in the columns they leave empty. A statement for each form is faster than
// one that is told the form for each record.
struct Inserts {
    explicit Inserts(Database& database)
        : losses(database, "losses", 8),
          messages(database, "messages", 4),
          kernel_messages(database, "kernel_messages", 4),
          usage(database, "usage", 11),
          sync(database, "sync", 5),
          unloads(database, "unloads", 4),
          task(database, "events(node,seq,kind,time_us,time_ns,task,subtask,is_result,peer,bytes)", 10),
          message(database, "events(node,seq,kind,time_us,time_ns,peer,bytes,process,number)", 9),
          call(database, "events(node,seq,kind,time_us,time_ns,process,number)", 7),
          send_call(database, "events(node,seq,kind,time_us,time_ns,peer,process,number,value)", 9),
          partner(database, "events(node,seq,kind,time_us,time_ns,peer,process,value)", 8),
          member(database, "events(node,seq,kind,time_us,time_ns,peer,bytes,number,value)", 9),
          collective(database, "events(node,seq,kind,time_us,time_ns,peer,process,number,name)", 9),
          process(database, "events(node,seq,kind,time_us,time_ns,process,name)", 7),
          user(database, "events(node,seq,kind,time_us,time_ns,number,value)", 7),
          interrupt(database, "events(node,seq,kind,time_us,time_ns,number)", 6),
          other(database, "events(node,seq,kind,time_us,time_ns)", 5) {}
    Insert losses, messages, kernel_messages, usage, sync, unloads;
    Insert task, message, call, send_call, partner, member, collective, process, user, interrupt, other;
};

struct NodeSums {
    std::int64_t records = 0, lost = 0;
    std::int64_t first_us = -1, last_us = -1, last_ns = 0;
};

class Sqlite final : public Exporter {
public:
    Sqlite(const std::string& out, bool force) : file_(out, force), database_(std::make_unique<Database>(file_.path())) {
        // A crash leaves a file that is called .incomplete anyway, so nothing needs to be safe on the way.
        database_->run(
            "PRAGMA page_size = 16384; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE; PRAGMA "
            "cache_size = -16384");
        database_->run(fmt::format("PRAGMA user_version = {}", schema_version).c_str());
        database_->run(tables);
        into_.emplace(*database_);
        database_->run("BEGIN");
    }

    void begin(const ExportHead& head) override {
        Insert manifest(*database_, "manifest", 2);
        const auto say = [&](const std::string& key, const std::string& value) { (manifest << key << value).done(); };
        say("schema", "magicwire.sqlite/" + std::to_string(schema_version));
        say("status", head.status);
        say("time_ns", head.clock);
        const auto json = nlohmann::ordered_json::parse(head.manifest, nullptr, false);
        for (const auto& [key, value] : json.items()) {
            if (key != "schema" && key != "status" && key != "time_ns" && key != not_joined)
                say(key, value.is_string() ? value.get<std::string>() : value.dump());
        }
        nodes_.resize(head.nodes);
    }

    void item(const TraceItem& item, const Match& match) override {
        switch (item.kind) {
            case TraceItem::Kind::Record:
                return record(item, match);
            case TraceItem::Kind::Lost:
                nodes_[item.node].lost += item.loss.last_seq - item.loss.first_seq + 1LL;
                return (into_->losses << item.node << item.loss.first_seq << item.loss.last_seq
                                      << loss_cause_name(item.loss.cause) << classes_text(item.loss.classes)
                                      << number(item.node_us) << number(item.until_us) << (item.loss.until_us > 0 ? 1 : 0))
                    .done();
            case TraceItem::Kind::Unloaded:
                return (into_->unloads << item.node << number(item.node_us) << item.main_ns << item.count).done();
            case TraceItem::Kind::End:
                return end_of(item);
        }
    }
    void also_joined(const TraceItem& item, const Match& match) override { joined(item, match); }
    void end(const ExportResult& result) override {
        {
            Insert manifest(*database_, "manifest", 2);
            const std::string count = std::to_string(result.unmatched);
            (manifest << not_joined << count).done();
        }
        into_.reset();
        database_->run("COMMIT");
        database_->run(indices);
    }
    void close() override {
        database_.reset();
        file_.give_name();
    }

private:
    static std::int64_t number(std::uint64_t value) { return static_cast<std::int64_t>(value); }

    void end_of(const TraceItem& item) {
        const NodeSums& sums = nodes_[item.node];
        Insert row(*database_, "nodes", 7);
        row << item.node << (item.finished ? 1 : 0) << sums.records << sums.lost;
        if (sums.records > 0) {
            row << sums.first_us << sums.last_us << sums.last_ns;
        } else {
            row.null(3);
        }
        row.done();
    }
    void record(const TraceItem& item, const Match& match) {
        const Event& e = item.event;
        NodeSums& sums = nodes_[item.node];
        if (sums.records++ == 0) sums.first_us = number(item.node_us);
        sums.last_us = number(item.node_us);
        sums.last_ns = item.main_ns;
        event(item);
        if (match.second) joined(item, match);
        if (e.kind == EventKind::NodeUsage)
            (into_->usage << item.node << e.seq << number(item.node_us) << item.main_ns << e.task << e.subtask
                          << (e.bytes & 0xFF) << (e.bytes >> 8 & 0xFF) << (e.bytes >> 16 & 0xFF) << (e.bytes >> 24) << e.peer)
                .done();
        if (e.kind == EventKind::Synchronise)
            (into_->sync << item.node << e.seq << e.task << number(item.node_us) << item.main_ns).done();
    }
    void joined(const TraceItem& item, const Match& match) {
        const EventKind kind = item.event.kind;
        Insert& row = kind == EventKind::Send || kind == EventKind::Receive ? into_->messages : into_->kernel_messages;
        const bool send = kind == EventKind::Send || kind == EventKind::SendCall;
        if (send) row << item.node << item.event.seq;
        row << match.node << match.seq;
        if (!send) row << item.node << item.event.seq;
        row.done();
    }
    static Insert& head(Insert& row, const TraceItem& item) {
        return row << item.node << item.event.seq << kind_name(item.event.kind) << number(item.node_us) << item.main_ns;
    }
    void event(const TraceItem& item) {
        const Event& e = item.event;
        switch (e.kind) {
            case EventKind::Send:
            case EventKind::Receive: {
                char subtask[8];
                const auto end = fmt::format_to(subtask, FMT_COMPILE("{:04x}"), e.subtask);
                const std::string_view text(subtask, static_cast<std::size_t>(end - subtask));
                return (head(into_->task, item) << e.task << text << e.is_result << e.peer << e.bytes).done();
            }
            case EventKind::MessageSend:
            case EventKind::MessageReceive:
                return (head(into_->message, item) << e.peer << e.bytes << e.subtask << static_cast<std::int32_t>(e.task))
                    .done();
            case EventKind::ReceiveCall:
                return (head(into_->call, item) << e.subtask << static_cast<std::int32_t>(e.task)).done();
            case EventKind::SendCall:
                return (head(into_->send_call, item) << e.peer << e.subtask << static_cast<std::int32_t>(e.task) << e.bytes)
                    .done();
            case EventKind::Partner:
                return (head(into_->partner, item) << e.peer << e.subtask << e.task).done();
            case EventKind::Member:
                return (head(into_->member, item) << e.peer << e.bytes << e.task << e.subtask).done();
            case EventKind::CollectiveBegin:
            case EventKind::CollectiveEnd:
                return (head(into_->collective, item) << e.peer << e.subtask << e.bytes << operation_name(e)).done();
            case EventKind::ProcessStart:
            case EventKind::ProcessEnd: {
                const std::string name = process_name(e);
                return (head(into_->process, item) << e.peer << name).done();
            }
            case EventKind::User:
                return (head(into_->user, item) << e.task << number(e.subtask | std::uint64_t{e.bytes} << 32)).done();
            case EventKind::Synchronise:
                return (head(into_->interrupt, item) << e.task).done();
            case EventKind::NodeUsage:
                break;
        }
        head(into_->other, item).done();
    }

    GrowingFile file_;
    std::unique_ptr<Database> database_;
    std::optional<Inserts> into_;
    std::vector<NodeSums> nodes_;
};

}  // namespace

std::unique_ptr<Exporter> make_sqlite(const std::string& out, bool force) {
    return std::make_unique<Sqlite>(out, force);
}

}  // namespace tmon_export
