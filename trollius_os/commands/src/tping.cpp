// tping, after LAM 7.1.4: rounds of echoes, a line each, and the sum. Several nodes are echoed one after the other in a round.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <trollius_commands/command_words.hpp>
#include <trollius_os/services.hpp>

#include "commands.hpp"

namespace trollius_commands {
namespace {

constexpr std::uint32_t usual_rounds = 10;  // the original goes on until it is interrupted

double seconds(SimTime time) {
    return static_cast<double>(time.in_ps()) * 1e-12;
}

class Tping final : public Command {
public:
    Tping(const Words& words, const Site& site) : site_(site) {
        CommandWords given(words, site, "v", "cdl", tping_usage);
        lines_ = !given.has('v');
        rounds_ = given.number('c', usual_rounds, 1, 1'000'000);
        delay_us_ = given.number('d', 1, 0, 1'000'000) * std::uint64_t{1'000'000};
        bytes_ = given.number('l', 1, 0, site.most_packet);
        nodes_ = given.take_nodes(false);
        given.end();
    }
    const char* name() const override { return "tping"; }
    std::size_t steps() const override { return rounds_ * nodes_.size(); }
    NodeId asks(std::size_t step) const override { return nodes_[step % nodes_.size()]; }
    SimTime takes(std::size_t) const override { return SimTime::us(static_cast<std::int64_t>(delay_us_)); }

    bool step(std::size_t number, trollius_os::Api& api, std::string& text) override {
        const std::size_t round = number / nodes_.size();
        if (round != round_) end_round(text);
        if (std::exchange(round_, round) != round) pause(api);
        round_time_ += trollius_os::echo(api, asks(number), bytes_);
        (asks(number) == site_.host ? local_ : remote_) += 1;
        last_ = asks(number);
        return true;
    }
    std::string tail() override {
        std::string text;
        end_round(text);
        if (messages_ == 0) return "0 messages\n";
        const std::uint64_t bytes = std::uint64_t{bytes_} * messages_;
        const double total = seconds(sum_);
        return text +
               fmt::format(
                   "{} messages, {} bytes ({}K), {:.6f} secs ({:.3f}K/sec)\nroundtrip min/avg/max: {:.6f}/{:.6f}/{:.6f}\n",
                   messages_, bytes, bytes / 1024, total, 2.0 * static_cast<double>(bytes) / 1024 / total, seconds(shortest_),
                   total / static_cast<double>(ended_), seconds(longest_));
    }

private:
    void pause(trollius_os::Api& api) const {
        api.settle();
        api.wait_until_clock(api.port().clock_us(trollius_os::Priority::Low) + delay_us_);
    }
    // A node that has not answered is not in its round.
    void end_round(std::string& text) {
        const std::uint64_t asked = remote_ + local_;
        if (asked == 0) return;
        if (lines_) text += fmt::format("  {} from {}: {:.6f} secs\n", byte_words(), from_words(), seconds(round_time_));
        shortest_ = ended_ == 0 ? round_time_ : std::min(shortest_, round_time_);
        longest_ = std::max(longest_, round_time_);
        sum_ += round_time_;
        messages_ += asked;
        ++ended_;
        round_time_ = SimTime();
        remote_ = local_ = 0;
    }
    std::string byte_words() const { return bytes_ == 1 ? "1 byte" : fmt::format("{} bytes", bytes_); }
    std::string from_words() const {
        if (remote_ + local_ == 1) return node_text(last_, site_);
        const auto count = [](std::uint64_t n, const char* kind) {
            return fmt::format("{} {} node{}", n, kind, n == 1 ? "" : "s");
        };
        if (local_ == 0) return count(remote_, "remote");
        if (remote_ == 0) return count(local_, "local");
        return count(remote_, "remote") + " and " + count(local_, "local");
    }

    const Site site_;
    std::vector<NodeId> nodes_;
    bool lines_ = true;
    std::uint32_t rounds_ = 0, bytes_ = 0;
    std::uint64_t delay_us_ = 0;
    std::size_t round_ = 0;
    SimTime round_time_, sum_, shortest_, longest_;
    std::uint64_t remote_ = 0, local_ = 0;  // answers in this round
    std::uint64_t messages_ = 0, ended_ = 0;
    NodeId last_;
};

}  // namespace

std::unique_ptr<Command> make_tping(const Words& words, const Site& site) {
    return std::make_unique<Tping>(words, site);
}

}  // namespace trollius_commands
