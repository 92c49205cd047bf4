// The limit of a farm's rate: the link or processor that was saturated in the steady state.
#pragma once

#include <oracle/farm_report.hpp>

namespace oracle {

// Precondition: `report` has the shares of the steady state.
FarmReport::Limit limit_of(const FarmReport& report);

}  // namespace oracle
