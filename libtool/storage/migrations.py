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
    """
    ALTER TABLE login ADD COLUMN shape TEXT NOT NULL DEFAULT '';    -- its masked shape: domain.redact.shape
    ALTER TABLE login ADD COLUMN rotated TEXT NOT NULL DEFAULT '';  -- date or RFC 3339 time when its owner changed it; '' when not
    ALTER TABLE login ADD COLUMN key TEXT NOT NULL DEFAULT '';      -- tag of the key that made the fingerprint; '' for the key in use
    ALTER TABLE login ADD COLUMN swept INTEGER NOT NULL DEFAULT 0;  -- 1: what was stored before it was known has been looked through for it
    CREATE TABLE sighting (            -- where a login was met: a file, a session in it, and when
      fingerprint TEXT NOT NULL, file INTEGER NOT NULL, session INTEGER NOT NULL,
      first TEXT NOT NULL, last TEXT NOT NULL, -- RFC 3339 UTC of its first and last record; '' when unknown
      count INTEGER NOT NULL,
      there INTEGER NOT NULL,          -- 1: the file held it when it was last read
      PRIMARY KEY (fingerprint, file, session)
    ) WITHOUT ROWID;
    CREATE INDEX sighting_file ON sighting (file);
    CREATE INDEX sighting_session ON sighting (session);
    CREATE TABLE judged (              -- texts that looked like logins and are none, as the owner said in a review
      fingerprint TEXT PRIMARY KEY
    ) WITHOUT ROWID;
    CREATE TABLE elsewhere (           -- what the ledgers of other machines say, as they came with a sync
      machine TEXT NOT NULL, key TEXT NOT NULL,
      fingerprint TEXT NOT NULL,       -- '' in the one row of a machine that told of none
      kind TEXT NOT NULL, first TEXT NOT NULL, last TEXT NOT NULL, rotated TEXT NOT NULL,
      PRIMARY KEY (machine, fingerprint)
    ) WITHOUT ROWID;
    UPDATE file SET size = -1, state = NULL WHERE NOT missing;      -- read again: where logins were met was not noted
    """,
    """
    CREATE TABLE digest (              -- of a session, redacted as the chunks that it was made of
      id INTEGER PRIMARY KEY AUTOINCREMENT,  -- a new one with every change: the search db's watermark relies on it
      session INTEGER NOT NULL UNIQUE,
      time TEXT NOT NULL,              -- of the newest thing in it, UTC, to the second
      words TEXT NOT NULL,             -- project and branch, as of a chunk
      searched INTEGER NOT NULL,       -- 0: so little was said that the digest says nothing shorter, and the search db does without it
      body BLOB NOT NULL               -- domain.digest.body, as the body of a chunk
    );
    CREATE TABLE gathered (            -- how far a part was read for the digest of its session
      part INTEGER PRIMARY KEY,
      settled INTEGER NOT NULL,        -- chunks that were taken and cannot grow any more
      edge INTEGER NOT NULL,           -- id of the last of them; 0 for none
      state BLOB NOT NULL              -- JSON, zlib
    );
    CREATE TABLE due (session INTEGER PRIMARY KEY);  -- sessions whose digest is not up to date
    CREATE TRIGGER digest_leaves AFTER DELETE ON digest WHEN OLD.searched BEGIN
      INSERT INTO gone(chunk, time, words, body) VALUES (OLD.id + (2 << 40), OLD.time, OLD.words, OLD.body);
    END;
    CREATE TRIGGER session_leaves AFTER DELETE ON session BEGIN
      DELETE FROM digest WHERE session = OLD.id;
      DELETE FROM due WHERE session = OLD.id;
    END;
    CREATE TRIGGER part_leaves AFTER DELETE ON part BEGIN
      DELETE FROM gathered WHERE part = OLD.id;
      INSERT OR IGNORE INTO due(session) SELECT id FROM session WHERE id = OLD.session;
    END;
    CREATE TRIGGER session_changes AFTER UPDATE ON session
      WHEN (NEW.turns, NEW.human, NEW.prose, NEW.calls, NEW.class, NEW.ended, NEW.forked_from)
        IS NOT (OLD.turns, OLD.human, OLD.prose, OLD.calls, OLD.class, OLD.ended, OLD.forked_from) BEGIN
      INSERT OR IGNORE INTO due(session) VALUES (NEW.id);
    END;
    CREATE TRIGGER session_is_renamed AFTER UPDATE ON session
      WHEN (NEW.sid, NEW.project, NEW.branch) IS NOT (OLD.sid, OLD.project, OLD.branch) BEGIN
      DELETE FROM digest WHERE session = NEW.id;
      INSERT OR IGNORE INTO due(session) VALUES (NEW.id);
    END;
    CREATE TRIGGER chunk_is_rewritten AFTER UPDATE OF chunk ON source BEGIN   -- without a login that was known too late
      DELETE FROM digest WHERE session = (SELECT session FROM part WHERE id = NEW.part);
      INSERT OR IGNORE INTO due(session) SELECT session FROM part WHERE id = NEW.part;
      DELETE FROM gathered WHERE part = NEW.part;
    END;
    INSERT INTO due(session) SELECT id FROM session;
    """,
    """
    CREATE TABLE landed (              -- what of a session the library has
      agent TEXT NOT NULL, sid TEXT NOT NULL,
      turns INTEGER NOT NULL, calls INTEGER NOT NULL, said INTEGER NOT NULL,  -- counts of the session when its last review landed
      time TEXT NOT NULL,              -- RFC 3339 UTC
      PRIMARY KEY (agent, sid)
    ) WITHOUT ROWID;
    CREATE TABLE reviewed (            -- reviews that landed: the same again adds nothing
      hash TEXT PRIMARY KEY, agent TEXT NOT NULL, sid TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE waiting (             -- what could not be put into the library yet
      id INTEGER PRIMARY KEY,
      hash TEXT NOT NULL UNIQUE,       -- of session, topic and block
      agent TEXT NOT NULL, sid TEXT NOT NULL,
      topic TEXT NOT NULL,
      block TEXT NOT NULL,             -- JSON of the block and its source, redacted
      reason TEXT NOT NULL, time TEXT NOT NULL
    );
    CREATE TRIGGER review_is_forgotten AFTER INSERT ON tombstone BEGIN
      DELETE FROM landed WHERE agent = NEW.agent AND sid = NEW.sid;
      DELETE FROM reviewed WHERE agent = NEW.agent AND sid = NEW.sid;
      DELETE FROM waiting WHERE agent = NEW.agent AND sid = NEW.sid;
    END;
    """,
)

ENTRY_ROWS, DIGEST_ROWS = 1 << 40, 2 << 40
"""What is added to the id of a passage of an entry, or of a digest, to give its row in the index. Chunks keep their ids: a row's number
says what it is, and kinds never meet."""

SEARCH_SCHEMA = """
    CREATE VIRTUAL TABLE fts USING fts5(user, assistant, tool, ids, content='', tokenize='porter unicode61');
    INSERT INTO fts(fts, rank) VALUES ('rank', 'bm25(2.0, 2.0, 1.0, 0.5)');
    INSERT INTO fts(fts, rank) VALUES ('hashsize', 67108864);
    CREATE VIRTUAL TABLE vocabulary USING fts5vocab(fts, row);
    CREATE VIRTUAL TABLE spelling USING fts5(term, tokenize='trigram', detail='none', columnsize=0);
    CREATE TABLE mark (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE taken (                 -- files of the library that were taken in
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,         -- entries/<topic>.md, machines/<name>.json
      stamp TEXT NOT NULL,               -- storage.library.listing's
      settled INTEGER NOT NULL,          -- 0: changed so shortly before that the stamp alone does not vouch for it
      crc INTEGER NOT NULL               -- of what was read
    );
    CREATE TABLE entry (
      id INTEGER PRIMARY KEY,            -- of its file in taken
      topic TEXT NOT NULL, title TEXT NOT NULL,
      date TEXT NOT NULL,                -- the newest in it; '' for none
      projects TEXT NOT NULL             -- those of its pointers, lower case, each between blanks
    );
    CREATE TABLE passage (               -- what of an entry is one row of the index, redacted
      id INTEGER PRIMARY KEY, entry INTEGER NOT NULL,
      section TEXT NOT NULL,
      line INTEGER NOT NULL,
      body BLOB NOT NULL                 -- as the store's chunks have it
    );
    CREATE INDEX passage_entry ON passage (entry);
    CREATE TABLE cited (                 -- the sessions that an entry names
      entry INTEGER NOT NULL, agent TEXT NOT NULL, sid TEXT NOT NULL, machine TEXT NOT NULL, date TEXT NOT NULL,
      PRIMARY KEY (entry, agent, sid)
    ) WITHOUT ROWID;
    CREATE INDEX cited_sid ON cited (sid);
    CREATE TABLE machine (               -- what each machine of the library said of itself
      id INTEGER PRIMARY KEY,            -- of its file in taken
      name TEXT NOT NULL, last_capture TEXT NOT NULL, last_index TEXT NOT NULL, sessions INTEGER NOT NULL
    );
    CREATE TABLE library (watermark TEXT NOT NULL);  -- one row: where the library's git stood when all of it was taken in
    """
SEARCH_VERSION = 2
