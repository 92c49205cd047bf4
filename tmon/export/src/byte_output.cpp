#include "byte_output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <vocabulary/source_position.hpp>

namespace tmon_export {

using vocabulary::InputError;

void check_free(const std::string& name, bool force) {
    if (!force && ::access(name.c_str(), F_OK) == 0)
        throw InputError({name, 0, 0}, "exists already and is not replaced; name another file with -o, or add -f");
}

void give_name(const std::string& growing, const std::string& name, bool force) {
    if (!force) {  // link() refuses to replace a file that appeared meanwhile
        if (::link(growing.c_str(), name.c_str()) == 0) {
            ::unlink(growing.c_str());
            return;
        }
        if (errno == EEXIST) throw InputError({name, 0, 0}, "exists already and is not replaced; the export is in " + growing);
    }
    check_free(name, force);  // where there are no links
    if (std::rename(growing.c_str(), name.c_str()) == 0) return;
    throw InputError({name, 0, 0}, std::string("cannot be written: ") + std::strerror(errno) + "; the export is in " + growing);
}

ByteOutput::ByteOutput(std::string name, bool force) : name_(std::move(name)), growing_(name_ + ".incomplete"), force_(force) {
    if (name_ == "-") {
        file_ = stdout;
        return;
    }
    check_free(name_, force);
    file_ = std::fopen(growing_.c_str(), "wb");
    if (file_ == nullptr)
        throw InputError({name_, 0, 0},
                         std::string("cannot be created: ") + std::strerror(errno) + "; name another file with -o");
    std::setvbuf(file_, nullptr, _IOFBF, std::size_t{1} << 18);
}

ByteOutput::~ByteOutput() {
    if (file_ == nullptr || file_ == stdout) return;
    std::fclose(file_);
    if (!used_) ::unlink(growing_.c_str());
}

void ByteOutput::put(std::string_view bytes) {
    used_ = used_ || !bytes.empty();
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail(errno);
}

void ByteOutput::fail(int error) const {
    const std::string where = name_ == "-" ? "standard output" : name_;
    throw InputError({where, 0, 0}, std::string("cannot be written: ") + std::strerror(error) + "; is the disk full?");
}

void ByteOutput::close() {
    if (file_ == stdout) {
        if (std::fflush(stdout) != 0) fail(errno);
        return;
    }
    const int closed = std::fclose(file_);
    file_ = nullptr;
    if (closed != 0) fail(errno);
    give_name(growing_, name_, force_);
}

}  // namespace tmon_export
