"""How scripts/compare and scripts/baseline end."""

import os
import signal
import sys

from comparison.sides import Failed
from report_page.results import Unusable


def exit_code(name, work, interrupted):
    """That of work(), or of what ended it, which is said in one line: 2 bad input, 3 the simulator, 130 interrupted."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the work folder goes, and the simulator ends, as with Ctrl-C
    try:
        code = work()
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # who read it has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except (Unusable, OSError) as error:
        print(f"error: {name}: {error}", file=sys.stderr)
        return 2
    except Failed as error:
        print(f"error: {name}: {error}", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        print(f"warning: {name}: interrupted; {interrupted}, the same command begins anew", file=sys.stderr)
        return 130
