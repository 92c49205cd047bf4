// Where an export goes: a file that is NAME.incomplete until it is whole, or standard output. Text and bytes of any size.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace tmon_export {

// A file while it is being made. One that does not get its own name is deleted, since an export can be made again from its
// trace.
class GrowingFile {
public:
    // Throws vocabulary::InputError as text::check_output_file() does, for NAME and for NAME.incomplete. Without `force`
    // neither may be there, else they are replaced.
    GrowingFile(std::string name, bool force);
    GrowingFile(const GrowingFile&) = delete;
    GrowingFile& operator=(const GrowingFile&) = delete;
    ~GrowingFile();
    const std::string& path() const { return path_; }
    // The name of such a file until it is whole.
    static std::string path_of(const std::string& name) { return name + ".incomplete"; }
    // Gives the whole file its name. Without `force` a file that appeared meanwhile is not replaced. Then it throws
    // vocabulary::InputError, which says where the export stays.
    void give_name();

private:
    std::string name_, path_;
    bool force_, wanted_ = false;
};

class ByteOutput {
public:
    // name "-": standard output. Throws vocabulary::InputError as GrowingFile does, or when the host refuses.
    ByteOutput(std::string name, bool force);
    ByteOutput(const ByteOutput&) = delete;
    ByteOutput& operator=(const ByteOutput&) = delete;
    ~ByteOutput();

    // Each throws vocabulary::InputError when the host refuses.
    void put(std::string_view bytes);
    void close();  // gives the file its name

private:
    [[noreturn]] void fail(int error) const;
    std::string name_;
    std::optional<GrowingFile> growing_;
    std::FILE* file_ = nullptr;
};

}  // namespace tmon_export
