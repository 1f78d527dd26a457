"""Our own files: the store, the search db, atomic writes, the lock."""
