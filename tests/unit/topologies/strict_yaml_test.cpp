#include "input_error_text.hpp"

#include <gmock/gmock.h>

#include <topologies/strict_yaml.hpp>

using topologies::parse_time;
using topologies::YamlValue;
using vocabulary::SimTime;

namespace {

YamlValue yaml(const std::string& text) {
    return YamlValue::parse(text, "f.yaml");
}
YamlValue value(const std::string& text) {
    return yaml("key: " + text).at("key");
}
std::string parse_error(const std::string& text) {
    return input_error_text([&] { yaml(text); });
}
std::string time_error(const std::string& text) {
    return input_error_text([&] { value(text).time(); });
}
std::string size_error(const std::string& text) {
    return input_error_text([&] { value(text).byte_size(); });
}
std::string frequency_error(const std::string& text) {
    return input_error_text([&] { value(text).frequency_hz(); });
}

}  // namespace

TEST(StrictYaml, KnowsThePlaceOfEveryValueFromOne) {
    const YamlValue root = yaml("a: 1\nb: {c: [x, 'yz']}\n");
    EXPECT_EQ(root.where().text(), "f.yaml:1:1");
    const YamlValue c = root.at("b").at("c");
    EXPECT_EQ(c.where().text(), "f.yaml:2:8");
    EXPECT_EQ(c.items()[1].where().text(), "f.yaml:2:12");
    EXPECT_EQ(root.where_key("b").text(), "f.yaml:2:1");
}

TEST(StrictYaml, KnowsThePlaceOfALetterAlsoInsideQuotes) {
    EXPECT_EQ(value("abc").where(2).text(), "f.yaml:1:8");
    EXPECT_EQ(value("'abc'").where(2).text(), "f.yaml:1:9");
}

TEST(StrictYaml, GivesEntriesInFileOrder) {
    const auto entries = yaml("z: 1\na: 2\nm: 3\n").entries();
    ASSERT_EQ(entries.size(), 3u);
    EXPECT_EQ(entries[0].first, "z");
    EXPECT_EQ(entries[2].second.text(), "3");
}

TEST(StrictYaml, AcceptsAByteOrderMark) {
    EXPECT_EQ(yaml("\xef\xbb\xbf"
                   "a: 1\n")
                  .at("a")
                  .text(),
              "1");
    EXPECT_EQ(yaml("\xef\xbb\xbf{\"a\": 1}").at("a").where().text(), "f.yaml:1:7");
}

TEST(StrictYaml, NamesTheTabThatIndents) {
    const std::string what = "a tab in the indentation; YAML indents with spaces only; write spaces instead";
    EXPECT_EQ(parse_error("a:\n\tb: 1\n\tc: 2\n"), "f.yaml:2:1: " + what);
    EXPECT_EQ(parse_error("a:\n  b: 1\n\tc: 2\n"), "f.yaml:3:1: " + what);
    EXPECT_EQ(parse_error("a:\n \t- b\n \t- c: d: e\n"), "f.yaml:2:2: " + what);
    EXPECT_EQ(yaml("a: {\n\tb:\t1,\n\tc: 2}\n").at("a").at("c").text(), "2");
    EXPECT_THAT(parse_error("a: {\n\tb: 1\n\n"), testing::Not(testing::HasSubstr("tab")));
}

TEST(StrictYaml, AcceptsJson) {
    const YamlValue root = yaml(R"({"a": [1, 2], "b": "text"})");
    EXPECT_EQ(root.at("a").items().size(), 2u);
    EXPECT_EQ(root.at("b").text(), "text");
}

TEST(StrictYaml, TellsKindsApart) {
    EXPECT_TRUE(value("{a: 1}").is_map());
    EXPECT_TRUE(value("[a]").is_list());
    EXPECT_TRUE(value("a").is_scalar());
    EXPECT_FALSE(value("").is_scalar());
}

TEST(StrictYaml, ReadsTruthAndNumbers) {
    EXPECT_TRUE(value("true").boolean());
    EXPECT_FALSE(value("false").boolean());
    EXPECT_EQ(value("-3").integer(-5, 5), -3);
    EXPECT_DOUBLE_EQ(value("1.5e3").number(), 1500.0);
    EXPECT_EQ(value("red").one_of({"red", "green"}), "red");
}

TEST(StrictYaml, RefusesAnUnknownKeyWithTheNearestKnownOne) {
    EXPECT_EQ(input_error_text([] {
                  yaml("a: 1\nsped: 2\n").only_keys({"a", "speed"});
              }),
              "f.yaml:2:1: unknown key 'sped', did you mean 'speed'?");
}

TEST(StrictYaml, ListsTheKnownKeysWhenNoneIsNear) {
    EXPECT_EQ(input_error_text([] {
                  yaml("colour: 2\n").only_keys({"a", "speed"});
              }),
              "f.yaml:1:1: unknown key 'colour'; the keys here are a, speed");
}

TEST(StrictYaml, RefusesAMissingKey) {
    EXPECT_EQ(input_error_text([] { yaml("a: {b: 1}").at("a").at("c"); }),
              "f.yaml:1:4: key 'c' is missing in 'a'; add 'c: ...'");
}

TEST(StrictYaml, RefusesAKeyWrittenTwice) {
    EXPECT_EQ(parse_error("a: 1\nb: 2\na: 3\n"), "f.yaml:3:1: key 'a' is already at line 1; keep one of the two");
}

TEST(StrictYaml, RefusesTextThatIsNotYaml) {
    EXPECT_EQ(parse_error("a: [1\n"),
              "f.yaml:2:1: not valid YAML: end of sequence flow not found; check brackets, quotes and "
              "indentation here");
    EXPECT_EQ(parse_error("a: b: c"),
              "f.yaml:1:5: not valid YAML: illegal map value; check brackets, quotes and indentation here");
}

TEST(StrictYaml, RefusesAnEmptyFile) {
    EXPECT_EQ(parse_error(""), "f.yaml: is empty; write at least 'version: 1'");
    EXPECT_EQ(parse_error("# nothing\n"), "f.yaml: is empty; write at least 'version: 1'");
}

TEST(StrictYaml, RefusesAFileThatCannotBeRead) {
    EXPECT_EQ(input_error_text([] { YamlValue::read_file("no/such/file.yaml"); }),
              "no/such/file.yaml: cannot be read: No such file or directory; check the path");
    EXPECT_EQ(input_error_text([] { YamlValue::read_file("/"); }), "/: cannot be read: Is a directory; check the path");
}

TEST(StrictYaml, RefusesWhatASimpleFileDoesNotNeed) {
    EXPECT_EQ(parse_error("a: 1\n---\nb: 2\n"), "f.yaml:2:1: a second document begins here; keep one document a file");
    EXPECT_EQ(parse_error("a: &x 1\n"), "f.yaml:1:4: anchors are not supported; write the value out where it is needed");
    EXPECT_EQ(parse_error("a: !thing 1\n"), "f.yaml:1:4: the tag '!thing' is not supported; leave it out");
    EXPECT_EQ(parse_error("[a]: 1\n"), "f.yaml:1:1: a key must be one word; write 'word: value'");
}

TEST(StrictYaml, RefusesTheWrongKindOfValue) {
    EXPECT_EQ(input_error_text([] { value("[a]").text(); }),
              "f.yaml:1:6: 'key' must be one value, but is a list; write a single word or number");
    EXPECT_EQ(input_error_text([] { value("abc").items(); }),
              "f.yaml:1:6: 'key' must be a list, but is the text 'abc'; write lines that begin with '- ', or '[a, b]'");
    EXPECT_EQ(
        input_error_text([] { value("[a]").items()[0].only_keys({}); }),
        "f.yaml:1:7: an entry of 'key' must be a map, but is the text 'a'; write lines of 'key: value', or '{key: value}'");
    EXPECT_EQ(input_error_text([] { value("").text(); }),
              "f.yaml:1:1: 'key' must be one value, but is empty; write a single word or number");
}

TEST(StrictYaml, RefusesNumbersOutOfRangeOrMalformed) {
    const std::string range = "but must be a whole number from 1 to 9; write a number in that range";
    for (const std::string text : {"0", "10", "abc", "3.5", "3x", "99999999999999999999"}) {
        EXPECT_EQ(input_error_text([&] { value(text).integer(1, 9); }), "f.yaml:1:6: 'key' is '" + text + "', " + range);
    }
    for (const std::string text : {"abc", "1.5x", ".inf", "nan", "1e999"}) {
        EXPECT_EQ(input_error_text([&] { value(text).number(); }),
                  "f.yaml:1:6: 'key' is '" + text + "', but must be a number; write one such as 12.5");
    }
}

TEST(StrictYaml, RefusesAWordThatIsNotInTheList) {
    EXPECT_EQ(input_error_text([] {
                  value("gren").one_of({"red", "green"});
              }),
              "f.yaml:1:6: 'key' is 'gren', did you mean 'green'?");
    EXPECT_EQ(input_error_text([] {
                  value("purple").one_of({"red", "green", "blue"});
              }),
              "f.yaml:1:6: 'key' is 'purple'; write red, green or blue");
    EXPECT_EQ(input_error_text([] { value("yes").boolean(); }),
              "f.yaml:1:6: 'key' is 'yes', but must be true or false; write one of the two");
}

TEST(Times, AreReadExactlyInEveryUnit) {
    EXPECT_EQ(value("1.5ms").time(), SimTime::us(1500));
    EXPECT_EQ(value("20us").time(), SimTime::us(20));
    EXPECT_EQ(value("20 us").time(), SimTime::us(20));
    EXPECT_EQ(value("3 s").time(), SimTime::s(3));
    EXPECT_EQ(value("100ns").time(), SimTime::ns(100));
    EXPECT_EQ(value("7ps").time(), SimTime::ps(7));
    EXPECT_EQ(value("0s").time(), SimTime());
    EXPECT_EQ(value("0.1s").time(), SimTime::ms(100));
    EXPECT_EQ(value("1.123456789012s").time(), SimTime::ps(1'123'456'789'012));
    EXPECT_EQ(value("1.50000000000ns").time(), SimTime::ps(1500));
}

TEST(Times, StartAtZero) {
    EXPECT_EQ(time_error("-3ms"), "f.yaml:1:6: '-3ms' is negative, but times start at 0; write 0 or more, as in '20us'");
}

TEST(Times, NeedAUnit) {
    EXPECT_EQ(time_error("20"), "f.yaml:1:6: '20' has no unit; write ps, ns, us, ms or s, as in '20us'");
    EXPECT_EQ(time_error("20 minutes"),
              "f.yaml:1:6: '20 minutes' has the unknown unit 'minutes'; write ps, ns, us, ms or s, as in '20us'");
    EXPECT_EQ(time_error("1.2.3s"), "f.yaml:1:6: '1.2.3s' has the unknown unit '.3s'; write ps, ns, us, ms or s, as in '20us'");
}

TEST(Times, MustBeNumbersOfPicosecondsThatFit) {
    EXPECT_EQ(time_error("soon"), "f.yaml:1:6: 'soon' is not a time; write a number and its unit, as in '20us'");
    EXPECT_EQ(time_error(".s"), "f.yaml:1:6: '.s' is not a time; write a number and its unit, as in '20us'");
    EXPECT_EQ(time_error("0.5ps"), "f.yaml:1:6: '0.5ps' is not a whole number of picoseconds; write fewer decimals");
    EXPECT_EQ(time_error("9999999999s"), "f.yaml:1:6: '9999999999s' is too large a time; write a smaller one");
}

TEST(Times, AreReadFromTheCommandLineToo) {
    EXPECT_EQ(parse_time("12.4ms", {"--until", 0, 0}), SimTime::us(12400));
    EXPECT_EQ(input_error_text([] {
                  parse_time("-1s", {"--until", 0, 0});
              }),
              "--until: '-1s' is negative, but times start at 0; write 0 or more, as in '20us'");
}

TEST(Sizes, CountInPowersOfTwo) {
    EXPECT_EQ(value("4MiB").byte_size(), 4u << 20);
    EXPECT_EQ(value("512KiB").byte_size(), 512u << 10);
    EXPECT_EQ(value("1 GiB").byte_size(), 1u << 30);
    EXPECT_EQ(value("1.5KiB").byte_size(), 1536u);
    EXPECT_EQ(value("100").byte_size(), 100u);
    EXPECT_EQ(value("100 bytes").byte_size(), 100u);
}

TEST(Sizes, RefuseUnitsThatMayMeanTwoThings) {
    EXPECT_EQ(size_error("1MB"), "f.yaml:1:6: '1MB' may count in 1000 or in 1024; write MiB for 1024, or a number of bytes");
    EXPECT_EQ(size_error("64kB"), "f.yaml:1:6: '64kB' may count in 1000 or in 1024; write KiB for 1024, or a number of bytes");
}

TEST(Sizes, RefuseOtherMistakes) {
    EXPECT_EQ(size_error("4words"),
              "f.yaml:1:6: '4words' has the unknown unit 'words'; write bytes, KiB, MiB or GiB, as in '4MiB'");
    EXPECT_EQ(size_error("-1"), "f.yaml:1:6: '-1' is negative, but sizes start at 0; write 0 or more, as in '4MiB'");
    EXPECT_EQ(size_error("0.3"), "f.yaml:1:6: '0.3' is not a whole number of bytes; write fewer decimals");
    EXPECT_EQ(size_error("99999999999GiB"), "f.yaml:1:6: '99999999999GiB' is too large a size; write a smaller one");
}

TEST(Frequencies, AreOfClocksAndOfLinks) {
    EXPECT_EQ(value("20MHz").frequency_hz(), 20'000'000);
    EXPECT_EQ(value("17.5 MHz").frequency_hz(), 17'500'000);
    EXPECT_EQ(value("10Mbit/s").frequency_hz(), 10'000'000);
    EXPECT_EQ(value("5000 kbit/s").frequency_hz(), 5'000'000);
}

TEST(Frequencies, NeedAKnownUnit) {
    EXPECT_EQ(frequency_error("20"),
              "f.yaml:1:6: '20' has no unit; write Hz, kHz, MHz, GHz, bit/s, kbit/s, Mbit/s or Gbit/s, as in '20MHz'");
    EXPECT_EQ(frequency_error("20Mhz"),
              "f.yaml:1:6: '20Mhz' has the unknown unit 'Mhz'; write Hz, kHz, MHz, GHz, bit/s, kbit/s, "
              "Mbit/s or Gbit/s, as in '20MHz'");
    EXPECT_EQ(frequency_error("-1Hz"),
              "f.yaml:1:6: '-1Hz' is negative, but frequencies start at 0; write 0 or more, as in '20MHz'");
}
