// The host's end of its link: sends the image, takes requests, and sends the replies of the server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <boot_runs/boot_run.hpp>
#include <hw_model/link_stream.hpp>
#include <hw_model/timeline.hpp>

#include "run_hash.hpp"

namespace boot_runs {

class HostLink final : public hw_model::StreamUser, private hw_model::Timeline::Handler {
public:
    // `over`: called once, when the program has ended or broken the protocol.
    HostLink(const Plan& plan, hw_model::LinkStream& stream, hw_model::Timeline& timeline, std::uint32_t order,
             iserver::Server& server, RunHash& hash, std::function<void()> over);

    void begin();  // the first byte leaves now
    const std::optional<std::string>& broken_by() const { return broken_by_; }

private:
    void take_output(std::span<std::byte> into) override;
    void give_input(std::span<const std::byte> bytes) override;
    void output_done() override;
    void input_done() override;
    void byte_waits() override {}
    void fire(std::uint32_t what) override;

    void send_more();
    void listen();
    void more_input();

    const Plan& plan_;
    hw_model::LinkStream& stream_;
    hw_model::Timeline& timeline_;
    std::uint32_t order_;
    iserver::Server& server_;
    RunHash& hash_;
    std::function<void()> over_;
    SimTime answers_after_;
    iserver::PacketReader reader_;
    std::optional<std::vector<std::byte>> request_;
    std::deque<std::byte> to_send_;
    std::optional<std::string> broken_by_;
};

}  // namespace boot_runs
