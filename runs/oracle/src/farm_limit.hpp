// The limit of a farm's rate: which link or processor had nothing left to give in the steady state.
#pragma once

#include <oracle/farm_report.hpp>

namespace oracle {

// From the shares in the steady state, which `report` must have.
FarmReport::Limit limit_of(const FarmReport& report);

}  // namespace oracle
