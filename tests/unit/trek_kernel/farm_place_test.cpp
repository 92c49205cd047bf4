// Other links for a farm's tree, before its programs have started.
#include <gtest/gtest.h>

#include <trek_kernel/farm.hpp>

TEST(FarmPlace, GoesByTheNewLinks) {
    trek_kernel::FarmSetup setup;
    setup.config.nodes = 2;
    setup.places.resize(2);
    trek_kernel::Farm farm(setup);
    std::vector<trek_kernel::TreePlace> places(2);
    places[1].parent = trek_kernel::Branch{.node = vocabulary::NodeId(0), .link = vocabulary::LinkNo(3)};
    farm.place(places);
    EXPECT_EQ(farm.places()[1].parent->link, vocabulary::LinkNo(3));
}

TEST(FarmPlaceDeathTest, NeedsAPlaceForEveryNode) {
    trek_kernel::FarmSetup setup;
    setup.config.nodes = 2;
    setup.places.resize(2);
    trek_kernel::Farm farm(setup);
    EXPECT_DEATH(farm.place({}), "farm.place.before_it_starts");
}
