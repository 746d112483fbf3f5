// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/nts/settings.h"

namespace rnicsim::applications {

const Fields<NtsSettings>& nts_fields() {
    static const Fields<NtsSettings> kAll = [] {
        Fields<NtsSettings> k("run.nts");
        k.one_of(Kind::bytes, "slot", &NtsSettings::slot,
                 {"128", "256", "512", "1024", "2048", "4096", "8192", "16384", "32768"},
                 "of the ring, 8 B of header among them",
                 "NTSocks' published code: 128 B, 1 KiB; Dolphin's and PCIe's plateaus: 4 KiB")
            .in_networks();
        k.one_of(Kind::bytes, "ring", &NtsSettings::ring,
                 {"1024", "4096", "16384", "65536", "262144", "1048576", "4194304", "8388608", "67108864"},
                 "all slots of a direction", "NTSocks' published code: 8 MiB; its test: 64 MiB")
            .in_networks();
        k.choice<nts::Align>("align", &NtsSettings::align, words_of<nts::Align>(nts::kAlignNames),
                             "where slots begin: with a line; packed: 8 B behind one, as in NTSocks' published code",
                             "this page's own")
            .in_networks();
        k.choice<nts::Index>(
             "index", &NtsSettings::index, words_of<nts::Index>(nts::kIndexNames),
             "host that has the index of who reads, and of who writes: l, who receives; r, who sends; shadow: lengths "
             "say it",
             "thesis 004, 5.4.1")
            .in_networks();
        k.choice<nts::Notify>("notify", &NtsSettings::notify, words_of<nts::Notify>(nts::kNotifyNames),
                              "how the receiver learns that something has come", "thesis 004, 5.4.1")
            .in_networks();
        k.choice<nts::Mode>("mode", &NtsSettings::mode, words_of<nts::Mode>(nts::kModeNames),
                            "copies of a message beside its stores: shm, one, from the ring; origin, one more at each "
                            "program; direct, none",
                            "thesis 004, 5.4.5")
            .in_networks();
        k.flag("failover", &NtsSettings::failover,
               "while the bridge's link is down messages go by TCP, then through the ring again", "thesis 004, 5.3.2")
            .in_networks();
        k.flag("answer", &NtsSettings::answer, "the other end sends each message back, and the operation ends there",
               "thesis 004, 5.6.2")
            .in_networks();
        k.number("push_each", &NtsSettings::push_each, 1, 65'536,
                 "slots: the receiver says how far it has read at least so often", "NTSocks' published code")
            .in_networks();
        k.number("partitions", &NtsSettings::partitions, 0, NtsSettings::kMostPartitions,
                 "pairs of rings that the connections of two hosts share, in turn; 0: each has its own",
                 "thesis 004, 5.4.2: one to twelve")
            .in_networks();
        k.number("batch", &NtsSettings::batch, 1, 4096, "slots of a connection in a turn, where several share a ring",
                 "NTSocks' published code: bulk_size")
            .in_networks();
        k.flag("slicing", &NtsSettings::slicing, "a turn is a batch of slots; false: a message, however long",
               "thesis 004, 5.4.3")
            .in_networks();
        k.number("priority", &NtsSettings::priority, 0, 7, "of the connections in their partitions; 0 goes first",
                 "thesis 004, 5.5: eight")
            .in_networks();
        k.number("max_rounds", &NtsSettings::max_rounds, 0, 65'536,
                 "turns of a priority while a lower one waits; 0: as many as it likes", "assumed; thesis 004, 5.5")
            .in_networks();
        k.number("queue", &NtsSettings::queue, 1, 65'536,
                 "messages of a connection in its partition that its program has not taken, at most",
                 "NTSocks' published code")
            .in_networks();
        k.flag("flow_control", &NtsSettings::flow_control,
               "who sends is told of room in that queue; false: messages that find none are lost", "thesis 004, 5.4.4")
            .in_networks();
        k.picoseconds("serve", &NtsSettings::serve, Time{}, kMillisecond,
                      "processor: of each message, by the program that takes it", "left out")
            .in_networks();
        k.picoseconds("hand_over", &NtsSettings::hand_over, Time{}, kMillisecond,
                      "from a connection's program to the partition's thread, or back",
                      "thesis 004, 5.6.2: 1.7 us a round trip, of four")
            .in_networks();
        k.picoseconds("tx", &NtsSettings::tx, Time{}, kMillisecond, "processor: of a slot, beside its stores",
                      "fitted: 8 M messages/s (thesis 004, figure 5-21) with 84 ns of stores")
            .in_networks();
        k.picoseconds("rx", &NtsSettings::rx, Time{}, kMillisecond, "processor: of a slot, beside host.cpu.copy",
                      "fitted: 8 M messages/s (thesis 004, figure 5-21)")
            .in_networks();
        k.flag("fence", &NtsSettings::fence,
               "a fence between payload and header; false, a fault: the header may come first", "Intel SDM 3A, 11.3.1")
            .in_networks();
        k.flag("zero", &NtsSettings::zero,
               "the receiver zeroes the length of a slot that it has taken; false, a fault: it takes it again",
               "thesis 004, 5.4.1")
            .in_networks();
        k.flag("push", &NtsSettings::push,
               "the receiver says how far it has read; false, a fault: what is not read is written over",
               "thesis 004, 5.4.1")
            .in_networks();
        k.flag("unsafe", &NtsSettings::unsafe,
               "a fault of `fence`, `zero` or `push` is run, to see what it does: a run may end with exit code 1",
               "this page's own")
            .in_networks();
        return k;
    }();
    return kAll;
}

}  // namespace rnicsim::applications
