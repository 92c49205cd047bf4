// ByteOutput: a file that is NAME.incomplete until close() gives it its name, or standard output. Text and bytes of any size.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace tmon_export {

class ByteOutput {
public:
    // name "-": standard output. Throws vocabulary::InputError: exists already and is not to be replaced, or cannot be made.
    ByteOutput(std::string name, bool force);
    ByteOutput(const ByteOutput&) = delete;
    ByteOutput& operator=(const ByteOutput&) = delete;
    ~ByteOutput();  // without close(): NAME.incomplete stays, when something is in it

    // Each throws vocabulary::InputError when the host refuses.
    void put(std::string_view bytes);
    void close();

private:
    [[noreturn]] void fail(int error) const;
    std::string name_, growing_;
    bool force_;
    std::FILE* file_ = nullptr;
    bool used_ = false;
};

// As ByteOutput checks: nothing has that name, or `force`.
void check_free(const std::string& name, bool force);
// Gives a finished file its name; without `force` nothing is replaced that appeared meanwhile.
void give_name(const std::string& growing, const std::string& name, bool force);

}  // namespace tmon_export
