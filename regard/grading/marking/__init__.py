"""One answer marked: right or wrong, where it differs, and what to say."""
