#include <tmon_flowback/prepared.hpp>

#include <sqlite3.h>
#include <xxhash.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include <vocabulary/source_position.hpp>

namespace tmon_flowback {
namespace {

constexpr std::size_t most_numbers = 50'000'000;  // a damaged file must not take all memory

class Rows {
public:
    Rows(sqlite3* database, const char* query) : database_(database) {
        if (sqlite3_prepare_v2(database, query, -1, &statement_, nullptr) != SQLITE_OK)
            throw std::runtime_error(sqlite3_errmsg(database));
    }
    ~Rows() { sqlite3_finalize(statement_); }
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;
    bool next() {
        const int state = sqlite3_step(statement_);
        if (state != SQLITE_ROW && state != SQLITE_DONE) throw std::runtime_error(sqlite3_errmsg(database_));
        return state == SQLITE_ROW;
    }
    std::int64_t whole(int column) const { return sqlite3_column_int64(statement_, column); }
    int number(int column) const { return static_cast<int>(whole(column)); }
    std::string text(int column) const {
        const void* data = sqlite3_column_blob(statement_, column);
        const int bytes = sqlite3_column_bytes(statement_, column);
        return data == nullptr ? std::string() : std::string(static_cast<const char*>(data), static_cast<std::size_t>(bytes));
    }
    // A number that becomes an index.
    std::uint32_t id(int column) const {
        const std::int64_t value = whole(column);
        if (value < 0 || value > static_cast<std::int64_t>(most_numbers)) throw std::runtime_error("a number is out of range");
        return static_cast<std::uint32_t>(value);
    }

private:
    sqlite3* database_;
    sqlite3_stmt* statement_ = nullptr;
};

// The file's last 16 bytes are a mark and a checksum of all before; SQLite does not look at them. The file holds code that is
// run.
void check_whole(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string all((std::istreambuf_iterator<char>(file)), {});
    if (!file && !file.eof()) throw vocabulary::InputError({path, 0, 0}, "cannot be read");
    constexpr std::size_t trailer = 16;
    std::uint64_t sum = 0;
    if (all.size() >= trailer) std::memcpy(&sum, all.data() + all.size() - 8, sizeof sum);
    if (all.size() < trailer || all.compare(all.size() - trailer, 8, "MWPREP1\n") != 0 ||
        XXH64(all.data(), all.size() - 8, 0) != sum)
        throw vocabulary::InputError({path, 0, 0},
                                     "is no prepared program, or is damaged; make it anew with 'magicwire prepare'");
}

template <class Entry>
Entry& at(std::vector<Entry>& list, std::size_t index) {
    if (index >= list.size()) list.resize(index + 1);
    return list[index];
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

}  // namespace

PreparedProgram::PreparedProgram(const std::string& path) : path_(path) {
    check_whole(path);
    sqlite3* database = nullptr;
    const bool open = sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK;
    try {
        if (!open) throw std::runtime_error("it cannot be opened");
        std::string format;
        for (Rows rows(database, "select key, value from meta"); rows.next();) {
            if (rows.text(0) == "format") format = rows.text(1);
            if (rows.text(0) == "digest") digest_ = rows.text(1);
            if (rows.text(0) == "e_blocks") blocks_ = rows.text(1);
            constructors_ = constructors_ || rows.text(0) == "constructors";
        }
        if (format != "magicwire prepared program 3") throw std::runtime_error("it is of another version");
        read_files(database);
        read_types(database);
        read_functions(database);
        read_sites(database);
        read_variables(database);
    } catch (const std::runtime_error& error) {
        const std::string why = error.what();
        sqlite3_close(database);
        throw vocabulary::InputError({path, 0, 0}, "is no prepared program: " + why + "; make it with 'magicwire prepare'");
    }
    sqlite3_close(database);
}

void PreparedProgram::read_files(void* opened) {
    auto* database = static_cast<sqlite3*>(opened);
    for (Rows rows(database, "select id, path, text from files"); rows.next();)
        files_[rows.number(0)] = {rows.text(1), lines_of(rows.text(2))};
    for (Rows rows(database, "select name, content from modules"); rows.next();) modules_[rows.text(0)] = rows.text(1);
}

void PreparedProgram::read_types(void* opened) {
    auto* database = static_cast<sqlite3*>(opened);
    for (Rows rows(database, "select id, kind, name, bytes, base, count from types"); rows.next();) {
        Type& its = at(types_, rows.id(0));
        its.kind = rows.text(1);
        its.name = rows.text(2);
        its.bytes = static_cast<std::uint64_t>(rows.whole(3));
        its.base = rows.number(4);
        its.count = rows.whole(5);
    }
    for (Rows rows(database, "select type, name, offset, member from members order by type, offset, rowid"); rows.next();)
        at(types_, rows.id(0)).members.push_back({rows.text(1), static_cast<std::uint64_t>(rows.whole(2)), rows.number(3)});
}

void PreparedProgram::read_functions(void* opened) {
    auto* database = static_cast<sqlite3*>(opened);
    for (Rows rows(database,
                   "select id, name, symbol, file, line, kind, why_outside, global, source, structures from functions");
         rows.next();) {
        FunctionEntry& its = at(functions_, rows.id(0));
        its.name = rows.text(1);
        its.symbol = rows.text(2);
        its.file = rows.number(3);
        its.line = rows.number(4);
        its.kind = static_cast<FunctionKind>(rows.number(5));
        its.why_outside = rows.text(6);
        its.global = rows.id(7);
        at(function_sources_, rows.id(0)) = rows.id(8);
        its.takes_structures = rows.number(9) != 0;
    }
    for (Rows rows(database, "select id, parent from scopes"); rows.next();) at(scopes_, rows.id(0)) = rows.number(1);
    for (Rows rows(database, "select function, block, branch, way from controls"); rows.next();) {
        FunctionEntry& its = at(functions_, rows.id(0));
        its.deciders[rows.number(1)].push_back(rows.id(2));
        its.ways[{rows.number(1), rows.id(2)}] = rows.number(3);
    }
}

void PreparedProgram::read_sites(void* opened) {
    auto* database = static_cast<sqlite3*>(opened);
    const char* all =
        "select id, function, kind, file, line, column_, block, bytes, value_kind, callee, effect, scope, bits, quiet from "
        "sites";
    for (Rows rows(database, all); rows.next();) {
        Site& its = at(sites_, rows.id(0));
        its.function = rows.id(1);
        its.kind = static_cast<SiteKind>(rows.number(2));
        its.file = rows.number(3);
        its.line = rows.number(4);
        its.column = rows.number(5);
        its.block = rows.number(6);
        its.bytes = static_cast<std::uint64_t>(rows.whole(7));
        its.value = static_cast<ValueKind>(rows.number(8));
        its.callee = rows.text(9);
        its.effect = rows.number(10);
        its.scope = rows.number(11);
        its.bits = static_cast<std::uint64_t>(rows.whole(12));
        its.quiet = rows.number(13) != 0;
        its.two_ways = its.kind == SiteKind::Branch && its.effect == 0;
    }
    for (const Site& site : sites_) kinds_.push_back(site.kind);
    for (Rows rows(database, "select site, role, operand, parameter from operands order by rowid"); rows.next();)
        at(sites_, rows.id(0)).operands.push_back({rows.number(1), rows.id(2), rows.number(3)});
}

void PreparedProgram::read_variables(void* opened) {
    auto* database = static_cast<sqlite3*>(opened);
    const char* all =
        "select id, source, name, symbol, bytes, type, file, line, constant, known, initial, scope, outside from "
        "globals order by id";
    for (Rows rows(database, all); rows.next();) {
        Global& its = at(globals_, rows.id(0));
        its = {rows.text(2),
               rows.text(3),
               static_cast<std::uint64_t>(rows.whole(4)),
               rows.number(5),
               rows.number(6),
               rows.number(7),
               rows.number(8) != 0,
               rows.number(9) != 0,
               rows.text(10),
               {},
               rows.number(11),
               rows.id(1),
               rows.number(12) != 0};
        first_globals_.try_emplace(rows.id(1), rows.id(0));
    }
    for (Rows rows(database, "select global, offset, target, addend from relocations"); rows.next();)
        at(globals_, rows.id(0)).relocations.push_back({static_cast<std::uint64_t>(rows.whole(1)), rows.id(2), rows.whole(3)});
    const char* locals = "select site, function, name, type, file, line, scope, parameter from variables";
    for (Rows rows(database, locals); rows.next();) {
        variable_at_[rows.id(0)] = variables_.size();
        variables_.push_back({rows.id(0), rows.id(1), rows.text(2), rows.number(3), rows.number(4), rows.number(5),
                              rows.number(6), rows.number(7)});
    }
}

const Site& PreparedProgram::site(std::uint32_t id) const {
    static const Site none;
    return id < sites_.size() ? sites_[id] : none;
}
const FunctionEntry& PreparedProgram::function(std::uint32_t id) const {
    static const FunctionEntry none;
    return id < functions_.size() ? functions_[id] : none;
}
const Type& PreparedProgram::type(int id) const {
    static const Type none;
    return id > 0 && static_cast<std::size_t>(id) < types_.size() ? types_[static_cast<std::size_t>(id)] : none;
}

std::uint32_t PreparedProgram::first_global(std::uint32_t source) const {
    const auto found = first_globals_.find(source);
    return found == first_globals_.end() ? 0 : found->second;
}

// A scope's number is above that of the one around it.
int PreparedProgram::scope_around(int scope) const {
    if (scope <= 0 || static_cast<std::size_t>(scope) >= scopes_.size()) return 0;
    const int around = scopes_[static_cast<std::size_t>(scope)];
    return around < scope ? around : 0;
}

const LocalVariable* PreparedProgram::variable_of(std::uint32_t site) const {
    const auto found = variable_at_.find(site);
    return found == variable_at_.end() ? nullptr : &variables_[found->second];
}

std::string PreparedProgram::file_name(int file) const {
    const auto found = files_.find(file);
    return found == files_.end() ? "?" : std::filesystem::path(found->second.path).filename().string();
}

std::string PreparedProgram::text_of(int file, int line) const {
    const auto found = files_.find(file);
    if (found == files_.end() || line < 1 || static_cast<std::size_t>(line) > found->second.lines.size()) return {};
    const std::string& text = found->second.lines[static_cast<std::size_t>(line) - 1];
    const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t\r");
    return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
}

std::string PreparedProgram::place(const Site& site) const {
    return file_name(site.file) + ":" + std::to_string(site.line);
}

const std::string& PreparedProgram::module(const std::string& name) const {
    const auto found = modules_.find(name);
    if (found == modules_.end())
        throw vocabulary::InputError({path_, 0, 0}, "has no part " + name + "; make it anew with 'magicwire prepare'");
    return found->second;
}

}  // namespace tmon_flowback
