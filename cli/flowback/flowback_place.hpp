// Where a run with --flowback keeps the prepared program and the logs: the folder flowback/ of its --out.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include <farm_programs/program_application.hpp>
#include <session/session.hpp>

namespace cli {

struct LogOptions {
    bool wanted = false;
    std::string store = "host", prepared;

    void add_store(CLI::App& command);
    void add_prepared(CLI::App& command);
};

// The version of the prepared program goes to the folder, which must exist: the logging one, and the prepared program itself,
// or the plain one. Throws vocabulary::InputError when the file is no prepared program.
session::FlowbackPlace logging_version(const std::string& folder, const std::string& prepared, const std::string& store);
session::FlowbackPlace plain_version(const std::string& folder, const std::string& prepared);
// A folder for a run that leaves no files; it goes with this object. Throws vocabulary::HostError.
class PassingFolder {
public:
    PassingFolder();
    ~PassingFolder();
    PassingFolder(const PassingFolder&) = delete;
    PassingFolder& operator=(const PassingFolder&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

// A new folder for a run that leaves nothing but logs. Returns the one inside it that they go to. Throws vocabulary::InputError
// when it exists and holds something.
std::string new_log_folder(const std::string& folder);

// After the run: the prepared program holds its logging version, so the copy goes. Returns lines that tell what was logged and
// what it cost.
std::string finish_flowback(const session::FlowbackPlace& place, const user_programs::LogSums& sums);

// NAME.prepared of a program that Magicwire brings or that is found by its name. Throws vocabulary::InputError with what to do
// when there is none.
std::string prepared_of(const std::string& program, const std::string& given);

}  // namespace cli
