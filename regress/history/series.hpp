// Series are value types that the store knows too: they live in bench/model.
#pragma once

#include "bench/model/series.hpp"
