#include "frame/command.hpp"
