// Output of an export: standard output, or a file that is called NAME.incomplete until it is whole. Text and bytes of any
// size.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace tmon_export {

// A file being written. It is deleted unless it gets its final name, since an export can be repeated from the trace.
class GrowingFile {
public:
    // Throws vocabulary::InputError as text::check_output_file() does, for NAME and for NAME.incomplete. `force`: replaces
    // both; else neither may exist.
    GrowingFile(std::string name, bool force);
    GrowingFile(const GrowingFile&) = delete;
    GrowingFile& operator=(const GrowingFile&) = delete;
    ~GrowingFile();
    const std::string& path() const { return path_; }
    // The file's name until it is whole.
    static std::string path_of(const std::string& name) { return name + ".incomplete"; }
    // Gives the whole file its name. Without `force`, throws vocabulary::InputError if that name exists by now; the message
    // says where the export is.
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
