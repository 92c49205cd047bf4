// A trace file whose blocks stand in the order of the items, so that whoever reads it as it comes gets that order.
#pragma once

#include <string>
#include <vector>

#include <tmon_order/trace_sorter.hpp>
#include <trace_record/trace_file.hpp>

namespace tmon_sorted {

class SortedFile : public tmon_order::SortedItems {
public:
    // Takes the manifest of `trace`. Throws as TraceFileWriter. Records keep their raw times.
    SortedFile(const std::string& trace, const std::string& path, bool force);
    void item(const tmon_order::SortedItem& item) override;
    // Writes the closing block of `trace` and gives the file its name.
    void close();

private:
    void put_run();
    std::string closing_;
    trace_record::TraceFileWriter writer_;
    std::vector<trace_record::Event> run_;  // of one node, without a gap
};

}  // namespace tmon_sorted
