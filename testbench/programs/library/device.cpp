// SPDX-License-Identifier: Apache-2.0
// The list of devices: the one card of the host that the process is on, if there is a simulator.
#include "testbench/programs/library/ask.h"
#include "testbench/programs/library/objects.h"

#include <cstdio>

using namespace rnicsim::programs;

namespace {

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
Card g_card;
bool g_known = false;

void name_card(ibv_device& device) {
    device.node_type = IBV_NODE_CA;
    device.transport_type = IBV_TRANSPORT_IB;
    std::snprintf(device.name, sizeof device.name, "rnicsim0");
    std::snprintf(device.dev_name, sizeof device.dev_name, "uverbs0");
    std::snprintf(device.dev_path, sizeof device.dev_path, "/sys/class/infiniband_verbs/uverbs0");
    std::snprintf(device.ibdev_path, sizeof device.ibdev_path, "/sys/class/infiniband/rnicsim0");
}

/// Null: no simulator. It may come later, so it is asked for each time until it is there.
Card* find_card() {
    const Lock here(g_lock);
    if (g_known) return &g_card;
    if (ask(Op::query_device, Nothing{}, g_card.said) != 0) return nullptr;
    name_card(g_card.device);
    g_known = true;
    return &g_card;
}

}  // namespace

ibv_device** ibv_get_device_list(int* count) {
    auto** const list = static_cast<ibv_device**>(std::calloc(2, sizeof(void*)));
    if (list == nullptr) return fail(ENOMEM);
    Card* const card = find_card();
    if (card != nullptr) list[0] = &card->device;
    if (count != nullptr) *count = card == nullptr ? 0 : 1;
    return list;
}

void ibv_free_device_list(ibv_device** list) { std::free(list); }

const char* ibv_get_device_name(ibv_device* device) { return device->name; }

__be64 ibv_get_device_guid(ibv_device* device) { return reinterpret_cast<Card*>(device)->said.guid; }

int ibv_get_device_index(ibv_device*) { return 0; }
