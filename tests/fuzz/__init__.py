"""Long seeded runs: random reviews through the handler, mangled HTTP against a server, every answer judged."""
