#include "sqlite_file.hpp"

#include <sweeps/study_database.hpp>
#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

namespace sweeps {

SqliteFile::SqliteFile(const std::string& path, Use use) : path_(path) {
    sqlite3* opened = nullptr;
    int flags = use == Use::Read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    if (use == Use::Write) flags |= SQLITE_OPEN_CREATE;
    const int result = sqlite3_open_v2(path.c_str(), &opened, flags | SQLITE_OPEN_NOMUTEX, nullptr);
    handle_.reset(opened);  // there also after a failed open, to give the reason
    if (result != SQLITE_OK) fail("cannot be opened");
}

void SqliteFile::run(const char* text) {
    if (sqlite3_exec(handle(), text, nullptr, nullptr, nullptr) != SQLITE_OK) fail("cannot be used");
}

void SqliteFile::fail(const std::string& what) const {
    const int code = sqlite3_errcode(handle());
    std::string remedy = std::string(sqlite3_errmsg(handle()));
    if (code == SQLITE_NOTADB) remedy = "it is no database; name another file";
    const vocabulary::SourcePosition where{path_, 0, 0};
    if (code == SQLITE_BUSY)
        throw DatabaseBusy(where, what + ": another process works on it; wait until it has ended, or name another file");
    if (code == SQLITE_FULL || code == SQLITE_IOERR)
        throw vocabulary::HostError(where, what + ": " + remedy +
                                               "; make room on the disk, or raise the limit on the size of files, and give "
                                               "the same command again: no row is lost");
    throw vocabulary::InputError(where, what + ": " + remedy);
}

Statement::Statement(SqliteFile& file, const char* text) : file_(file) {
    if (sqlite3_prepare_v2(file.handle(), text, -1, &statement_, nullptr) != SQLITE_OK) file.fail("is no database of a study");
}

void Statement::check(int result) const {
    if (result != SQLITE_OK) file_.fail("cannot be written");
}
Statement& Statement::bind(std::int64_t value) {
    check(sqlite3_bind_int64(statement_, ++at_, value));
    return *this;
}
Statement& Statement::bind(double value) {
    check(sqlite3_bind_double(statement_, ++at_, value));
    return *this;
}
Statement& Statement::bind(const std::string& value) {
    check(sqlite3_bind_text(statement_, ++at_, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT));
    return *this;
}
Statement& Statement::bind_nothing() {
    check(sqlite3_bind_null(statement_, ++at_));
    return *this;
}
bool Statement::step() {
    const int result = sqlite3_step(statement_);
    if (result != SQLITE_ROW && result != SQLITE_DONE) file_.fail("cannot be used");
    return result == SQLITE_ROW;
}
void Statement::done() {
    while (step()) {
    }
    sqlite3_reset(statement_);
    at_ = 0;
}
std::string Statement::text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return bytes == nullptr ? std::string()
                            : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

}  // namespace sweeps
