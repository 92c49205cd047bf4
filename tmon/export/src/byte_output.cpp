#include "byte_output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <text/output_file.hpp>
#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

namespace tmon_export {

using vocabulary::InputError;

GrowingFile::GrowingFile(std::string name, bool force) : name_(std::move(name)), path_(path_of(name_)), force_(force) {
    text::check_output_file(name_, force ? text::Replace::Yes : text::Replace::No);
    if (!force && ::access(path_.c_str(), F_OK) == 0)
        throw InputError({path_, 0, 0},
                         "already exists, from an export that was killed or still runs; remove it, or replace it with -f");
    text::check_output_file(path_, text::Replace::Yes);
    ::unlink(path_.c_str());
}

GrowingFile::~GrowingFile() {
    if (!wanted_) ::unlink(path_.c_str());
}

void GrowingFile::give_name() {
    wanted_ = true;
    if (!force_) {  // link() refuses to replace a file that appeared meanwhile
        if (::link(path_.c_str(), name_.c_str()) == 0) {
            ::unlink(path_.c_str());
            return;
        }
        if (::access(name_.c_str(), F_OK) == 0)
            throw InputError({name_, 0, 0}, "exists already and is not replaced; the export is in " + path_);
    }
    if (std::rename(path_.c_str(), name_.c_str()) == 0) return;  // also where there are no links
    vocabulary::throw_file_error(name_, errno,
                                 std::string("cannot be written: ") + std::strerror(errno) + "; the export is in " + path_);
}

ByteOutput::ByteOutput(std::string name, bool force) : name_(std::move(name)) {
    if (name_ == "-") {
        file_ = stdout;
        return;
    }
    growing_.emplace(name_, force);
    file_ = std::fopen(growing_->path().c_str(), "wbx");
    if (file_ == nullptr)
        vocabulary::throw_file_error(name_, errno,
                                     std::string("cannot be created: ") + std::strerror(errno) + "; name another file with -o");
    std::setvbuf(file_, nullptr, _IOFBF, std::size_t{1} << 18);
}

ByteOutput::~ByteOutput() {
    if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}

void ByteOutput::put(std::string_view bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail(errno);
}

void ByteOutput::fail(int error) const {
    const std::string where = name_ == "-" ? "standard output" : name_;
    vocabulary::throw_file_error(where, error,
                                 std::string("cannot be written: ") + std::strerror(error) + "; is the disk full?");
}

void ByteOutput::close() {
    if (file_ == stdout) {
        if (std::fflush(stdout) != 0) fail(errno);
        return;
    }
    const int closed = std::fclose(file_);
    file_ = nullptr;
    if (closed != 0) fail(errno);
    growing_->give_name();
}

}  // namespace tmon_export
