// The model beside the published figures, and a validation that fails when the model is off.
#include <validation/validation.hpp>

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

#include <vocabulary/source_position.hpp>

namespace {

using validation::Figure;
using validation::standard_costs_with;
using validation::validate;

const Figure& named(const std::vector<Figure>& figures, const std::string& name) {
    for (const Figure& figure : figures) {
        if (figure.name == name) return figure;
    }
    ADD_FAILURE() << "no figure " << name;
    return figures.front();
}

std::string error(const std::function<void()>& action) {
    try {
        action();
    } catch (const vocabulary::InputError& found) {
        return found.what();
    }
    return "no InputError was thrown";
}

}  // namespace

class EachFigure : public testing::TestWithParam<std::string> {};

TEST_P(EachFigure, LiesWithinItsTolerance) {
    const auto figures = validate(standard_costs_with({}), GetParam());
    ASSERT_EQ(figures.size(), 1U);
    EXPECT_TRUE(figures[0].good()) << figures[0].model << " " << figures[0].unit << ", published " << figures[0].least << " to "
                                   << figures[0].most;
}

INSTANTIATE_TEST_SUITE_P(Validation, EachFigure, testing::ValuesIn(validation::validation_names()), [](const auto& instance) {
    std::string name = instance.param;
    for (char& c : name) c = c == '.' ? '_' : c;
    return name;
});

TEST(Validation, NamesEachFigureOnce) {
    const auto names = validation::validation_names();
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
}

TEST(Validation, SaysOfEachFigureWhereItComesFromAndWhyItsToleranceIsWhatItIs) {
    for (const Figure& figure : validate(standard_costs_with({}), "")) {
        EXPECT_FALSE(figure.source.empty()) << figure.name;
        EXPECT_FALSE(figure.reason.empty()) << figure.name;
        EXPECT_LE(figure.least, figure.most) << figure.name;
    }
}

TEST(Validation, FailsForTheLinksWhenADataPacketIsLonger) {
    const auto figures = validate(standard_costs_with({{"link.data_packet", "13"}}), "");
    EXPECT_FALSE(named(figures, "link_20.one_way").good());
    EXPECT_FALSE(named(figures, "byte_link_10.both_ways").good());
    EXPECT_TRUE(named(figures, "commstime.loop").good());
    EXPECT_TRUE(named(figures, "interrupt.latency").good());
}

struct Change {
    const char *cost, *value, *figure;
    friend void PrintTo(const Change& c, std::ostream* out) { *out << c.cost << "=" << c.value; }
};
class ChangedCost : public testing::TestWithParam<Change> {};

TEST_P(ChangedCost, IsSeenByTheFigureItDecides) {
    const Change& change = GetParam();
    const auto figures = validate(standard_costs_with({{change.cost, change.value}}), change.figure);
    ASSERT_EQ(figures.size(), 1U);
    EXPECT_FALSE(figures[0].good()) << figures[0].model;
    EXPECT_THAT(validation::validation_text(figures), testing::HasSubstr(std::string("\n  ") + change.figure + ": "));
}
INSTANTIATE_TEST_SUITE_P(
    Validation, ChangedCost,
    testing::Values(Change{"switch.pass", "2.5", "link_20.one_way_3"}, Change{"switch.pass", "2.5", "byte_link_20.one_way_3"},
                    Change{"link.turn_round_20_data", "8", "link_20.both_ways"}, Change{"link.setup", "40", "message.1"},
                    Change{"link.completion", "40", "ping_pong.4"},
                    Change{"processor.preempt_latency", "20", "interrupt.latency"},
                    Change{"processor.preempt_latency_most", "57", "interrupt_most.latency"},
                    Change{"processor.preempt_latency_most_fpu", "79", "interrupt_most_fpu.latency"},
                    Change{"processor.timeslice", "1100", "timeslice.period"},
                    Change{"processor.start_process", "18", "commstime.loop"},
                    Change{"link.stolen_cycles", "2", "memory_external.slow_down"},
                    Change{"memory.external_access", "4", "memory_external.slow_down"},
                    Change{"processor.low_timer_tick", "100", "timer_low.tick"},
                    Change{"processor.low_timer_tick", "100", "timer_wait.tick"},
                    Change{"processor.high_timer_tick", "2", "timer_high.tick"},
                    Change{"link.acknowledge_packet", "4", "acknowledge.holds_up"},
                    Change{"memory.slow_down_3", "300", "memory_3.slow_down"}, Change{"link.setup", "10", "message.1"},
                    Change{"link.setup", "10", "ping_pong.4"}, Change{"link.completion", "5", "ping_pong.4"},
                    Change{"link.completion", "5", "byte_ping_pong.4"}, Change{"switch.internal", "5", "switch.effect"},
                    Change{"kernel.copy", "14", "work_30mhz.copy"}, Change{"kernel.rendezvous", "70", "kernel.local_time"},
                    Change{"kernel.copy", "14", "kernel.copy"}));

TEST(Validation, SaysOfEachFigureWhatItProves) {
    using validation::Proof;
    const auto figures = validate(standard_costs_with({}), "");
    EXPECT_EQ(named(figures, "message.256").proof, Proof::Independent);
    EXPECT_EQ(named(figures, "work_30mhz.copy").proof, Proof::Independent);
    EXPECT_EQ(named(figures, "commstime.loop").proof, Proof::Fitted);
    EXPECT_EQ(named(figures, "link_20.one_way_2").proof, Proof::Rule);
    for (const char* charged : {"interrupt.latency", "kernel.copy", "timer_low.tick", "timeslice.period", "switch.effect"})
        EXPECT_EQ(named(figures, charged).proof, Proof::Charged) << charged;
    const auto independent =
        std::count_if(figures.begin(), figures.end(), [](const Figure& figure) { return figure.proof == Proof::Independent; });
    const std::string text = validation::validation_text(figures);
    EXPECT_THAT(text.substr(text.rfind('\n', text.size() - 2)),
                testing::HasSubstr(std::to_string(independent) + " are independent: "));
    const auto json = nlohmann::json::parse(validation::validation_json(figures));
    EXPECT_EQ(json.at("independent"), independent);
    EXPECT_EQ(json.at("figures")[0].at("proof"), "independent");
}

TEST(Validation, FitsNoTolerance) {  // but those of the rows that say why
    const auto figures = validate(standard_costs_with({}), "message");
    for (const Figure& figure : figures) {
        if (figure.name == "message.wake_up") continue;
        EXPECT_EQ(figure.tolerance_percent, 0) << figure.name;
    }
    EXPECT_THAT(named(figures, "message.wake_up").reason, testing::HasSubstr("1.3 us"));
    EXPECT_NEAR(named(figures, "message.wake_up").model, 1.3, 0.001);
}

TEST(Validation, MeasuresOneFigureOrOneGroup) {
    const auto costs = standard_costs_with({});
    EXPECT_EQ(validate(costs, "commstime.loop").size(), 1U);
    EXPECT_EQ(validate(costs, "commstime").size(), 3U);
}

TEST(Validation, GivesTheSameFiguresTwice) {
    const auto costs = standard_costs_with({});
    EXPECT_EQ(validation::validation_json(validate(costs, "")), validation::validation_json(validate(costs, "")));
}

TEST(Validation, RefusesAnUnknownFigureWithTheNearestName) {
    EXPECT_EQ(error([] { validate(standard_costs_with({}), "comstime"); }),
              "--only comstime: there is no such figure or group of figures, did you mean 'commstime'?");
}

TEST(Validation, RefusesAnUnknownCostWithTheNearestName) {
    EXPECT_EQ(error([] {
                  standard_costs_with({{"link.data_paket", "13"}});
              }),
              "--set link.data_paket=13: there is no cost 'link.data_paket', did you mean 'link.data_packet'?");
    EXPECT_EQ(error([] {
                  standard_costs_with({{"link.data_packet", "long"}});
              }),
              "--set link.data_packet=long: expected a number and got 'long'");
}

TEST(Validation, CountsAMeasurementWithoutResultAsBad) {
    Figure figure;
    figure.least = 1;
    figure.most = 2;
    figure.tolerance_percent = 100;
    EXPECT_FALSE(figure.good());
    figure.model = 1.5;
    EXPECT_EQ(figure.error_percent(), 0);
    EXPECT_TRUE(figure.good());
    figure.model = 4.1;  // 105 % above the range
    EXPECT_FALSE(figure.good());
    figure.model = 0.5;
    EXPECT_EQ(figure.error_percent(), -50);
}

TEST(Validation, GivesAllAsJson) {
    const auto json = nlohmann::json::parse(validation::validation_json(validate(standard_costs_with({}), "commstime")));
    EXPECT_EQ(json.at("schema"), "magicwire.validate/1");
    EXPECT_EQ(json.at("good"), 3);
    EXPECT_EQ(json.at("bad"), 0);
    EXPECT_EQ(json.at("figures")[0].at("name"), "commstime.loop");
    EXPECT_EQ(json.at("figures")[0].at("provenance"), "V");
}
