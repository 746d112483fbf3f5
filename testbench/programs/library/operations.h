// SPDX-License-Identifier: Apache-2.0
// What programs call through tables in the context and not by name.
#pragma once

#include "testbench/programs/library/objects.h"
#include "testbench/programs/protocol/flush_numbers.h"

namespace rnicsim::programs {

/// Of an ATOMIC WRITE's value.
inline constexpr std::size_t kAtomicBytes = 8;
inline constexpr std::uint32_t kMostMessageBytes = 1U << 31;  ///< VERBS.md 6

int query_port(ibv_context* context, std::uint8_t port, ibv_port_attr* to, std::size_t bytes);
int query_device_ex(ibv_context* context, const ibv_query_device_ex_input* input, ibv_device_attr_ex* to,
                    std::size_t bytes);
int query_rt_values(ibv_context* context, ibv_values_ex* values);

ibv_cq_ex* create_cq_ex(ibv_context* context, ibv_cq_init_attr_ex* wanted);
int poll_cq(ibv_cq* cq, int most, ibv_wc* to);
int req_notify_cq(ibv_cq* cq, int solicited_only);
void set_extended_poll(Cq& cq);

ibv_qp* create_qp_ex(ibv_context* context, ibv_qp_init_attr_ex* wanted);
int post_send(ibv_qp* qp, ibv_send_wr* first, ibv_send_wr** bad);
int post_recv(ibv_qp* qp, ibv_recv_wr* first, ibv_recv_wr** bad);
int post_srq_recv(ibv_srq* srq, ibv_recv_wr* first, ibv_recv_wr** bad);

/// Work requests of the new post API: false where there is no memory for those that it collects.
bool set_new_post(Qp& qp);
void free_new_post(Qp& qp);

/// How a work request comes. ibv_send_wr has no fields for a FLUSH, so only ibv_wr_flush can ask for one; from there on
/// its `atomic` holds address, key, bytes (compare_add), placement and selectivity (swap: one byte each).
enum class PostApi : std::uint8_t { list, calls };
inline constexpr auto kOpcodeFlush = static_cast<ibv_wr_opcode>(kWrFlush);

/// The first error of any of these, each for itself. The caller holds the QP's send lock, also in the next one.
int check_sends(const Qp& qp, const ibv_send_wr* first);
int post_send_locked(Qp& qp, ibv_send_wr* first, ibv_send_wr** bad, PostApi api);

/// Frees what the QP took of its SRQ and no completion will tell of.
int change_and_drop(Qp& qp, Op op, const void* request, std::size_t bytes);

}  // namespace rnicsim::programs
