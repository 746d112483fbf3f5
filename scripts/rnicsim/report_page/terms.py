# SPDX-License-Identifier: Apache-2.0
"""The words and signs on the page, explained."""

TERMS = (
    ("traditional, dynamic",
     "The two methods. Both see the same draws: the same frames are lost, the same registrations "
     "fail."
     ),
    ("FRP, LFP",
     "Failed-registration probability: the chance that one attempt to register memory fails. "
     "Lost-frame probability: the "
     "chance that one frame is lost on the wire."),
    ("REQ, REQ_ACK, REL",
     "The request for a transfer; its answer, valid once the memory is registered; the release at "
     "the end."
     ),
    ("time of a transfer",
     "From the upper layer's request to its completion. A transfer moves 128 KiB unless said "
     "otherwise."
     ),
    ("gain", "1 − dynamic time / traditional time. Above 0: dynamic is faster."),
    ("a ± b",
     "Mean over the repetitions and 95 % confidence interval by Student's t. Gains are paired: "
     "both methods of a repetition "
     "saw the same draws. Differences between experiments are paired, too: repetition 3 of one has "
     "the draws of repetition 3 of the other."
     ),
    ("holds, does not hold, not decided",
     "An order holds if every interval lies above 0. It does not hold if one lies below 0 even "
     "when widened for the number of "
     "points (Bonferroni). Otherwise this many transfers do not decide it."),
    ("95 % band",
     "Where 95 % of all experiments of the same size would fall if the simulator were right. It is "
     "wider than our interval: "
     "others measured the methods one after the other, without shared draws."),
)
