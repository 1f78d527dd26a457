"""The schemas of our two databases, as data. A step is never edited once released: a change is a new step.

`user_version` of a database is the number of steps it has seen. The store is migrated; the search db is a cache, and any change of its
schema (or of domain.fts) sets it aside to be built anew.
"""

STORE_STEPS: tuple[str, ...] = (
    """
    CREATE TABLE file (
      id INTEGER PRIMARY KEY,
      path TEXT NOT NULL UNIQUE,
      agent TEXT NOT NULL,             -- '' when no adapter knows the content
      inode INTEGER NOT NULL,
      size INTEGER NOT NULL,
      mtime_ns INTEGER NOT NULL,
      side TEXT NOT NULL,              -- size and mtime of side files, as one string
      offset INTEGER NOT NULL,         -- bytes consumed: whole lines
      edge BLOB NOT NULL,              -- digest of the bytes around 0 and around offset, to tell growth from rewriting
      state TEXT,                      -- the reader's state, JSON; NULL when the file is read whole
      tally TEXT NOT NULL,             -- unknown record types and damage met, JSON; '' when none
      error TEXT NOT NULL,             -- why it could not be read, without its text; '' when it could
      missing INTEGER NOT NULL         -- 1 when its agent has deleted it
    );
    CREATE TABLE session (
      id INTEGER PRIMARY KEY,
      agent TEXT NOT NULL,
      sid TEXT NOT NULL,
      parent TEXT NOT NULL, subagent INTEGER NOT NULL, forked_from TEXT NOT NULL,
      project TEXT NOT NULL, project_key TEXT NOT NULL,
      cwd TEXT NOT NULL, branch TEXT NOT NULL, repository TEXT NOT NULL,
      machine TEXT NOT NULL,
      model TEXT NOT NULL, version TEXT NOT NULL, title TEXT NOT NULL, origin TEXT NOT NULL,
      started TEXT NOT NULL, ended TEXT NOT NULL,
      turns INTEGER NOT NULL, human INTEGER NOT NULL, prose INTEGER NOT NULL, calls INTEGER NOT NULL,
      opening TEXT NOT NULL,           -- first prompt, redacted and cut: what the class rules look at
      class TEXT NOT NULL,
      UNIQUE (agent, sid)
    );
    CREATE INDEX session_sid ON session (sid);
    CREATE TABLE part (                -- what one file holds of one session
      id INTEGER PRIMARY KEY,
      file INTEGER,                    -- NULL: the file no longer holds it (rewritten); kept, since it was said
      session INTEGER NOT NULL,
      turns INTEGER NOT NULL, human INTEGER NOT NULL, prose INTEGER NOT NULL, calls INTEGER NOT NULL,
      UNIQUE (file, session)
    );
    CREATE INDEX part_session ON part (session);
    CREATE TABLE chunk (
      id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again: the search db's watermark relies on it
      hash BLOB NOT NULL UNIQUE,
      time TEXT NOT NULL,              -- of its first record, UTC, to the second: 2026-10-03T09:15:00
      words TEXT NOT NULL,             -- project and branch, for the ids column
      body BLOB NOT NULL               -- domain.chunk.encode, zlib
    );
    CREATE TABLE source (              -- the chunks of a part in order; a fork points at the shared ones
      part INTEGER NOT NULL, ord INTEGER NOT NULL,
      chunk INTEGER NOT NULL,
      turn INTEGER NOT NULL,           -- turn of the chunk's first segment
      PRIMARY KEY (part, ord)
    ) WITHOUT ROWID;
    CREATE INDEX source_chunk ON source (chunk);
    CREATE TABLE gone (                -- chunks that the search db may still hold; emptied once it has caught up
      rev INTEGER PRIMARY KEY AUTOINCREMENT, chunk INTEGER NOT NULL,
      time TEXT NOT NULL, words TEXT NOT NULL, body BLOB NOT NULL
    );
    CREATE TABLE tombstone (agent TEXT NOT NULL, sid TEXT NOT NULL, PRIMARY KEY (agent, sid)) WITHOUT ROWID;
    CREATE TABLE login (               -- fingerprints of logins met: what propagation needs; never a value
      fingerprint TEXT PRIMARY KEY, kind TEXT NOT NULL,
      spreads INTEGER NOT NULL         -- 1: distinctive enough to be redacted wherever it stands
    ) WITHOUT ROWID;
    CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    """,
)

SEARCH_SCHEMA = """
    CREATE VIRTUAL TABLE fts USING fts5(user, assistant, tool, ids, content='', tokenize='porter unicode61');
    INSERT INTO fts(fts, rank) VALUES ('rank', 'bm25(2.0, 2.0, 1.0, 0.5)');
    INSERT INTO fts(fts, rank) VALUES ('hashsize', 67108864);
    CREATE VIRTUAL TABLE vocabulary USING fts5vocab(fts, row);
    CREATE VIRTUAL TABLE spelling USING fts5(term, tokenize='trigram', detail='none', columnsize=0);
    CREATE TABLE mark (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    """
SEARCH_VERSION = 1
