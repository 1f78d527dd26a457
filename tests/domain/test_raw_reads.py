from __future__ import annotations

import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.raw_reads import LOOKUP, RAW, Marks, Pattern, Watch, may_count, purpose_of_line

HOME = "/home/ada"


def pattern(text: str, root: int = 0) -> Pattern:
    return Pattern(tuple(text.split("/")), root)


MARKS = Marks(
    (
        pattern("~/.claude/projects/*/*.jsonl", 2),
        pattern("~/.claude/projects/*/*/subagents/**/*.jsonl", 2),
        pattern("~/.codex/sessions/**/rollout-*.jsonl", 2),
        pattern("~/.gemini/tmp/*/chats/*.json", 2),
        pattern("~/.local/share/opencode/opencode.db", 4),
        pattern("~/.pi/agent/sessions/*/*.jsonl", 3),
        pattern("~/.qwen/projects/*/chats/*.jsonl", 2),
        pattern("~/.copilot/session-state/*/events.jsonl", 2),
        pattern(".specstory/history/*.md"),
        pattern(".aider.chat.history.md"),
        pattern(".crush/crush.db"),
    ),
    ("~", ".local", "share", "lib", "library"),
    HOME,
    {"CODEX_HOME": f"{HOME}/.codex", "CLAUDE_CONFIG_DIR": f"{HOME}/.claude", "LIB_LIBRARY": f"{HOME}/.local/share/lib/library"},
)
CWD = f"{HOME}/kiln"
COMMANDS = [
    (RAW, "find ~/.codex/sessions -exec echo {} ';' -exec cat {} +"),
    ("", "cat '' ~/.codex/x"),
    ("", "cat ~/.codex/sessions/2026/notes.md ~/.claude/projects/k/a/deeper.jsonl"),
    (RAW, "cat ~/.claude/projects/kiln/a.jsonl | head -50"),
    (RAW, "cd ~/.claude/projects/kiln && cat a.jsonl"),
    (RAW, "cd ~/.claude/projects/kiln; python3 count.py"),
    (RAW, "find ~/.claude/projects -name '*.jsonl' | xargs -n 1 grep glaze"),
    (RAW, "find ~/.claude/projects -name '*.jsonl' -exec grep glaze {} +"),
    (RAW, "for f in ~/.claude/projects/*/*.jsonl; do jq -r .type $f; done"),
    (RAW, "ls ~/.codex/sessions | while read f; do head $f; done"),
    (RAW, "f=~/.codex/sessions/a.jsonl; sudo tail $f"),
    (RAW, "rg -e glaze ~/.codex/sessions"),
    (RAW, "rg --regexp=glaze ~/.codex/sessions"),
    (RAW, "timeout 10 grep -A 3 glaze .specstory/history/*.md 2>/dev/null"),
    (RAW, "cat < ~/.codex/sessions/a.jsonl"),
    (RAW, "echo $(cat ~/.codex/sessions/a.jsonl)"),
    (RAW, 'bash -lc "grep -r glaze ~/.codex/sessions"'),
    (RAW, "python3 - <<'EOF'\nfor line in open('/home/ada/.codex/sessions/a.jsonl'):\n    print(line)\nEOF"),
    (RAW, "lib search glaze; cat ~/.codex/sessions/a.jsonl"),
    ("", "ls ~/.claude/projects | head"),
    ("", "find ~/.claude/projects -name '*.jsonl' | xargs rm"),
    ("", "find ~/.claude/projects -exec rm {} +"),
    ("", "cd ~/.claude/projects && ls"),
    ("", "cd ~/.claude/projects; make | tail"),
    ("", "rm -rf ~/.claude/projects/kiln"),
    ("", "cat notes > ~/.claude/projects/a"),
    ("", "grep -rn '.claude/projects' src/"),
    ("", "grep -e .claude/projects src/"),
    ("", "git commit -m 'read ~/.claude/projects'"),
    ("", "cat ~/.claude/projects/kiln/memory/MEMORY.md"),
    ("", "cat x.claude/projects/k/a.jsonl"),
    ("", "python3 -c \"skip = ['.specstory/history']\""),
    ("", "bash"),
    ("", "ls . | xargs cat; X=1 ; | true"),
    ("", 'bash -c \'bash -c "bash -c \\"bash -c \\\\\\"cat ~/.codex/sessions/a\\\\\\"\\""\''),
    (LOOKUP, "lib search glaze | head"),
    (LOOKUP, "timeout 5s lib --json topics glaze"),
    (LOOKUP, "python3 -m libtool.cli.main show claude-code:3f2a9c1e"),
    (LOOKUP, "cat /home/ada/.local/share/lib/library/INDEX.md"),
    ("", "lib status"),
    ("", "grep lib setup.py"),
    ("", "./configure --prefix=lib"),
    (RAW, "cat $LIB_LIBRARY/../../../../.codex/sessions/a.jsonl"),
    (LOOKUP, "cat $LIB_LIBRARY/entries/glaze.md"),
    (LOOKUP, "grep -rn glaze $LIB_LIBRARY"),
    (LOOKUP, "cd $LIB_LIBRARY && cat *.md"),
    ("", "cat $LIB_LIBRARY/README.txt; cat $LIB_LIBRARY"),
    (RAW, "grep -r glaze ~/.claude --include='*.jsonl'"),
    (RAW, "rg --glob=*.jsonl glaze ~/.claude"),
    ("", "rg -g '!*.jsonl' glaze src"),
    ("", "grep -r glaze ~/.claude --include='*.md'"),
    ("", "find ~/.claude -name settings.json -exec cat {} \\;"),
    ("", "find ~ -name '*.json' | xargs grep glaze"),
    (RAW, "cd ~/.codex/sessions; find . -name '*.jsonl' | xargs cat"),
    (RAW, "cd ~/.codex/sessions; find | xargs cat"),
    ("", "find . | xargs; find . -exec cat {} +"),
    ("", "find ~/.codex/sessions -exec"),
    ("", "find ~/.codex/sessions | xargs"),
    (RAW, "cd ~/.codex/sessions && ls | xargs head"),
    (RAW, "ls ~/.codex/sessions/2026 | grep 10 | sort | xargs -I {} cat {}"),
    (RAW, "cat ${CODEX_DIR:-$HOME/.codex}/sessions/a.jsonl"),
    ("", "cat ${CODEX_DIR}/sessions/a.jsonl # ~/.codex"),
    ("", "cat '$CODEX_HOME/sessions/a.jsonl' \"\\$CODEX_HOME/sessions/a.jsonl\""),
    (RAW, "a=~/.codex; a+=/x; b=~/.codex/sessions; cat $b"),
    ("", "export A; export B=~/.codex/sessions; cat x"),
    (RAW, "ssh -p 22 host tail .codex/x ~/.codex/sessions/a.jsonl"),
    (RAW, "bash <<'EOF'\ncat ~/.codex/sessions/a.jsonl\nEOF"),
    (RAW, "bash <<< 'cat ~/.codex/sessions/a.jsonl'"),
    (RAW, "cat > /tmp/r.sh <<EOF\ncat ~/.codex/sessions/a.jsonl\nEOF\nbash /tmp/r.sh"),
    (RAW, "tee r.js <<EOF >/dev/null\nread(process.env.HOME + '/.codex/sessions/a.jsonl')\nEOF\nchmod +x r.js; ./r.js"),
    ("", "cat > /tmp/r.sh <<EOF\nls ~/.codex/sessions\nEOF\nbash /tmp/r.sh"),
    (RAW, "python3 -m json.tool ~/.codex/sessions/a.jsonl"),
    ("", "python3 -m http.server; python3 -m libtool index"),
    (RAW, 'python3 -c \'from pathlib import Path; print((Path.home() / ".codex" / "sessions" / "a.jsonl").read_text())\''),
    (RAW, 'python3 -c \'import os; open(os.path.join(os.environ["HOME"], ".codex", "sessions", "a.jsonl"))\''),
    (RAW, "python3 -c 'print(open(f\"{home}/.specstory/history/a.md\").read())'"),
    ("", 'python3 -c \'print(open(f"{home}/.codex/config.toml").read(), ".codex/sessions")\''),
    (RAW, "cd ~/.codex/sessions/2026 && (cd .. && cat a.jsonl)"),
    ("", "cd ~/.codex/sessions; cd; cat a.jsonl"),
    ("", "pushd ~/.codex/sessions; popd; cat a.jsonl; ls )"),
    (RAW, "cat a.jsonl ~/.codex/sessions/{a,b}.jsonl"),
    (RAW, "cat /root/.codex/sessions/a.jsonl"),
    (RAW, "cat file:///home/bob/.codex/sessions/a.jsonl"),
    ("", "for x; do cat ~/.codex/config.toml; done; sudo -u; timeout"),
    (RAW, "for s in 1 2; do cat ~/.codex/sessions/$s.jsonl; done"),
    (RAW, "cat ~/.codex/sessions/*/*/*/*"),
    ("", "cat ~/.codex/sessions/a.md; cat ~/.claude/projects/k/*.md; cat ~/.codex/*.toml"),
    (RAW, "cat ~/.*/sessions/a.jsonl; cat ~/.codex/sess*/a.jsonl"),
    ("", "a=$b; b=$a; cat $a ~/.codex/x"),
    (RAW, "jq -r .message ~/.claude/projects/x/a.jsonl"),
    (RAW, 'cat "$HOME/.claude/projects/x/a.jsonl"'),
    (RAW, "cat ${HOME}/.codex/sessions/2026/01/01/rollout-x.jsonl"),
    (RAW, "D=$HOME/.claude/projects; cat $D/x/a.jsonl"),
    (RAW, "D=$HOME/.claude/projects; ls $D; cat $D/x/a.jsonl"),
    ("", "D=$HOME/.claude/projects; ls $D; cat README.md"),
    ("", "export D=$HOME/.claude/projects; echo $D; cat README.md"),
    (RAW, "export D=$HOME/.claude/projects; cat $D/x/a.jsonl"),
    (RAW, "cd ~/.claude && cat projects/x/a.jsonl"),
    (RAW, "cd ~ && cat .claude/projects/x/a.jsonl"),
    (RAW, "cd ~/.claude/projects/x && ls -la && cat a.jsonl"),
    (RAW, "cd ~/.claude/projects/x\nls\nhead -3 a.jsonl"),
    ("", "cd ~/.claude/projects/x && ls && cd /home/ada/kiln && cat README.md"),
    ("", "cd ~/.claude/projects/x && cat /etc/hosts"),
    ("", "(cd ~/.claude/projects/x && ls); cat README.md"),
    ("", "cd ~/.claude/projects/x && ls | head -3"),
    ("", "ls ~/.claude/projects | while read f; do echo $f; done; cat README.md"),
    (RAW, "cd ~/.claude/projects/x; python3 -c \"import json; print(open('a.jsonl').read())\""),
    ("", "cd ~/.claude/projects/x; git log | head"),
    ("", "cd ~/.claude/projects/x; wc -l a.jsonl"),
    (RAW, 'sqlite3 ~/.local/share/opencode/opencode.db "select data from message limit 5"'),
    (RAW, "sqlite3 .crush/crush.db 'select parts from messages'"),
    (RAW, "python3 -c \"import sqlite3; print(sqlite3.connect('.crush/crush.db').execute(q).fetchall())\""),
    (RAW, "python3 -c \"print(open('.aider.chat.history.md').read())\""),
    (RAW, "sqlite3 -readonly /home/ada/.local/share/opencode/opencode.db .dump"),
    (RAW, 'find ~/.claude/projects -name "*.jsonl" -exec grep -l kiln {} \\;'),
    (RAW, 'find ~/.claude/projects -name "*.jsonl" -print0 | xargs -0 grep -h kiln'),
    (RAW, "find ~/.claude/projects -name \"*.jsonl\" | xargs -I{} sh -c 'jq . {}'"),
    (RAW, 'find ~/.claude/projects -name "*.jsonl" | head -5 | xargs cat'),
    (RAW, 'find ~/.claude/projects -name "*.jsonl" | xargs -n1 -P4 -I {} cat {}'),
    (RAW, "find ~/.claude/projects -execdir cat {} +"),
    ("", 'find ~/.claude/projects -name "*.jsonl" | xargs ls -la'),
    ("", 'find ~/.claude/projects -name "*.jsonl" | xargs wc -l'),
    ("", 'find ~/.claude/projects -name "*.jsonl" | sort | head'),
    ("", 'find . -name "*.py" | xargs grep ".claude/projects"'),
    ("", 'grep -rn "\\.claude/projects" . --include=*.py'),
    ("", 'rg -n ".claude/projects" -g "*.py"'),
    ("", 'rg -n -A 3 ".claude/projects" src'),
    (RAW, 'rg -n -A 3 "kiln" ~/.claude/projects'),
    (RAW, "rg -t json -C5 kiln ~/.claude/projects/"),
    ("", 'rg -g "*.jsonl" ".claude/projects" src'),
    ("", 'grep --include="*.py" -r ".codex/sessions" lib'),
    (RAW, 'grep -r kiln ~/.codex/sessions --include="*.jsonl"'),
    (RAW, "node -e \"const fs=require('fs');console.log(fs.readFileSync(process.env.HOME+'/.claude/projects/x/a.jsonl','utf8'))\""),
    (
        RAW,
        "python3 - <<'EOF'\nimport os\nprint(open(os.path.expanduser(\"~/.claude/projects/k/a.jsonl\")).read())\nEOF",
    ),
    ("", "cat > t.py <<'EOF'\nopen(\"/home/ada/.claude/projects/x/a.jsonl\")\nEOF"),
    ("", "cat > t.py <<'EOF'\nopen(\"/home/ada/.claude/projects/x/a.jsonl\")\nEOF\npython3 -m py_compile t.py"),
    (RAW, "cat > /tmp/t.py <<'EOF'\nprint(open(\"/home/ada/.claude/projects/x/a.jsonl\").read())\nEOF\npython3 /tmp/t.py"),
    (RAW, "cat <<'EOF' > /tmp/t.txt\nhello\nEOF\ncat ~/.claude/projects/x/a.jsonl"),
    ("", "cat <<'EOF'\nSee ~/.claude/projects/x/a.jsonl\nEOF"),
    ("", "git commit -F - <<'EOF'\nRead ~/.claude/projects/\nEOF"),
    ("", "git commit -m \"$(cat <<'EOF'\nRead ~/.claude/projects/ too\n\ncat ~/.claude/projects/x\nEOF\n)\""),
    ("", "tee notes.md <<EOF\n~/.claude/projects/x is where they are\nEOF"),
    ("", 'sed -i "s#.claude/projects#X#" README.md'),
    (RAW, 'sed -n "1,20p" ~/.claude/projects/x/a.jsonl'),
    (RAW, 'awk "NR<5" ~/.claude/projects/x/a.jsonl'),
    (RAW, "tail -f ~/.claude/projects/x/a.jsonl"),
    (RAW, "< ~/.claude/projects/x/a.jsonl jq ."),
    (RAW, "jq . < ~/.claude/projects/x/a.jsonl"),
    (RAW, 'while read l; do echo "$l"; done < ~/.claude/projects/x/a.jsonl'),
    (RAW, "x=$(cat ~/.claude/projects/x/a.jsonl | tail -1); echo $x"),
    (RAW, "x=`tail -1 ~/.claude/projects/x/a.jsonl`; echo $x"),
    (RAW, "diff ~/.claude/projects/x/a.jsonl ~/.claude/projects/x/b.jsonl"),
    (RAW, "gunzip -c ~/.codex/sessions/a.jsonl.gz"),
    (RAW, "zstdcat ~/.codex/sessions/a.jsonl.zst"),
    (RAW, "zstd -dc ~/.codex/sessions/a.jsonl.zst"),
    (RAW, "batcat ~/.codex/sessions/a.jsonl"),
    (RAW, "git grep --no-index kiln ~/.claude/projects"),
    (RAW, "git --no-pager grep --no-index kiln ~/.claude/projects"),
    ("", "cp ~/.claude/projects/x/a.jsonl tests/fixtures/"),
    ("", "cp -r ~/.claude/projects /tmp/p; tar czf x.tgz ~/.claude/projects"),
    ("", "mkdir -p ~/.claude/projects/x && touch ~/.claude/projects/x/a.jsonl"),
    ("", "stat ~/.claude/projects/x/a.jsonl; du -sh ~/.claude/projects; test -f ~/.claude/projects/x"),
    ("", "md5sum ~/.claude/projects/x/a.jsonl"),
    (RAW, "sudo -u ada cat ~/.claude/projects/x/a.jsonl"),
    (RAW, "timeout -k 5 10 cat ~/.claude/projects/x/a.jsonl"),
    (RAW, "timeout --signal=KILL 10s cat ~/.claude/projects/x/a.jsonl"),
    (RAW, "nice -n 10 cat ~/.claude/projects/x/a.jsonl"),
    (RAW, "FOO=1 env -u X BAR=2 cat ~/.claude/projects/x/a.jsonl"),
    (RAW, "env python3 read.py ~/.claude/projects/x/a.jsonl"),
    (RAW, "uv run python read.py ~/.claude/projects/x/a.jsonl"),
    (RAW, "uv run read.py ~/.claude/projects/x/a.jsonl"),
    (RAW, "./read.py ~/.claude/projects/x/a.jsonl"),
    (RAW, "python3.11 read.py ~/.claude/projects/x/a.jsonl"),
    (RAW, "/usr/bin/python3 read.py ~/.claude/projects/x/a.jsonl"),
    (RAW, "npx tsx read.ts ~/.claude/projects/x/a.jsonl"),
    (RAW, "if [ -f a ]; then cat ~/.claude/projects/x/a.jsonl; fi"),
    (RAW, "for f in $(ls ~/.claude/projects/x); do head -1 ~/.claude/projects/x/$f; done"),
    (RAW, 'for f in ~/.claude/projects/x/*.jsonl; do echo "== $f"; tail -2 "$f" | cut -c1-500; done'),
    ("", 'for f in ~/.claude/projects/x/*.jsonl; do echo "== $f"; wc -l "$f"; done'),
    ("", "for d in ~/.claude/projects/*; do echo $d; done; cat README.md"),
    (RAW, "ls -t ~/.claude/projects/x/*.jsonl | head -1 | xargs tail -n 5"),
    (RAW, "cat $(ls -t ~/.claude/projects/x/*.jsonl | head -1)"),
    (RAW, 'tail -5 "$(ls -t ~/.claude/projects/x/*.jsonl | head -1)"'),
    (RAW, 'f=$(ls -t ~/.claude/projects/x/*.jsonl | head -1)\njq -r . "$f" | head'),
    (RAW, 'F=$(find ~/.claude/projects -name "*.jsonl" | head -1); grep kiln "$F"'),
    ("", 'F=$(find ~/.claude/projects -name "*.jsonl" | head -1); echo "$F"; grep kiln README'),
    (RAW, "ssh host cat /home/ada/.claude/projects/x/a.jsonl"),
    (RAW, "Get-Content C:\\Users\\ada\\.claude\\projects\\x\\a.jsonl"),
    (RAW, "type C:\\Users\\ada\\.claude\\projects\\x\\a.jsonl"),
    (RAW, 'cat "/mnt/c/Users/ada/.claude/projects/x/a.jsonl"'),
    (RAW, "cat '/Users/ada/.claude/projects/-Users-ada-My Kiln/a.jsonl'"),
    (RAW, "cat /Users/ada/.claude/projects/-Users-ada-My\\ Kiln/a.jsonl"),
    (RAW, 'cat "$CLAUDE_CONFIG_DIR/projects/x/a.jsonl"'),
    (RAW, "cat $CODEX_HOME/sessions/2026/01/a.jsonl"),
    ("", "cat tests/fixtures/.claude/projects/x/a.jsonl"),
    ("", "cat libtool/demo/dot-claude/projects/x.jsonl"),
    ("", "ls ~/.gemini/tmp/abc"),
    (RAW, "cd ~/.codex/sessions && rg kiln"),
    (RAW, "cd ~/.codex/sessions && rg kiln | head -20"),
    (RAW, 'eval "cat ~/.codex/sessions/a.jsonl"'),
    (RAW, "[ -d x ] || cat ~/.codex/sessions/a.jsonl"),
    (RAW, "pushd ~/.codex/sessions >/dev/null; cat a; popd"),
    (LOOKUP, 'lib search "kiln cool"'),
    (LOOKUP, "LIB_DATA_DIR=/x lib search kiln"),
    (LOOKUP, "~/.local/bin/lib search kiln"),
    (LOOKUP, "lib --quiet search kiln"),
    (LOOKUP, "lib --json --quiet search kiln"),
    (LOOKUP, "uvx --from lib-sessions lib search kiln"),
    (LOOKUP, "python -m libtool.cli.main search kiln"),
    (LOOKUP, "python -m libtool search kiln"),
    (LOOKUP, "cd /x && lib show claude-code:3f2a9c1e#4 --budget 400"),
    ("", "lib status --search"),
    ("", "lib audit"),
    ("", "lib capture --topic search"),
    ("", "lib new search"),
    ("", "lib forget claude-code:abc search"),
    ("", "lib -h search"),
    ("", "lib search -h"),
    ("", "lib index ~/.claude/projects"),
    ("", "which lib; lib --version"),
    ("", "cargo build --lib search"),
    (LOOKUP, "cat ~/.local/share/lib/library/INDEX.md"),
    ("", "ls ~/.local/share/lib/library/entries"),
    (RAW, "cat ~/.pi/agent/sessions/x/a.jsonl"),
    (RAW, "cat ~/.qwen/projects/x/chats/a.jsonl"),
    (RAW, "cat .aider.chat.history.md"),
    ("", "echo .specstory/history >> .gitignore; cat .gitignore"),
    ("", "cat .gitignore | grep .specstory/history"),
    (RAW, "cat ~/.claude/projects/x/a.jsonl | wc -l"),
]


@pytest.mark.parametrize(("kind", "command"), COMMANDS)
def test_what_a_command_reads(kind: str, command: str) -> None:
    assert Watch(MARKS).purpose("Bash", {"command": command, "description": "d"}, CWD) == kind
    assert Watch(MARKS).purpose("shell", {"command": ["bash", "-lc", command]}, CWD) == kind
    if "`" not in command:
        # As text, what stands between backticks is Markdown.
        assert Watch(MARKS).purpose("bash", command, CWD) == kind


@pytest.mark.parametrize(
    ("kind", "tool", "given"),
    [
        (RAW, "Read", {"file_path": "/home/ada/.claude/projects/kiln/a.jsonl"}),
        (RAW, "Grep", {"pattern": "glaze", "path": "~/.codex/sessions"}),
        (RAW, "read_many_files", {"paths": ["a.md", ".specstory/history/b.md", 3]}),
        (RAW, "Read", "`/home/ada/.claude/projects/kiln/a.jsonl`"),
        (RAW, "Read", "/home/ada/.claude/projects/kiln/a.jsonl"),
        (RAW, "Bash", "Look\n\n```bash\ncat ~/.codex/sessions/a\n```"),
        (RAW, "anything", "```\ncat ~/.codex/sessions/a"),
        (RAW, "shell", {"command": ["cat", "/home/ada/.codex/sessions/a", 1]}),
        (LOOKUP, "Read", {"file_path": "/home/ada/.local/share/lib/library/entries/glaze.md"}),
        ("", "Read", {"file_path": "/home/ada/.claude/projects/kiln/1/tool-results/a.txt"}),
        ("", "Read", "about .claude/projects\nand more"),
        ("", "Grep", {"pattern": ".claude/projects", "path": "src"}),
        ("", "Write", {"file_path": "~/.claude/projects/kiln/a.jsonl"}),
        ("", "edit", "~/.claude/projects/kiln/a.jsonl"),
        ("", "Read", None),
        (RAW, "Read", {"file_path": "/home/ada/.claude/projects/-home-ada-kiln/a.jsonl", "offset": 3, "limit": 10}),
        (RAW, "powershell", {"command": 'Get-Content "$env:USERPROFILE\\.claude\\projects\\x\\a.jsonl" -Tail 5'}),
        (RAW, "powershell", {"command": 'Select-String -Path "$HOME\\.codex\\sessions\\*" -Pattern kiln'}),
        (RAW, "Read", {"file_path": "C:\\Users\\ada\\.claude\\projects\\x\\a.jsonl"}),
        (RAW, "Read", {"file_path": "C:/Users/ada/.claude/projects/x/a.jsonl"}),
        (RAW, "Grep", {"pattern": "kiln", "path": "/home/ada/.claude/projects/-home-ada-kiln", "output_mode": "content"}),
        (RAW, "Grep", {"pattern": "kiln", "path": "/home/ada/.claude/projects/-home-ada-kiln"}),
        ("", "Grep", {"pattern": "\\.claude/projects", "path": "src"}),
        ("", "Glob", {"pattern": "**/*.jsonl", "path": "/home/ada/.claude/projects/-home-ada-kiln"}),
        ("", "LS", {"path": "/home/ada/.claude/projects/-home-ada-kiln"}),
        ("", "Glob", {"pattern": "/home/ada/.claude/projects/-home-ada-kiln/*.jsonl"}),
        (RAW, "mcp__filesystem__read_file", {"path": "/home/ada/.claude/projects/-home-ada-kiln/a.jsonl"}),
        (RAW, "mcp__filesystem__read_text_file", {"path": "/home/ada/.claude/projects/-home-ada-kiln/a.jsonl", "head": 4}),
        (RAW, "mcp__filesystem__read_multiple_files", {"paths": ["/home/ada/.claude/projects/-home-ada-kiln/a.jsonl"]}),
        ("", "mcp__filesystem__write_file", {"path": "/home/ada/.claude/projects/-home-ada-kiln/a.jsonl", "content": "x"}),
        ("", "mcp__filesystem__edit_file", {"path": "/home/ada/.claude/projects/-home-ada-kiln/a.jsonl", "edits": []}),
        ("", "mcp__filesystem__list_directory", {"path": "/home/ada/.claude/projects/-home-ada-kiln"}),
        ("", "mcp__filesystem__directory_tree", {"path": "/home/ada/.claude/projects/-home-ada-kiln"}),
        ("", "mcp__filesystem__search_files", {"path": "/home/ada/.claude/projects/-home-ada-kiln", "pattern": "*.jsonl"}),
        ("", "mcp__filesystem__get_file_info", {"path": "/home/ada/.claude/projects/-home-ada-kiln"}),
        ("", "mcp__filesystem__move_file", {"source": "/home/ada/.claude/projects/-home-ada-kiln", "destination": "x"}),
        (RAW, "mcp__desktop-commander__read_file", {"path": "/home/ada/.claude/projects/-home-ada-kiln/a.jsonl"}),
        (RAW, "mcp__desktop-commander__start_process", {"command": "cat /home/ada/.claude/projects/-home-ada-kiln/a.jsonl"}),
        (RAW, "mcp__shell__run", {"cmd": "cat /home/ada/.claude/projects/-home-ada-kiln/a.jsonl"}),
        (RAW, "filesystem.read_file", {"path": "/home/ada/.claude/projects/-home-ada-kiln/a.jsonl"}),
        (RAW, "read_many_files", {"include": ["~/.gemini/tmp/x/chats/*.json"]}),
        (RAW, "view", {"path": "/home/ada/.copilot/session-state/1/events.jsonl"}),
        ("", "Task", {"prompt": "read ~/.claude/projects/x/a.jsonl", "description": "d"}),
        ("", "Agent", {"prompt": "read ~/.claude/projects/x/a.jsonl", "description": "d", "subagent_type": "x"}),
        ("", "TodoWrite", {"todos": ["cat ~/.claude/projects"]}),
        ("", "Edit", {"file_path": "/home/ada/kiln/tests/.claude/projects/x/a.jsonl", "old_string": "a", "new_string": "b"}),
        ("", "Read", {"file_path": "/home/ada/kiln/tests/fixtures/.claude/projects/x/a.jsonl"}),
        ("", "Read", {"file_path": "/home/ada/.claude/projects/x/memory/MEMORY.md"}),
        ("", "Read", {"file_path": "/home/ada/.claude/settings.json"}),
        ("", "Read", {"file_path": "/home/ada/.gemini/tmp/abc/foo.png"}),
        (RAW, "exec", 'const r = await tools.exec_command({cmd: "cat ~/.codex/sessions/2026/a.jsonl"}); text(r.output)'),
        (RAW, "exec_command", {"cmd": "cat ~/.codex/sessions/2026/a.jsonl", "workdir": "/x"}),
        (RAW, "exec_command", {"cmd": "cat a.jsonl", "workdir": "/home/ada/.codex/sessions/2026"}),
        (RAW, "run_shell_command", {"command": "cat a.json", "directory": "/home/ada/.gemini/tmp/x/chats"}),
        (RAW, "shell", {"command": ["bash", "-lc", "cd ~/.codex/sessions && rg kiln"]}),
        (RAW, "shell", {"command": ["/bin/zsh", "-c", "rg kiln ~/.codex/sessions"]}),
        (LOOKUP, "Read", {"file_path": "/home/ada/.local/share/lib/library/entries/x.md"}),
        (LOOKUP, "Grep", {"pattern": "kiln", "path": "/home/ada/.local/share/lib/library/entries"}),
        (RAW, "Read", {"file_path": "/home/ada/kiln/.aider.chat.history.md"}),
        (RAW, "Read", {"file_path": "/home/ada/kiln/.specstory/history/a.md"}),
        ("", "search_files", {"path": "~/.codex/sessions", "file_pattern": "*"}),
        (RAW, "search_files", {"path": "~/.codex/sessions", "regex": "glaze"}),
        (RAW, "exec", "await tools.shell({command: 'cat ~/.codex/sessions/it\\'s.jsonl'})"),
        (RAW, "exec", 'await tools.shell({cmd: "cat \\q ~/.codex/sessions/a.jsonl"})'),
        (RAW, "Grep", {"pattern": "glaze", "path": "~/.claude"}),
        ("", "Read", ["/home/ada/.codex/sessions/a"]),
    ],
)
def test_what_a_tool_reads(kind: str, tool: str, given: object) -> None:
    assert Watch(MARKS).purpose(tool, given, CWD) == kind


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        (RAW, "$ cat ~/.codex/sessions/a.jsonl"),
        (RAW, "Read /home/ada/.codex/sessions/a.jsonl"),
        (LOOKUP, "$ lib search glaze"),
        ("", "Grep glaze.codex/sessions"),
        ("", "Write ~/.codex/sessions/a.jsonl"),
        ("", "Read notes.md"),
        ("", ""),
    ],
)
def test_what_a_stored_call_read(kind: str, line: str) -> None:
    assert purpose_of_line(line, MARKS) == kind


WORDS = st.sampled_from(
    [
        "cat",
        "grep",
        "~/.codex/sessions/a",
        "|",
        ";",
        "&&",
        "\n",
        "<<",
        ">",
        "<",
        "'",
        '"',
        "\\",
        "lib",
        "search",
        "-e",
        "xargs",
        "bash",
        "-c",
        "for",
    ]
)


@given(st.lists(WORDS | st.text(max_size=6), max_size=20).map(" ".join))
def test_no_command_is_too_odd_and_a_quick_look_misses_nothing(command: str) -> None:
    kind = Watch(MARKS).purpose("Bash", {"command": command})
    assert kind in (RAW, LOOKUP, "")
    assert may_count(command, MARKS) or not kind


@pytest.mark.parametrize(
    "command",
    [
        "find ~/.codex/sessions " + "-exec find ~/.codex/sessions " * 3000,
        "ls ~/.codex/sessions | " + "xargs " * 15_000,
        "ls ~/.codex/sessions | " + "xargs xargs -n 1 " * 6000,
        "cat ~/.codex/x; " + "eval " * 15_000,
        "cat ~/.codex/x; " + "$(" * 40_000,
        "sh -c '~/.codex' " + 'sh -c "' * 10_000,
        "rg " + "-g '*.md' " * 9000 + "x ~/.codex",
        ".codex; a=~; " + "a=$a$a; " * 10_000,
        "cat ~/.codex/" + "**/a/" * 10_000,
        "find " + ".codex " * 1500 + "-name x " * 1500,
        "rg " + "-g x " * 20 + ".codex " * 14_000,
        "a='" + "b\n" * 20 + "'; cat .codex " + "$a " * 15_000,
        "a='" + "b\n" * 20 + "'; cat .codex; " + "x $(cat $a); " * 7000,
    ],
    ids=range(13),
)
def test_no_command_takes_long_or_goes_too_deep(command: str) -> None:
    start = time.process_time()
    Watch(MARKS).purpose("Bash", {"command": command}, CWD)
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    "command",
    [".codex; " + "; ".join(f"a{one}=b" for one in range(1000)) + "(" * 2000, ".codex; a=" + "b" * 20_000 + "; cat " + "$a" * 5000],
)
def test_no_command_takes_much_memory(command: str) -> None:
    tracemalloc.start()
    try:
        Watch(MARKS).purpose("Bash", {"command": command}, CWD)
        assert tracemalloc.get_traced_memory()[1] < 40_000_000
    finally:
        tracemalloc.stop()


def test_a_script_that_one_call_wrote_and_a_later_one_runs() -> None:
    watch = Watch(MARKS)
    code = "import glob\nfor name in glob.glob('/home/ada/.claude/projects/*/*.jsonl'):\n    print(open(name).read())"
    assert watch.purpose("Write", {"file_path": "/srv/look.py", "content": code}) == ""
    assert watch.purpose("Write", {"file_path": "/srv/other.py", "content": "print('.claude')"}) == ""
    assert watch.purpose("Bash", {"command": "python3 /srv/look.py | head"}) == RAW
    assert watch.purpose("Bash", {"command": "python3 /srv/other.py"}) == ""
    assert Watch(MARKS).purpose("Bash", {"command": "python3 /srv/look.py | head"}) == ""


def test_a_session_may_run_among_its_transcripts() -> None:
    assert Watch(MARKS).purpose("Bash", {"command": "cat a.jsonl"}, f"{HOME}/.claude/projects/k") == RAW
    assert Watch(MARKS).purpose("Read", {"file_path": "a.jsonl"}, "~/.claude/projects/k") == RAW
    assert purpose_of_line("$ cat a.jsonl", MARKS, f"{HOME}/.claude/projects/k") == RAW
    assert Watch(MARKS).purpose("Bash", {"command": "cat .claude/projects/k/a.jsonl"}, HOME) == RAW
    assert Watch(MARKS).purpose("Bash", {"command": "cat .claude/projects/k/a.jsonl"}, CWD) == ""
