// The files of phase 3 in the folder of a record: images/P3.7.mwi and messages.mwm (docs/formats/mwr.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <mpi_runs/rank_image.hpp>
#include <tmon_recovery/intervals.hpp>
#include <tmon_recovery/logging.hpp>
#include <tmon_recovery/message_log.hpp>

#include "recovery/recorded_run.hpp"

namespace cli {

class ImageFolder {
public:
    explicit ImageFolder(std::string folder) : folder_(std::move(folder)) {}

    std::string image(tmon_recovery::ProcessNo process, std::uint32_t index) const;
    std::string messages() const;
    void clear() const;  // removes the files of phase 3

    // A folder of this process for files that are not complete yet. keep() puts them in the place of the old ones. So a run
    // that fails, and two at a time, leave whole files. Throws vocabulary::InputError: it cannot be made.
    ImageFolder draft() const;
    void keep(const ImageFolder& draft) const;
    void remove() const;  // of a draft

    // The log of messages, if it is whole and of this record, plan and choice. Empty: phase 3 is still to do. `why`: the
    // reason, when there is a log that does not do.
    // `all`: it must have all packets.
    std::optional<tmon_recovery::MessageLog> log_of(const RecordedRun& run, bool all, std::string& why) const;
    static std::string manifest_of(const RecordedRun& run, bool all);
    static std::uint64_t identity_of(const RecordedRun& run);  // for images: record, plan and program

private:
    std::string folder_;
};

}  // namespace cli
