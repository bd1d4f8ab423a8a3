"""Known failures: the one ledger of what may fail, each entry with a reason, an author, a date and an end."""
