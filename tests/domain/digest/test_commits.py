from __future__ import annotations

import pytest

from libtool.domain.digest.commits import message


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("git commit -m 'Close the damper'", "Close the damper"),
        ('cd /kiln && git add . && git commit -qam "Close \\"it\\" early" && git push', 'Close \\"it\\" early'),
        ("git -C /kiln commit --message='Close it' -m 'It cracked the glaze.'", "Close it\nIt cracked the glaze."),
        (
            "git commit -m \"$(cat <<'EOF' Close the damper It cracked. - Close at 600 - Warn at 700 Signed-off-by: Ada EOF )\"",
            "Close the damper It cracked.\n- Close at 600\n- Warn at 700",
        ),
        ('git commit -m "$(cat <<EOF Close the damper It cracked the…', "Close the damper It cracked the"),
        ("git commit -m 'Close the damper \U0001f916 Generated with something'", "Close the damper"),
        ("git commit --amend --no-edit", ""),
        ("git log --grep commit -m 'x'", ""),
        ("echo commit", ""),
    ],
)
def test_it_is_what_the_command_commits_with(command: str, said: str) -> None:
    assert message(command) == said
