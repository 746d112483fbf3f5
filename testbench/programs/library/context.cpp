// SPDX-License-Identifier: Apache-2.0
// Opening the card: the tables through which programs call what has no name of its own in the library.
#include "testbench/programs/library/ask.h"
#include "testbench/programs/library/operations.h"
#include "testbench/programs/library/refuse.h"

#include <fcntl.h>
#include <unistd.h>

using namespace rnicsim::programs;

namespace {

void set_operations(verbs_context& verbs) {
    ibv_context_ops& ops = verbs.context.ops;
    ops.poll_cq = poll_cq;
    ops.req_notify_cq = req_notify_cq;
    ops.post_send = post_send;
    ops.post_recv = post_recv;
    ops.post_srq_recv = post_srq_recv;
    verbs.query_port = query_port;
    verbs.query_device_ex = query_device_ex;
    verbs.query_rt_values = query_rt_values;
    verbs.create_cq_ex = create_cq_ex;
    verbs.create_qp_ex = create_qp_ex;
}

void refuse_the_rest(verbs_context& verbs) {
    ibv_context_ops& ops = verbs.context.ops;
    ops.alloc_mw = Refused<"ibv_alloc_mw">{};
    ops.bind_mw = Refused<"ibv_bind_mw">{};
    ops.dealloc_mw = Refused<"ibv_dealloc_mw">{};
    verbs.advise_mr = Refused<"ibv_advise_mr">{};
    verbs.alloc_null_mr = Refused<"ibv_alloc_null_mr">{};
    verbs.read_counters = Refused<"ibv_read_counters">{};
    verbs.attach_counters_point_flow = Refused<"ibv_attach_counters_point_flow">{};
    verbs.create_counters = Refused<"ibv_create_counters">{};
    verbs.destroy_counters = Refused<"ibv_destroy_counters">{};
    verbs.reg_dm_mr = Refused<"ibv_reg_dm_mr">{};
    verbs.alloc_dm = Refused<"ibv_alloc_dm">{};
    verbs.free_dm = Refused<"ibv_free_dm">{};
    verbs.modify_flow_action_esp = Refused<"ibv_modify_flow_action_esp">{};
    verbs.destroy_flow_action = Refused<"ibv_destroy_flow_action">{};
    verbs.create_flow_action_esp = Refused<"ibv_create_flow_action_esp">{};
    verbs.modify_qp_rate_limit = Refused<"ibv_modify_qp_rate_limit">{};
    verbs.alloc_parent_domain = Refused<"ibv_alloc_parent_domain">{};
    verbs.dealloc_td = Refused<"ibv_dealloc_td">{};
    verbs.alloc_td = Refused<"ibv_alloc_td">{};
    verbs.modify_cq = Refused<"ibv_modify_cq">{};
    verbs.post_srq_ops = Refused<"ibv_post_srq_ops">{};
    verbs.destroy_rwq_ind_table = Refused<"ibv_destroy_rwq_ind_table">{};
    verbs.create_rwq_ind_table = Refused<"ibv_create_rwq_ind_table">{};
    verbs.destroy_wq = Refused<"ibv_destroy_wq">{};
    verbs.modify_wq = Refused<"ibv_modify_wq">{};
    verbs.create_wq = Refused<"ibv_create_wq">{};
    verbs.ibv_destroy_flow = Refused<"ibv_destroy_flow">{};
    verbs.ibv_create_flow = Refused<"ibv_create_flow">{};
    verbs.open_qp = Refused<"ibv_open_qp">{};
    verbs.get_srq_num = Refused<"ibv_get_srq_num">{};
    verbs.create_srq_ex = Refused<"ibv_create_srq_ex of XRC or with tag matching">{};
    verbs.open_xrcd = Refused<"ibv_open_xrcd">{};
    verbs.close_xrcd = Refused<"ibv_close_xrcd">{};
}

}  // namespace

ibv_context* ibv_open_device(ibv_device* device) {
    auto made = owned<Context>();
    if (made == nullptr) return fail(ENOMEM);
    ibv_context& context = made->verbs.context;
    Made events;
    if (const int error = ask_events(Op::async_events, events, &context.async_fd); error != 0) return fail(error);
    made->events = events.handle;
    context.cmd_fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    context.device = device;
    context.num_comp_vectors = 1;
    context.abi_compat = __VERBS_ABI_IS_EXTENDED;
    pthread_mutex_init(&context.mutex, nullptr);
    made->verbs.sz = sizeof(verbs_context);
    set_operations(made->verbs);
    refuse_the_rest(made->verbs);
    return &made.release()->verbs.context;
}

int ibv_close_device(ibv_context* context) {
    const Owned<Context> last(&of(context));
    ask(Op::destroy_channel, last->events);
    ::close(context->async_fd);
    if (context->cmd_fd >= 0) ::close(context->cmd_fd);
    return 0;
}
