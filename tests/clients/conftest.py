"""What became of each client is said loudly: a run in which all were skipped would look like one in which all is well."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

NOT_RUN = "clients: NOT RUN because "


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """A line for each client that passed, and for each reason why some were not run."""
    for report in terminalreporter.stats.get("passed", ()):
        if "test_clients.py" in report.nodeid:
            name = report.nodeid.partition("[")[2].rstrip("]")
            terminalreporter.write_line(f"clients: {name} passed in {report.duration:.0f} s")
    told = [report.longrepr[2] for report in terminalreporter.stats.get("skipped", ()) if isinstance(report.longrepr, tuple)]
    for reason in dict.fromkeys(reason.removeprefix("Skipped: ") for reason in told if NOT_RUN in reason):
        terminalreporter.write_line(reason, red=True, bold=True)
