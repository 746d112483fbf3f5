"""Makes DIR/report.html, "A RoCEv2 RNIC", from the results of scenarios/verbs in DIR.

Usage: scripts/verbs_page DIR

`scripts/reproduce verbs` simulates them and calls this. Every simulated number on the page is from a summary.csv in DIR; a scenario whose
folder is missing has no section. Exit codes: 0 written, 2 unusable input, 3 matplotlib is missing.
"""

from rnicsim import ending
from rnicsim.family_page import page as pages
from rnicsim.family_page import verbs_measured, verbs_theory
from rnicsim.family_page.drawing import curve, lines, told
from rnicsim.family_page.experiment import gbps, shown
from rnicsim.report_page import look
from rnicsim.report_page.results import number

LEAD = ("Connections between two hosts and among many: what a card of the ConnectX-5 class does here beside what others have measured of one, beside "
        "closed forms, and what loss, distance and many senders cost.")


def styled(labels_and_curves):
    return [(label, look.GROUP_COLOURS[i], look.GROUP_MARKERS[i], look.LINE_STYLES[i], curve_) for i, (label, curve_) in enumerate(labels_and_curves)]


def rows_of(e, first):
    return [row for row in e.rows if row["values"][0] == first]


def by_place(e, column):
    """A curve for each value of the first axis, over the places of the last one."""
    return styled([(first, curve(rows, column, x=list(range(len(rows))))) for first in e.axis(0) for rows in [rows_of(e, first)]])


def over_size(title, e, column):
    return lines(title, by_place(e, column), "size of the message", bottom=0, names=[text.replace(" ", "\n") for text in e.axis()])


def by_first(e, column, cell):
    """Head and rows of a table: the last axis down, the first one across."""
    head = [e.scenario["axes"][-1], *(f"{first} {column}" for first in e.axis(0))]
    return head, [[last, *(cell(next(row for row in rows_of(e, first) if row["values"][-1] == last)) for first in e.axis(0))] for last in e.axis()]


def by_size(page, name, heading, quantity, said, alt, caption):
    """A section on one quantity over the size of a message; (HTML, the experiment) or None. `quantity`: column, unit, title, cell of the table."""
    e = page.experiment(name)
    if e is None:
        return None
    column, unit, title, cell = quantity
    head, table = by_first(e, unit, cell)
    return told(said(e)) + page.figure(e, heading, [(over_size(title, e, column), alt)], caption, head, table), e


TIME = ("mean_us", "us", "Mean time (us)", lambda row: shown(row, "mean_us", 1, 3))
RATE = ("goodput_gbps", "Gb/s", "Goodput (Gb/s)", gbps)


def latency(page):
    def said(e):
        return ["A message at a time, as ib_write_lat, ib_send_lat and ib_read_lat measure: half a round of WRITE and SEND, a whole one of READ. What is not inline is "
                "read by the card first: the step behind 220 B.",
                "2 B: " + ", ".join(f"{what.upper()} {shown(rows_of(e, what)[0], 'mean_us', 1, 3)} us" for what in e.axis(0)) + "."]
    return by_size(page, "latency", "Latency", TIME, said, "latency over the size of the message, for WRITE, SEND and READ",
                   "No loss; the link's delay holds a switch.")


def bandwidth(page):
    def said(_):
        return ["A stream of messages, 128 of them outstanding, none inline, as ib_write_bw and the others measure. Below some KiB the processor's post and poll bound "
                "it, above the line does."]
    return by_size(page, "bandwidth", "Bandwidth", RATE, said, "bandwidth over the size of the message", "One connection, one core.")


def inline(page):
    def said(_):
        return ["A pushed WQE that holds its payload needs no read of host memory; a payload of its own needs one, a WQE behind a doorbell one more."]
    return by_size(page, "inline", "What a read of host memory costs", TIME, said, "latency over the size, pushed and behind a doorbell",
                   "WRITE; the inline limit is 220 B.")


def speeds(page):
    e = page.experiment("speeds")
    if e is None:
        return None
    head, table = by_first(e, "us", lambda row: shown(row, "mean_us", 1, 3))
    curves = styled([(what, curve(rows_of(e, what), "mean_us")) for what in e.axis(0)])
    panels = [(lines("Mean time (us)", curves, "Gb/s of the link", bottom=0), "latency over the rate of the link")]
    return told(["The same card at slower links: a message of 4 KiB."]) + page.figure(e, "Latency at other speeds", panels, "4 KiB.", head, table), None


def services(page):
    e = page.experiment("services")
    if e is None:
        return None
    head = ["outstanding", *(f"{service} us" for service in e.axis(0)), *(f"{service} Gb/s" for service in e.axis(0))]
    table = []
    for text in e.axis():
        of = [next(row for row in rows_of(e, service) if row["values"][-1] == text) for service in e.axis(0)]
        table.append([text, *(shown(row, "mean_us", 1, 3) for row in of), *map(gbps, of)])
    names = [text.replace("stream, ", "") if "stream" in text else "in turn" for text in e.axis()]
    panels = [(lines(title, by_place(e, column), "messages outstanding", bottom=0, names=names), alt) for title, column, alt in
              (("Mean time (us)", "mean_us", "time until a message is over, over the messages outstanding, for rc, uc and ud"),
               ("Goodput (Gb/s)", "goodput_gbps", "goodput over the messages outstanding, for rc, uc and ud"))]
    alone = {service: rows_of(e, service)[1] for service in e.axis(0)}
    said = ["SENDs of 1 KiB over a reliable connection (rc), an unreliable one (uc) and as datagrams (ud). One way they take the same time, but for the 40 B that a "
            "datagram's receive buffer begins with. Who gets a message waits for no answer; who wants its buffer back does.",
            "One outstanding: " + ", ".join(f"{service} {shown(row, 'mean_us', 1, 3)} us and {gbps(row)} Gb/s" for service, row in alone.items()) +
            ". With more the processor bounds all three."]
    return told(said) + page.figure(e, "What an answer costs", panels, "SEND of 1 KiB, no loss.", head, table), None


def loss(page):
    e = page.experiment("loss")
    if e is None:
        return None
    selective = rows_of(e, "selective_repeat")
    head = ["loss", *(f"{policy} Gb/s" for policy in e.axis(0)), *(f"sent again, {policy}" for policy in e.axis(0)), "lost, selective_repeat", "timeouts, go_back_n",
            "timeouts, selective_repeat"]
    table = []
    for text in e.axis():
        of = [next(row for row in rows_of(e, policy) if row["values"][-1] == text) for policy in e.axis(0)]
        table.append([text, *map(gbps, of), *(f"{int(row['a.rc.retransmissions']):,}" for row in of), f"{int(of[-1]['a-b.a_to_b_lost']):,}", of[1]["a.rc.timeouts"],
                      of[-1]["a.rc.timeouts"]])
    worst = {policy: rows_of(e, policy)[-1] for policy in e.axis(0)}
    text = e.axis()[-1]
    said = ["WRITEs of 64 KiB in 64 packets, lost at random on both ways. A lost packet costs go_back_n what has been decided before the NAK comes, a whole window here, "
            "because the transmit buffer holds one; selective_repeat sends what is missing, and more.",
            f"At {text}: " + ", ".join(f"{policy} {gbps(row)} Gb/s" for policy, row in worst.items()) + ".", *where_it_goes(selective[-1])]
    places = list(range(len(e.axis())))
    curves = by_place(e, "goodput_gbps")
    clean = number(rows_of(e, "go_back_n")[0]["goodput_gbps"])
    forms = (("go_back_n with the timer, theory", ":", verbs_theory.go_back_n), ("go_back_n, theory", "--", verbs_theory.whole_window),
             ("selective_repeat, theory", "-.", verbs_theory.selective_repeat))
    for label, dashes, form in forms:
        theory = [clean * form(verbs_theory.of_loss(text)) for text in e.axis()]
        curves.append((label, look.INK, "", dashes, (places, theory, [float("nan")] * len(places))))
    again = styled([(policy, (places, [int(row["a.rc.retransmissions"]) / int(row["transfers_completed"]) for row in rows_of(e, policy)],
                              [float("nan")] * len(places))) for policy in e.axis(0)])
    panels = [(lines("Goodput (Gb/s)", curves, "lost packets", bottom=0, names=e.axis()), "goodput over loss for three ways to repeat, and theory of two of them"),
              (lines("Packets sent again, a message", again, "lost packets", bottom=0, names=e.axis()), "packets sent again over loss")]
    return told(said) + page.figure(e, "What a lost packet costs", panels, "Timeout 1.05 ms.", head, table), worst


def where_it_goes(row):
    """What a run of selective_repeat sends again, and how long it waits."""
    lost, again, copies, timeouts = (int(row[key]) for key in ("a-b.a_to_b_lost", "a.rc.retransmissions", "b.rc.duplicates", "a.rc.timeouts"))
    dropped = int(row["b.rc.out_of_sequence"]) - int(row["b.rc.naks_sent"])
    took = verbs_theory.took_us(row) / 1e3
    return [f"selective_repeat misses 1-p. Of the {again:,} packets that it sends again {lost:,} replace lost ones. At least {dropped:,} had come and were dropped: behind a lost first packet of "
            f"a WRITE nobody knows where the others go (V-S11), so what is left of the window is lost with it. {copies:,} were there already: a NAK sequence and the timer bring all that is "
            "not known to have come (V-R11).",
            f"But most of the time is the timer's: {timeouts} expiries of {verbs_theory.TIMEOUT_US / 1e3:.2f} ms are {timeouts * verbs_theory.TIMEOUT_US / 1e3:.1f} of {took:.1f} ms. It has to expire where the only NAK "
            "behind a lost first packet is lost (nothing is placed, so nothing else is told: V-S12), where a repeated packet is lost when the window is full (it is repeated "
            "once, until something comes that was sent after it: V-R11), and where the ACK that would open a full window is lost. rnicsim explain scenarios/verbs/loss.yaml "
            "--run p011_none_r0 --transfer a.q0.191 shows the first, a.q0.317 the second, a.q0.779 the third."]


def timer(page):
    e = page.experiment("timer")
    if e is None:
        return None
    head = ["recovery, window", "loss", "timer us", "Gb/s", "Gb/s without the timer's time", "timeouts", "lost", "sent again"]
    table = [[recovery, loss, f"{verbs_theory.timer_us(int(timeout)):,.1f}", gbps(row), f"{verbs_theory.without_timer(row):.3f}", row["a.rc.timeouts"],
              f"{int(row['a-b.a_to_b_lost']):,}", f"{int(row['a.rc.retransmissions']):,}"] for row in e.rows for recovery, loss, timeout in [row["values"]]]

    def over_timer(loss):
        curves = styled([(recovery, curve([row for row in rows_of(e, recovery) if row["values"][1] == loss], "goodput_gbps", x=list(range(len(e.axis())))))
                         for recovery in e.axis(0)])
        return lines(f"Goodput at {loss} of loss (Gb/s)", curves, "timer (us)", bottom=0, names=[f"{verbs_theory.timer_us(int(text)):,.0f}" for text in e.axis()],
                     legend_at="lower left"), f"goodput over the timer, with {loss} of the packets lost, for three ways to recover"
    said = ["The losses of the section before, with shorter and longer timers: packet by packet the same are lost, whatever the timer is, and it expires as often. So the differences "
            "are its time and nothing else. A window of 256 in place of 128 shows what is left at a small loss: until a lost packet has come again, behind what the transmit buffer holds, "
            "and its ACK is back, a window of 128 is closed for about a round trip.",
            "Without the timer's time, by loss: " + "; ".join(
                f"{recovery}: " + ", ".join(f"{loss} {verbs_theory.without_timer(row):.2f} Gb/s" for row in rows_of(e, recovery) for _, loss, timeout in [row["values"]]
                                             if int(timeout) == verbs_theory.TIMEOUT) for recovery in e.axis(0)) + "."]
    return told(said) + page.figure(e, "What the timer costs", [over_timer(loss) for loss in e.axis(1)], "WRITE of 64 KiB.", head, table), None


def recovery(page):
    e = page.experiment("recovery")
    if e is None:
        return None
    base, against = e.scenario["compared"]
    rows = list(zip(e.select(base), e.select(against)))
    head = ["loss", f"{base} Gb/s", f"{against} Gb/s", "gain %", f"p99 us, {base}", f"p99 us, {against}"]
    table = [[a["values"][-1], gbps(a), gbps(b), shown(b, "gain", 100, 1, "gain_ci95"), shown(a, "p99_us"), shown(b, "p99_us")] for a, b in rows]
    places = list(range(len(rows)))
    curves = styled([(name, curve(e.select(name), "goodput_gbps", x=places)) for name in (base, against)])
    gains = styled([("gain", curve(e.select(against), "gain", 100, "gain_ci95", x=places))])
    panels = [(lines("Goodput (Gb/s)", curves, "lost packets", bottom=0, names=e.axis()), "goodput over loss, of both ways to recover"),
              (lines("Gain in goodput (%)", gains, "lost packets", bottom=0, names=e.axis()), "gain of selective repeat over loss, paired")]
    last = rows[-1][1]
    said = ["Two variants of one scenario see the same packets lost, repetition by repetition, so that their difference is known better than either. "
            f"At {last['values'][-1]} {against} carries {shown(last, 'gain', 100, 0, 'gain_ci95')} % more than {base}."]
    return told(said) + page.figure(e, "The same losses, two ways to recover", panels, "WRITE of 64 KiB. Bars: 95 % intervals.", head, table), None


def window(page):
    e = page.experiment("window")
    if e is None:
        return None
    head, table = ["window", "Gb/s"], [[row["values"][-1], gbps(row)] for row in e.rows]
    panels = [(lines("Goodput (Gb/s)", styled([("WRITE of 64 KiB", curve(e.rows, "goodput_gbps"))]), "packets outstanding", bottom=0), "goodput over the window")]
    return told(["Two kilometres of fibre, 10 us each way: a window of packets a round, until the line is full."]) + page.figure(
        e, "How far a window reaches", panels, "64 KiB.", head, table), None


def pause_frames(row):
    return sum(int(v) for k, v in row.items() if k.startswith("s0.") and k.endswith(".pauses_sent") and v)


def sent_again(row):
    return sum(int(v) for k, v in row.items() if k.endswith("rc.retransmissions") and v)


def incast(page):
    e = page.experiment("incast")
    if e is None:
        return None

    def name(first):
        return "drops" if first.startswith("[],") else "pauses"
    head = ["clients", "switch", "Gb/s", "p99 us", "Jain", "refused", "sent again", "pause frames"]
    table = [[row["values"][-1], name(row["values"][0]), gbps(row), shown(row, "p99_us", 1), shown(row, "jain", 1, 3), f"{int(row['s0.server.refused']):,}",
              f"{sent_again(row):,}", f"{pause_frames(row):,}"] for row in e.rows]
    curves = styled([(name(first), curve(rows_of(e, first), "goodput_gbps")) for first in e.axis(0)])
    late = styled([(name(first), curve(rows_of(e, first), "p99_us")) for first in e.axis(0)])
    panels = [(lines("Goodput (Gb/s)", curves, "clients", bottom=0, legend_at="lower left"), "goodput over the clients, with drops and with pauses"),
              (lines("99th percentile (us)", late, "clients", bottom=0), "99th percentile over the clients, with drops and with pauses")]
    last = [rows_of(e, first)[-1] for first in e.axis(0)]
    said = ["Clients that all write to one server: the switch drops what finds no room, or pauses who sends (IEEE 802.1Qbb).",
            f"With {last[0]['values'][-1]} clients the port carries {gbps(last[0])} Gb/s with drops and {gbps(last[1])} with pauses."]
    return told(said) + page.figure(e, "Many to one", panels, "WRITE of 64 KiB.", head, table), last


def over_time(title, series, columns, scale=1.0):
    """Curves of a series.csv: {label: its column}."""
    times = [number(row["time_us"]) / 1e3 for row in series]

    def draw(axes, legend):
        del legend
        for i, (label, column) in enumerate(columns.items()):
            axes.plot(times, [number(row[column]) * scale for row in series], color=look.GROUP_COLOURS[i], linewidth=1.0, label=label)
        axes.set_xlabel("time (ms)")
        axes.set_title(title)
        axes.set_ylim(bottom=0)
        look.style(axes)
        axes.legend(frameon=False, fontsize=8)
    return draw


def dcqcn(page):
    e = page.experiment("dcqcn")
    if e is None:
        return None
    head = ["clients", "congestion", "Gb/s", "p99 us", "Jain", "longest queue KiB", "refused", "marked", "CNPs", "timeouts"]
    table = [[row["values"][-1], row["values"][0], gbps(row), shown(row, "p99_us", 1), shown(row, "jain", 1, 3),
              f"{int(row['s0.server.queue_high_water']) / 1024:,.0f}", f"{int(row['s0.server.refused']):,}", f"{int(row['s0.server.marked']):,}",
              f"{int(row['server.rc.cnps_sent'] or 0):,}", row["client.rc.timeouts"]] for row in e.rows]
    queues = styled([(first, curve(rows_of(e, first), "s0.server.queue_high_water", 1 / 1024)) for first in e.axis(0)])
    rates = styled([(first, curve(rows_of(e, first), "goodput_gbps")) for first in e.axis(0)])
    panels = [(lines("Longest queue (KiB)", queues, "clients", bottom=0), "longest queue in the switch over the clients, without and with DCQCN"),
              (lines("Goodput (Gb/s)", rates, "clients", bottom=0, legend_at="lower left"), "goodput over the clients, without and with DCQCN")]
    none, slowed = (rows_of(e, first) for first in e.axis(0))
    series = e.series()
    if series:
        panels += [(over_time("Bytes in the switch for the server (KiB)", series, {"longest in the interval": "s0>server queue_bytes"}, 1 / 1024),
                    "queue of the port to the server over time, four clients with DCQCN"),
                   (over_time("On the wire (Gb/s)", series, {f"client {i}": f"client{i}>s0 gbps" for i in range(4)}),
                    "rate of each of the four clients over time, with DCQCN")]
    said = ["A switch that marks packets of a long queue (ECN); their receiver tells the sender (CNP), which slows down (DCQCN). The windows are wide here: without it "
            "they all lie in the switch.",
            "; ".join(f"{n['values'][-1]} clients: {int(n['s0.server.queue_high_water']) / 1024:,.0f} KiB and {gbps(n)} Gb/s without, "
                      f"{int(d['s0.server.queue_high_water']) / 1024:,.0f} KiB and {gbps(d)} Gb/s with it" for n, d in zip(none, slowed)) + ". The increase is 1 Gb/s a "
            "step, not the paper's 40 Mb/s, with which the way back would take longer than the run. Over time: four clients. The first marks find windows "
            "full of packets, and all four brake hard; from then on they share the port."]
    return told(said) + page.figure(e, "Marks and rates", panels, "WRITE of 64 KiB, 16 MiB of memory in the switch.", head, table), (none, slowed)


def marking(page):
    e = page.experiment("marking")
    if e is None:
        return None
    sets = e.axis(0)
    head = ["marked", *(f"{name} Gb/s" for name in sets), *(f"{name} CNPs" for name in sets)]
    of = {name: rows_of(e, name) for name in sets}
    table = [[text, *(gbps(of[name][i]) for name in sets), *(f"{int(of[name][i]['a.rc.cnps_received']):,}" for name in sets)] for i, text in enumerate(e.axis())]
    panels = [(lines("Goodput (Gb/s)", by_place(e, "goodput_gbps"), "packets marked", bottom=0, names=e.axis()),
               "goodput over the share of marked packets, with the paper's parameters and a card's")]
    worst = {name: of[name][-1] for name in sets}
    said = ["Marks at random on a link that has room: how hard DCQCN brakes, and how soon it forgets, by itself. paper is what the SIGCOMM paper proposes, nic what the "
            "cards are sold with: a byte counter of 32 KiB in place of 10 MB, and a target that stays at the line's rate until a timer of 300 us has raised the rate.",
            f"At {e.axis()[-1]}: " + ", ".join(f"{name} {gbps(row)} Gb/s" for name, row in worst.items()) + "."]
    return told(said) + page.figure(e, "Marks without a switch", panels, "WRITE of 64 KiB, one connection.", head, table), None


def message_rate(page):
    e = page.experiment("message_rate")
    if e is None:
        return None
    numbers = [verbs_measured.qps(row) for row in e.rows]
    rates = [number(row["goodput_gbps"]) * 1e3 / 64 for row in e.rows]
    missed = [int(row["client.rc.cache_misses_qp"]) / int(row["client.rc.tx_packets"]) for row in e.rows]
    head = ["QPs", "million WRITEs a second", "mean us", "contexts missed, a message", "written back", "WQEs read"]
    table = [[f"{n:,}", f"{rate:.1f}", shown(row, "mean_us", 1, 2), f"{share:.3f}", f"{int(row['client.rc.cache_write_backs']):,}",
              f"{int(row['client.rc.send_wqe_reads']):,}"] for n, rate, share, row in zip(numbers, rates, missed, e.rows)]

    def over_qps(title, values):
        curves = styled([("WRITE of 8 B", (numbers, values, [float("nan")] * len(values)))])
        return lines(title, curves, "QPs of the client", bottom=0)
    theory = [verbs_theory.set_is_full(n) for n in numbers]
    misses = styled([("simulated", (numbers, missed, [float("nan")] * len(numbers)))])
    misses.append(("its set is full", look.INK, "", ":", (numbers, theory, [float("nan")] * len(numbers))))
    panels = [(over_qps("Million messages a second", rates), "message rate over the number of QPs"),
              (lines("Contexts missed, a message", misses, "QPs of the client", bottom=0), "contexts not on the card over the QPs, and theory")]
    said = ["Small inline WRITEs from one card to eight servers, 256 outstanding, a QP after the other. The card holds 2 MiB of contexts, 384 B a QP: what it does not "
            "have it reads from host memory, and writes back what it has changed. A pushed WQE whose context is missing is read, too.",
            f"{numbers[3]:,} QPs: {rates[3]:.1f} million a second; 5,000: {rates[numbers.index(5000)]:.1f}. The first point is bounded by its latency."]
    return told(said) + page.figure(e, "Many QPs", panels, "8 B; no time of the processor.", head, table), None


def shared_receives(page):
    e = page.experiment("shared_receives")
    if e is None:
        return None
    own, *shared = e.rows
    head = ["receive WQEs", "Gb/s", "mean us", "RNR NAKs"]
    table = [[row["values"][-1], gbps(row), shown(row, "mean_us", 1, 2), f"{int(row['server.rc.rnr_naks_sent']):,}"] for row in e.rows]
    names = [row["values"][-1].split()[-1] for row in shared]
    places = list(range(len(shared)))
    blank = [float("nan")] * len(shared)
    naks = styled([("shared", (places, [int(row["server.rc.rnr_naks_sent"]) for row in shared], blank))])
    rates = styled([("shared", curve(shared, "goodput_gbps", x=places))])
    rates.append(("own", look.INK, "", ":", (places, [number(own["goodput_gbps"])] * len(shared), blank)))
    panels = [(lines("Goodput (Gb/s)", rates, "receive WQEs of the server", bottom=0, names=names), "goodput over the receive WQEs that all QPs share"),
              (lines("RNR NAKs", naks, "receive WQEs of the server", bottom=0, names=names), "RNR NAKs over the receive WQEs that all QPs share")]
    said = ["SENDs of 256 B from 32 QPs to a server whose QPs share their receive WQEs (SRQ). A SEND that finds none is told to wait and sent again; nothing is lost.",
            f"{names[0]}: {int(shared[0]['server.rc.rnr_naks_sent']):,} RNR NAKs, {gbps(shared[0])} Gb/s; {names[-1]}: {int(shared[-1]['server.rc.rnr_naks_sent']):,}, "
            f"{gbps(shared[-1])} Gb/s; queues of their own, 1,024 in all: {gbps(own)} Gb/s."]
    return told(said) + page.figure(e, "Shared receive queue", panels, "256 B.", head, table), None


SECTIONS = {"Held against measurements": verbs_measured.section, "Held against theory": verbs_theory.section, "Latency": latency, "Bandwidth": bandwidth,
            "Inline": inline, "Services": services, "Speeds": speeds, "Loss": loss, "The timer": timer, "Losses alike": recovery, "Windows": window, "Many to one": incast,
            "Marks in place of pauses": dcqcn, "Marks at random": marking, "Many QPs": message_rate,
            "Shared receives": shared_receives}


def in_short(found):
    texts = []
    if "Held against measurements" in found:
        rows = found["Held against measurements"]
        kinds = [("predicted", [row for row in rows if not row.fitted]), ("fitted", [row for row in rows if row.fitted])]
        missed = [row for row in rows if not row.holds]
        texts.append(f"Of {len(rows)} measured figures {len(rows) - len(missed)} are met within their tolerance: " +
                     " and ".join(f"{sum(row.holds for row in of)} of the {len(of)} that were {kind}" for kind, of in kinds) + "." +
                     (f" Missed: {'; '.join(row.short() for row in missed)}." if missed else ""))
    if "Held against theory" in found:
        verdicts = found["Held against theory"]
        broken = [what for what, holds in verdicts if not holds]
        texts.append(f"Of {len(verdicts)} expectations of theory {len(verdicts) - len(broken)} hold." + (f" Not so: {'; '.join(broken)}." if broken else ""))
    if "Loss" in found:
        worst = found["Loss"]
        texts.append(f"With {worst['go_back_n']['values'][-1]} of the packets lost go_back_n carries {gbps(worst['go_back_n'])} Gb/s and selective_repeat "
                     f"{gbps(worst['selective_repeat'])}.")
    if "Many to one" in found:
        dropped, paused = found["Many to one"]
        texts.append(f"{dropped['values'][-1]} clients to one port: {gbps(dropped)} Gb/s where the switch drops, {gbps(paused)} where it pauses.")
    return told(texts)


FAMILY = pages.Family("verbs", "A RoCEv2 RNIC", LEAD, SECTIONS, in_short)


@ending.reported("verbs_page")
def main(arguments):
    return pages.write(FAMILY, __doc__, arguments)
