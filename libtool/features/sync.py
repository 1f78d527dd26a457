"""`lib sync`: this machine's copy of the library and the remote's, brought together.

Nothing of a person's is ever overwritten: what is in the way is named before anything changes. The merge is made in memory and pushed
before the work tree moves, so that a push that loses a race leaves no merge behind. Killed anywhere, the next sync carries on.
"""

from __future__ import annotations

import contextlib
import os
import random
import time
from typing import TYPE_CHECKING

from libtool.domain.fold import fold
from libtool.domain.schema import LIBRARY_MARK
from libtool.errors import LibraryNotFound, RemoteFailed, SyncRefused
from libtool.features import sync_glance, sync_identity, sync_upstream
from libtool.features.sync_files import former_files, own_files
from libtool.features.sync_recover import recover
from libtool.features.sync_report import SyncReport
from libtool.storage import git, key, repo_merge, repo_place
from libtool.storage.repo import Repository, regular
from libtool.storage.work_tree import GitWorkTree, HeadMovedError, InTheWayError, Version, changed_paths

if TYPE_CHECKING:
    from collections.abc import Mapping

    from libtool.config import Config
    from libtool.features.sync_upstream import Upstream
    from libtool.storage.repo_merge import File, Tree
    from libtool.storage.repo_place import Note, Place
    from libtool.storage.repo_wire import Remote
    from libtool.storage.work_tree import WorkTree

LOCK_SECONDS = 60.0
NAMED = 10
"""How many things that must not leave are named before the rest is counted."""
ATTEMPTS = 60
"""Fetches and pushes before we give up on a remote that others push to all the time."""
STUCK = 12
"""Of these, so many on end that failed although nobody pushed: something else is wrong with the remote."""
PAUSE_SECONDS = 0.5
"""The longest pause between two of them."""


def sync(config: Config, environ: Mapping[str, str], *, push: bool = True, timeout: float = LOCK_SECONDS) -> SyncReport:
    """Bring library and remote together; `push` off leaves the remote as it is.

    Raises LibraryNotFound, Locked, SyncRefused (with nothing of a person's changed), RemoteFailed (the library is whole, and the next sync
    carries on).
    """
    place = repo_place.find(config.library)
    sync_identity.own(config)
    if push and not os.path.exists(config.key_file):
        # What leaves is searched for logins, which takes one.
        key.load(config)
    # Before anything is read: what changes while we are at work is for the next one.
    data = sync_glance.data_of(config)
    try:
        with repo_place.one_sync(place, timeout) as note, contextlib.closing(_Sync(config, git.unbound(environ), place, note)) as run:
            report = run.run(push=push)
    except git.GitFailed as error:
        raise SyncRefused(error.message, hint=error.hint or f"`git -C {place.top} status` may tell more") from error
    except OSError as error:
        if not repo_place.holds(place, error.filename):
            raise
        raise SyncRefused(
            f"{os.fsdecode(error.filename)}: {os.strerror(error.errno or 0)}",
            hint="let the library be written (rights, space on the disk), then run `lib sync` again",
        ) from None
    if report.before != report.after:
        from libtool.features import sync_after  # noqa: PLC0415 - not for a sync that changes nothing

        sync_after.take_in(config)
    if report.remote and not report.pending:
        sync_glance.remember(config, run.tracking, report, data)
    return report


def _locked(remote: str, said: str) -> RemoteFailed:
    return RemoteFailed(
        f"{remote} did not take what was sent, and nobody else pushed: {said}",
        hint="a git killed there may have left a lock (HEAD.lock, refs/heads/*.lock): when none is at work, remove it, and sync again",
    )


class UnfitError(SyncRefused):
    """Something here must not leave this machine."""


class _Sync:
    """One sync under its lock."""

    def __init__(self, config: Config, environ: Mapping[str, str], place: Place, note: Note) -> None:
        self._config = config
        self._environ = environ
        self._place = place
        self._note = note
        self._opened: Repository | None = None
        self._tree: WorkTree = self._work_tree()
        self._settings = self._tree.settings()
        self._notes: list[str] = []
        self._push = True
        self._begun: str | None = None
        self.tracking = ""
        """Our ref for the remote's branch, once it is known."""

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()

    def run(self, *, push: bool) -> SyncReport:
        self._push = push
        repo_place.refuse_unsupported(self._place, self._settings)
        repo_place.refuse_unfinished(self._place)
        ref = self._tree.branch()
        if ref is None:
            raise SyncRefused(
                f"HEAD is detached in {self._place.top}", hint="go to a branch, such as `git switch main`, then run `lib sync` again"
            )
        branch = sync_upstream.short(ref)
        upstream = sync_upstream.upstream_of(branch, self._settings)
        if push:
            sync_upstream.refuse_other_push(branch, upstream, self._settings)
        self._recover(ref, upstream)
        before = self._tree.commit_of("HEAD")
        self._refuse_strange(before)
        self._begun = before
        first: SyncReport | None = None
        if upstream.remote and (before is None or self._tree.content(self._own_record) is None):
            # What the remote has is the beginning, not our own file; and our name may be taken there.
            self._push = False
            first = self._exchange(branch, upstream, before)
            self._push = push
        self._commit_own_files()
        if not upstream.remote:
            return self._report(branch, "", before, (0, 0, 0))
        if self._nothing_to_do(upstream):
            return self._report(branch, f"{upstream.remote}/{upstream.branch}", before, (0, 0, 0))
        report = self._exchange(branch, upstream, before)
        if first is not None:
            report.received += first.received
            report.merged |= first.merged
        return report

    def _work_tree(self) -> WorkTree:
        if git.find(self._environ):
            return GitWorkTree(self._place, self._environ, self._note.lock)
        from libtool.storage.repo_checkout import PlainWorkTree  # noqa: PLC0415 - rare

        return PlainWorkTree(self._place, self._repository)

    @property
    def _repository(self) -> Repository:
        """Opened when first needed: dulwich costs more than a sync with nothing to do."""
        if self._opened is None:
            self._opened = Repository(self._place.top)
        return self._opened

    def _version(self, commit: str | None) -> Version:
        return Version(commit, self._repository.files(commit))

    def _refuse_strange(self, head: str | None) -> None:
        """A repository with commits that is no library is none of our business."""
        marks = (LIBRARY_MARK, "entries")
        if head is not None and not any(os.path.exists(os.path.join(self._place.top, mark)) for mark in marks):
            raise LibraryNotFound(
                f"{self._place.top} is a git repository, but no library", hint="`lib init` makes one, or set `library` in the configuration"
            )

    def _recover(self, ref: str, upstream: Upstream) -> None:
        """Clear up after a sync, or a capture, that was killed."""
        tracking = sync_upstream.tracking_ref(upstream, upstream.branch or sync_upstream.short(ref), self._settings)
        self._notes += recover(self._place, self._note, self._tree, lambda: self._repository, (ref, tracking))

    @property
    def _own_record(self) -> bytes:
        return f"machines/{self._config.machine}.json".encode()

    def _commit_own_files(self) -> None:
        """Commit what this machine writes of itself, when it has changed; nothing of a person's goes along.

        Raises SyncRefused when another machine of the same name does so too.
        """
        sync_identity.refuse_stranger(self._config, self._tree.content(self._own_record))
        wanted = {path: content for path, content in own_files(self._config).items() if self._tree.content(path) != content}
        if wanted:
            self._note.write()
            head = self._version(self._tree.commit_of("HEAD"))
            made = {path: (0o100644, self._repository.write(content)) for path, content in wanted.items()}
            # Else a machine that was renamed would be told of as two, one of which never syncs again.
            former = former_files(self._config, self._tree.content)
            kept = {path: file for path, file in head.files.items() if path not in former}
            self._advance(head, self._commit({**kept, **made}, [head.commit], f"Record what {self._config.machine} covers"))
        sync_identity.note_told(self._config)

    def _nothing_to_do(self, upstream: Upstream) -> bool:
        """Whether remote, our ref for it and HEAD are one commit: asked of git, which is quicker than to load dulwich."""
        if not (upstream.branch and isinstance(self._tree, GitWorkTree)):
            return False
        head = self._tree.commit_of("HEAD")
        self.tracking = sync_upstream.tracking_ref(upstream, upstream.branch, self._settings)
        return head is not None and head == self._tree.commit_of(self.tracking) == self._tree.remote_commit(
            upstream.remote, upstream.branch
        )

    def _exchange(self, branch: str, upstream: Upstream, before: str | None) -> SyncReport:
        """Fetch, merge, push, move; again while others are faster."""
        from libtool.storage.repo_wire import MovedError, Remote  # noqa: PLC0415 - not for a sync with nothing to do

        remote = Remote(self._repository, *sync_upstream.urls_of(upstream.remote, self._settings), self._environ, self._settings)
        stuck: int = 0
        last: str | None = ""
        for attempt in range(ATTEMPTS):
            time.sleep(random.uniform(0, PAUSE_SECONDS * min(1.0, attempt / 8)))  # noqa: S311 - so that machines do not keep step
            ours = self._version(self._tree.commit_of("HEAD"))
            # Killed in the fetch, it leaves locks of dulwich at which every later one would fail.
            self._note.write()
            heads = remote.fetch(lambda heads: sync_upstream.chosen(upstream, branch, heads))
            name = sync_upstream.chosen(upstream, branch, heads)
            self.tracking = tracking = sync_upstream.tracking_ref(upstream, name, self._settings)
            theirs = heads.branches.get(name)
            if theirs is not None and self._tree.commit_of(tracking) != theirs:
                self._tree.set_ref(tracking, theirs, "lib sync: fetch")
            try:
                sent, pending = self._settle(remote, name, tracking, ours, theirs)
            except HeadMovedError:
                continue
            except MovedError as moved:
                stuck, last = (stuck + 1 if theirs == last else 0), theirs
                if stuck >= STUCK:
                    raise _locked(upstream.remote, str(moved)) from None
                continue
            self._follow(branch, upstream, name)
            received = len(self._repository.outgoing(theirs, [ours.commit] if ours.commit else [])) if theirs else 0
            return self._report(branch, f"{upstream.remote}/{name}", before, (received, sent, pending))
        raise RemoteFailed(f"others pushed to {upstream.remote} all the while", hint="run `lib sync` again")

    def _settle(self, remote: Remote, name: str, tracking: str, ours: Version, theirs: str | None) -> tuple[int, int]:
        """Merge, push and move the work tree; (commits sent, commits here that the remote has not)."""
        new = self._joined(ours, theirs, f"{tracking.removeprefix('refs/remotes/')}")
        if new.commit is None:
            return 0, 0
        outgoing = self._repository.outgoing(new.commit, [theirs] if theirs else [])
        if new.commit != ours.commit:
            self._check(ours, new)
        if self._push and outgoing:
            self._note.write(ours.commit, new.commit)
            try:
                self._refuse_leaving(outgoing, theirs)
                remote.push(name, theirs, new.commit)
            except (RemoteFailed, UnfitError):
                # What came stays, and so does the merge: the next sync sends it.
                self._advance(ours, new)
                raise
            self._notes += remote.said
            self._tree.set_ref(tracking, new.commit, "lib sync: push")
        self._advance(ours, new)
        return (len(outgoing), 0) if self._push else (0, len(outgoing))

    def _check(self, old: Version, new: Version) -> None:
        """Raise SyncRefused where work is in the way. INDEX.md is nobody's work: lib makes it, and a killed commit may leave it behind."""
        # Killed in it, git leaves a lock.
        self._note.write()
        try:
            self._tree.check(old, new)
        except InTheWayError as refused:
            from libtool.features.sync_index import Here, past_index  # noqa: PLC0415 - rare

            here = Here(self._tree, self._repository, self._place)
            self._notes += past_index(refused, here, old.files, lambda: self._tree.check(old, new))

    def _refuse_leaving(self, outgoing: list[str], theirs: str | None) -> None:
        from libtool.features import sync_leaving  # noqa: PLC0415 - with the redactor; not for a sync that sends nothing

        if lines := sync_leaving.refused(self._config, self._repository, outgoing, theirs):
            more = f" and {len(lines) - NAMED} more" if len(lines) > NAMED else ""
            raise UnfitError(
                f"nothing was sent: {'; '.join(lines[:NAMED])}{more}", hint="`lib check --fix` mends entries; then commit and sync again"
            )

    def _joined(self, ours: Version, theirs: str | None, name: str) -> Version:
        """The version that has what both have; a new commit only where it takes one."""
        if theirs is None or theirs == ours.commit:
            return self._indexed(ours) if theirs is None else ours
        other = self._version(theirs)
        record = regular(other.files, self._own_record)
        sync_identity.refuse_stranger(self._config, self._repository.read(record) if record else None)
        if ours.commit is None:
            return other
        bases = self._tree.merge_bases(ours.commit, [theirs])
        if bases == [ours.commit]:
            return self._indexed(other) if self._push else other
        if bases == [theirs]:
            return self._indexed(ours)
        if not bases and not sync_upstream.may_join(other.files):
            raise SyncRefused(
                f"{name} has no history in common with this library, and is none itself", hint="`git remote -v`: is it the right remote?"
            )
        merged = repo_merge.merge(self._base(bases), ours.files, other.files, self._repository)
        self._notes += merged.notes
        return self._commit(self._with_index(merged.tree), [ours.commit, theirs], f"Merge {name}")

    def _base(self, bases: list[str]) -> Tree:
        """The files of the one merge base, or of the merge of several over their own (criss-cross)."""

        def merged(base: Tree, ours: Tree, theirs: Tree) -> Tree:
            return repo_merge.merge(base, ours, theirs, self._repository).tree

        return fold(bases, self._repository.files, self._tree.merge_bases, merged, {})

    def _indexed(self, ours: Version) -> Version:
        """`ours`, or a commit upon it that puts its INDEX.md right."""
        if ours.commit is None:
            return ours
        files = self._with_index(ours.files)
        return ours if files == ours.files else self._commit(files, [ours.commit], "Rebuild INDEX.md")

    def _with_index(self, files: Tree) -> dict[bytes, File]:
        from libtool.features.sync_index import with_index  # noqa: PLC0415 - not for a sync that changes nothing
        from libtool.features.sync_mend import mended  # noqa: PLC0415

        # Somebody edited or merged where no hook runs, on a forge for example.
        files, notes = mended(self._repository, files, self._repository.files(self._begun))
        self._notes += notes
        return with_index(self._repository, self._place, files)

    def _commit(self, files: Tree, parents: list[str | None], message: str) -> Version:
        made = self._tree.commit(self._repository.write_tree(files), [one for one in parents if one], message + "\n")
        return Version(made, files)

    def _advance(self, old: Version, new: Version) -> None:
        """Move the work tree, noted beforehand for the case that we are killed in it."""
        if new.commit == old.commit:
            return
        self._note.write(old.commit, str(new.commit))
        self._tree.move(old, new, "lib sync")

    def _follow(self, branch: str, upstream: Upstream, name: str) -> None:
        """Let a branch that followed none follow the one that it was synced with, so that `git pull` takes the same; let git tidy up."""
        if not isinstance(self._tree, GitWorkTree):
            return
        self._tree.tidy()
        if not upstream.branch:
            self._tree.follow(branch, upstream.remote, name)
            if name != branch:
                self._notes.append(f"the branch {branch} now follows {upstream.remote}/{name}, the remote's default branch")

    def _report(self, branch: str, remote: str, before: str | None, counts: tuple[int, int, int]) -> SyncReport:
        after = self._tree.commit_of("HEAD")
        topics: tuple[str, ...] = ()
        merged = False
        if after != before and after is not None:
            paths = changed_paths(self._repository.files(before), self._repository.files(after))
            topics = tuple(repo_merge.topic_of(path) for path in paths if repo_merge.is_entry(path))
            merged = len(self._repository.parents(after)) > 1
        report = SyncReport(branch, remote, before or "", after or "")
        report.received, report.sent, report.pending = counts
        report.topics, report.merged, report.notes = topics, merged, tuple(dict.fromkeys(self._notes))
        return report
