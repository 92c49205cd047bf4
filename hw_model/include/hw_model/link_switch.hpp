// LinkSwitch: IMS C004, a crossbar of 32 ways. It passes what its connections say and counts itself into every message, which
// costs 1.75 bit times a byte each way (link_protocol.hpp). A way without connection holds its output low: what is offered
// there never starts. Connections are set at elaboration; programming them over the configuration link is the byte-level
// model's work.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>

#include <systemc>

#include <hw_model/link_protocol.hpp>
#include <vocabulary/ids.hpp>

namespace hw_model {

class LinkSwitch : public sc_core::sc_module {
public:
    static constexpr std::size_t way_count = 32;  // C004 data sheet
    class Way;

    explicit LinkSwitch(sc_core::sc_module_name name);
    ~LinkSwitch() override;

    LinkOut& out(vocabulary::WayNo way);
    LinkIn& in(vocabulary::WayNo way);
    void connect(vocabulary::WayNo a, vocabulary::WayNo b);  // both directions
    void disconnect(vocabulary::WayNo way);                  // its output
    std::optional<vocabulary::WayNo> input_of(vocabulary::WayNo output) const;  // that drives it now
    std::optional<vocabulary::WayNo> output_of(vocabulary::WayNo input) const;

private:
    Way& way(vocabulary::WayNo number);
    std::array<std::unique_ptr<Way>, way_count> ways_;
    std::array<std::optional<vocabulary::WayNo>, way_count> output_of_;
};

}  // namespace hw_model
