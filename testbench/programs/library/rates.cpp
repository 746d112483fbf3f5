// SPDX-License-Identifier: Apache-2.0
// Rates of links: their codes, in Mbit/s and in units of 2.5 Gbit/s.
#include "testbench/programs/library/abi.h"

namespace {

struct Rate {
    ibv_rate code;
    int mbps;
    int mult;  ///< -1: has none
};
constexpr Rate kRates[] = {
    {IBV_RATE_2_5_GBPS, 2'500, 1},     {IBV_RATE_5_GBPS, 5'000, 2},          {IBV_RATE_10_GBPS, 10'000, 4},
    {IBV_RATE_20_GBPS, 20'000, 8},     {IBV_RATE_30_GBPS, 30'000, 12},       {IBV_RATE_40_GBPS, 40'000, 16},
    {IBV_RATE_60_GBPS, 60'000, 24},    {IBV_RATE_80_GBPS, 80'000, 32},       {IBV_RATE_120_GBPS, 120'000, 48},
    {IBV_RATE_14_GBPS, 14'062, -1},    {IBV_RATE_56_GBPS, 56'250, -1},       {IBV_RATE_112_GBPS, 112'500, -1},
    {IBV_RATE_168_GBPS, 168'750, -1},  {IBV_RATE_25_GBPS, 25'781, -1},       {IBV_RATE_100_GBPS, 103'125, -1},
    {IBV_RATE_200_GBPS, 206'250, -1},  {IBV_RATE_300_GBPS, 309'375, -1},     {IBV_RATE_28_GBPS, 28'125, 11},
    {IBV_RATE_50_GBPS, 53'125, 20},    {IBV_RATE_400_GBPS, 425'000, 160},    {IBV_RATE_600_GBPS, 637'500, 240},
    {IBV_RATE_800_GBPS, 850'000, 320}, {IBV_RATE_1200_GBPS, 1'275'000, 480},
};

}  // namespace

int ibv_rate_to_mult(ibv_rate code) {
    for (const Rate& rate : kRates) {
        if (rate.code == code) return rate.mult;
    }
    return -1;
}

int ibv_rate_to_mbps(ibv_rate code) {
    for (const Rate& rate : kRates) {
        if (rate.code == code) return rate.mbps;
    }
    return -1;
}

ibv_rate mult_to_ibv_rate(int mult) {
    for (const Rate& rate : kRates) {
        if (rate.mult == mult && mult > 0) return rate.code;
    }
    return IBV_RATE_MAX;
}

ibv_rate mbps_to_ibv_rate(int mbps) {
    for (const Rate& rate : kRates) {
        if (rate.mbps == mbps) return rate.code;
    }
    return IBV_RATE_MAX;
}
