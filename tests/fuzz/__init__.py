"""Long seeded runs: random reviews through the handler, every answer judged."""
