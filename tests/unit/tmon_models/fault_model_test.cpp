// The fault-model language: the built-in files, and mistakes with their places.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <tmon_models/fault_model.hpp>
#include <vocabulary/source_position.hpp>

namespace {

using testing::HasSubstr;
using tmon_models::built_in;

std::string refusal(const std::string& text) {
    try {
        tmon_models::parse_fault_model(text, "m.yaml");
    } catch (const vocabulary::InputError& error) {
        return error.what();
    }
    return "taken";
}

std::string with(const std::string& steps, const std::string& order = "one by one", const std::string& way = "down") {
    return "format: magicwire.fault-model/1\nname: m\norder: " + order + "\nmessages:\n  - {name: item, way: " + way +
           ", label: Passing}\nplaces:\n  - at: root\n    steps:\n" + steps;
}

TEST(FaultModelFile, BuiltInModelsAreRead) {
    EXPECT_EQ(tmon_models::built_in_names(), (std::vector<std::string>{"pfvm", "dcvm", "halo"}));
    EXPECT_FALSE(built_in("pfvm").is_fixed());
    EXPECT_FALSE(built_in("dcvm").is_fixed());
    EXPECT_TRUE(built_in("halo").is_fixed());
    EXPECT_EQ(built_in("halo").unit, "exchange");
    farm_spec::FarmSpec spec;
    spec.degree = 2;
    EXPECT_EQ(tmon_models::model_of(spec).name, "dcvm");
    spec.model = "halo";
    EXPECT_EQ(tmon_models::model_of(spec).name, "halo");
    spec.model = "hallo";
    try {
        tmon_models::model_of(spec);
        FAIL();
    } catch (const vocabulary::RequestError& error) {
        EXPECT_THAT(error.what(), HasSubstr("no fault model 'hallo'; built in are pfvm, dcvm, halo"));
    }
}

TEST(FaultModelFile, MistakesAreRefusedWhereTheyStand) {
    EXPECT_EQ(refusal(with("      - {by: f(), send: item, to: each child}\n")), "taken");
    EXPECT_THAT(refusal(with("      - {by: f(), send: itme, to: each child}\n")), HasSubstr("m.yaml:9:25: "));
    EXPECT_THAT(refusal(with("      - {by: f(), send: item, to: parent}\n")), HasSubstr("does not go that way"));
    EXPECT_THAT(refusal(with("      - {by: f(), send: item, from: parent}\n")), HasSubstr("'to'"));
    EXPECT_THAT(refusal(with("      - {send: item, to: each child, receive: item, from: parent}\n")),
                HasSubstr("make two steps"));
    EXPECT_THAT(refusal(with("      - {by: f(), send: item, to: one child}\n")), HasSubstr("without choice"));
    EXPECT_THAT(refusal(with("      - {by: f(), send: item, to: each child}\n", "any")), HasSubstr("write 'one by one'"));
    EXPECT_THAT(refusal(with("      - {by: f(), sned: item, to: each child}\n")), HasSubstr("send"));
    EXPECT_THAT(refusal(with("      - {by: \"\", send: item, to: each child}\n")), HasSubstr("empty"));
    EXPECT_THAT(refusal(with("      - {by: f\xff(), send: item, to: each child}\n")), HasSubstr("not in ASCII"));
    EXPECT_THAT(refusal(with("      - {}\n")), HasSubstr("does nothing"));
    EXPECT_THAT(refusal(with("      - {send: item, to: each child}\n      - {send: item, to: each child}\n")),
                HasSubstr("m.yaml:10:9: "));
    EXPECT_THAT(refusal(with("      - {by: f(), either: [[{send: item, to: one child}]]}\n", "any")),
                HasSubstr("fewer than two"));
    EXPECT_THAT(refusal(with("      - {send: item, to: each neighbour}\n")), HasSubstr("its 'way' is down"));
    EXPECT_THAT(refusal("format: magicwire.fault-model/2\nname: m\norder: any\nmessages: []\nplaces: []\n"),
                HasSubstr("this version reads magicwire.fault-model/1"));
    EXPECT_THAT(refusal("format: magicwire.fault-model/1\nname: m\norder: any\nmessages: []\nplaces: []\n"),
                HasSubstr("is empty"));
    for (const char* nothing : {"", "\n", "# to be written\n"})
        EXPECT_EQ(
            refusal(nothing),
            "m.yaml: is empty; begin with 'format: magicwire.fault-model/1', and add name, order, messages and places, as "
            "in examples/models/pipeline.yaml");
}

TEST(FaultModelFile, AModelIsShort) {
    for (const std::string name : {"pfvm", "dcvm", "halo"}) {
        const std::string path = std::string(MAGICWIRE_SOURCE_DIR) + "/tmon/models/models/" + name + ".yaml";
        EXPECT_EQ(tmon_models::read_fault_model(path).name, name);
    }
    EXPECT_THROW(tmon_models::read_fault_model("no/such/file.yaml"), vocabulary::InputError);
}

}  // namespace
