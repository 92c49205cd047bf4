// Numbers, names and texts of errors.
#include <gmock/gmock.h>

#include <cerrno>

#include <trollius_os/error_numbers.hpp>

using trollius_os::error_name;
using trollius_os::error_text;

TEST(ErrorNumbers, AreTrollius201AndUpAndTheHostsBelow) {
    EXPECT_EQ(trollius_os::errors::unknown, 201);
    EXPECT_EQ(error_name(trollius_os::errors::service), "ESERVICE");
    EXPECT_EQ(error_text(trollius_os::errors::service), "service unavailable");
    EXPECT_EQ(error_name(trollius_os::errors::full), "EFULL");
    EXPECT_EQ(error_text(trollius_os::errors::bad_node), "invalid node");
    EXPECT_EQ(error_name(trollius_os::errors::high_water), "EHIGHWATER");
    EXPECT_EQ(error_name(EACCES), "");
    EXPECT_EQ(error_text(EACCES), "Permission denied");
    EXPECT_EQ(error_name(trollius_os::errors::high_water + 1), "");
}
