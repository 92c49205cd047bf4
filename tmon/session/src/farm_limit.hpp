// The limit of a farm's rate: which link or processor had nothing left to give in the steady state.
#pragma once

#include <tmon_session/farm_report.hpp>

namespace tmon_session {

// From the shares in the steady state, which `report` must have.
FarmReport::Limit limit_of(const FarmReport& report);

}  // namespace tmon_session
