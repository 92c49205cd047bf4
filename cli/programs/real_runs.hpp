// Folders of 'magicwire record' and how they are made: order.mwo, trace.mwt and manifest.json (docs/guide/real_mpi.md). While
// the run goes on, ranks/ has the files of its ranks.
#pragma once

#include <string>

#include <real_mpi/launch.hpp>
#include <tmon_replay/delivery_order.hpp>

namespace cli {

class RecordFolder {
public:
    explicit RecordFolder(std::string name) : name_(std::move(name)) {}

    // Makes it. `force`: replaces one that holds a record, and nothing else. Throws vocabulary::InputError or HostError.
    void make(bool force) const;
    void begin(const real_mpi::Command& command, const tmon_replay::RunIdentity& run) const;
    std::string ranks() const;  // absolute

    struct Made {
        std::size_t ranks = 0, messages = 0, receives = 0, lines = 0;
        std::vector<std::string> unseen{};
    };
    // Makes order and trace of the ranks' files, which go then. `ended`: null for a run whose recorder was killed.
    Made finish(const real_mpi::Ended* ended) const;

private:
    std::string name_;
};

// The order of a file *.mwo, or of the folder of a record. A folder whose recorder was killed is finished first.
tmon_replay::DeliveryOrder order_in(const std::string& name);
bool is_record_folder(const std::string& name);  // it has such a manifest

}  // namespace cli
