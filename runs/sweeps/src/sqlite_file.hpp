// An SQLite file and its statements. Every error names the file: DatabaseBusy if another process has it, vocabulary::HostError
// if the host has no room, else vocabulary::InputError.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <sqlite3.h>

namespace sweeps {

class SqliteFile {
public:
    enum class Use { Read, Change, Write };  // Write makes a file that is not there
    SqliteFile(const std::string& path, Use use);
    void run(const char* text);
    [[noreturn]] void fail(const std::string& what) const;  // with SQLite's reason
    sqlite3* handle() const { return handle_.get(); }
    const std::string& path() const { return path_; }

private:
    std::string path_;
    std::unique_ptr<sqlite3, decltype(&sqlite3_close_v2)> handle_{nullptr, &sqlite3_close_v2};
};

// One prepared statement. Bind in the order of its '?', then step.
class Statement {
public:
    Statement(SqliteFile& file, const char* text);
    ~Statement() { sqlite3_finalize(statement_); }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    Statement& bind(std::int64_t value);
    Statement& bind(double value);
    Statement& bind(const std::string& value);
    Statement& bind_nothing();
    bool step();  // true: there is a row
    void done();  // steps to the end and is ready for the next values
    std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
    double real(int column) const { return sqlite3_column_double(statement_, column); }
    std::string text(int column) const;
    bool is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
    bool is_text(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_TEXT; }

private:
    void check(int result) const;

    SqliteFile& file_;
    sqlite3_stmt* statement_ = nullptr;
    int at_ = 0;
};

}  // namespace sweeps
