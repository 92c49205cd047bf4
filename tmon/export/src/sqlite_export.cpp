// SQLite: docs/formats/sqlite.md has the schema. Rows go in in one transaction, indices are made when all are there.
#include <sqlite3.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tmon/thesis_files.hpp>
#include <vocabulary/source_position.hpp>

#include "byte_output.hpp"
#include "exporter.hpp"

namespace tmon_export {
namespace {

using vocabulary::InputError;

constexpr int schema_version = 1;
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
CREATE INDEX losses_by_node ON losses(node, first_seq);
)";

class Database {
public:
    explicit Database(const std::string& path) : path_(path) {
        if (sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr) != SQLITE_OK) fail();
    }
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;
    ~Database() { sqlite3_close_v2(handle); }
    void run(const char* text) {
        if (sqlite3_exec(handle, text, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
    }
    [[noreturn]] void fail() const {
        throw InputError({path_, 0, 0}, std::string("cannot be written: ") + sqlite3_errmsg(handle));
    }
    sqlite3* handle = nullptr;

private:
    std::string path_;
};

class Insert {
public:
    Insert(Database& database, const char* table, int values) : database_(database) {
        std::string text = std::string("INSERT INTO ") + table + " VALUES (?";
        for (int i = 1; i < values; ++i) text += ",?";
        if (sqlite3_prepare_v3(database.handle, (text + ")").c_str(), -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr) !=
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
    Insert& operator<<(const std::string& value) {
        sqlite3_bind_text(statement_, ++at_, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
        return *this;
    }
    Insert& operator<<(const char* constant) {
        sqlite3_bind_text(statement_, ++at_, constant, -1, SQLITE_STATIC);
        return *this;
    }
    Insert& null(int count = 1) {
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

struct NodeSums {
    std::int64_t records = 0, lost = 0;
    std::int64_t first_us = -1, last_us = -1, last_ns = 0;
};

class Sqlite final : public Exporter {
public:
    Sqlite(const std::string& out, bool force) : file_(out, force), database_(std::make_unique<Database>(file_.path())) {
        // A crash leaves a file that is called .incomplete anyway, so nothing need be safe on the way.
        database_->run(
            "PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE; PRAGMA "
            "cache_size = -16384");
        database_->run(fmt::format("PRAGMA user_version = {}", schema_version).c_str());
        database_->run(tables);
        events_.emplace(*database_, "events", 14);
        losses_.emplace(*database_, "losses", 8);
        messages_.emplace(*database_, "messages", 4);
        usage_.emplace(*database_, "usage", 11);
        sync_.emplace(*database_, "sync", 5);
        unloads_.emplace(*database_, "unloads", 4);
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
            if (key != "schema" && key != "status" && key != "time_ns")
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
                return (*losses_ << item.node << item.loss.first_seq << item.loss.last_seq
                                 << std::string(tmon::loss_cause_name(item.loss.cause)) << classes_text(item.loss.classes)
                                 << number(item.node_us) << number(item.until_us) << (item.loss.until_us > 0 ? 1 : 0))
                    .done();
            case TraceItem::Kind::Unloaded:
                return (*unloads_ << item.node << number(item.node_us) << item.main_ns << item.count).done();
            case TraceItem::Kind::End:
                return end_of(item);
        }
    }
    void end(const ExportResult&) override {
        events_.reset();
        losses_.reset();
        messages_.reset();
        usage_.reset();
        sync_.reset();
        unloads_.reset();
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
        *events_ << item.node << e.seq << kind_name(e.kind) << number(item.node_us) << item.main_ns;
        values(e);
        events_->done();
        if (match.second && e.kind == EventKind::Receive) (*messages_ << match.node << match.seq << item.node << e.seq).done();
        if (match.second && e.kind == EventKind::Send) (*messages_ << item.node << e.seq << match.node << match.seq).done();
        if (e.kind == EventKind::NodeUsage)
            (*usage_ << item.node << e.seq << number(item.node_us) << item.main_ns << e.task << e.subtask << (e.bytes & 0xFF)
                     << (e.bytes >> 8 & 0xFF) << (e.bytes >> 16 & 0xFF) << (e.bytes >> 24) << e.peer)
                .done();
        if (e.kind == EventKind::Synchronise)
            (*sync_ << item.node << e.seq << e.task << number(item.node_us) << item.main_ns).done();
    }
    // task, subtask, is_result, peer, bytes, process, number, value, name
    void values(const Event& e) {
        Insert& row = *events_;
        switch (e.kind) {
            case EventKind::Send:
            case EventKind::Receive:
                (row << e.task << fmt::format("{:04x}", e.subtask) << e.is_result << e.peer << e.bytes).null(4);
                return;
            case EventKind::MessageSend:
            case EventKind::MessageReceive:
                (row.null(3) << e.peer << e.bytes << e.subtask << static_cast<std::int32_t>(e.task)).null(2);
                return;
            case EventKind::ReceiveCall:
                (row.null(5) << e.subtask << static_cast<std::int32_t>(e.task)).null(2);
                return;
            case EventKind::ProcessStart:
            case EventKind::ProcessEnd:
                (row.null(5) << e.peer).null(2) << process_name(e);
                return;
            case EventKind::User:
                (row.null(6) << e.task << number(e.subtask | std::uint64_t{e.bytes} << 32)).null(1);
                return;
            case EventKind::Synchronise:
                (row.null(6) << e.task).null(2);
                return;
            case EventKind::NodeUsage:
                break;
        }
        row.null(9);
    }

    GrowingFile file_;
    std::unique_ptr<Database> database_;
    std::optional<Insert> events_, losses_, messages_, usage_, sync_, unloads_;
    std::vector<NodeSums> nodes_;
};

}  // namespace

std::unique_ptr<Exporter> make_sqlite(const std::string& out, bool force) {
    return std::make_unique<Sqlite>(out, force);
}

}  // namespace tmon_export
