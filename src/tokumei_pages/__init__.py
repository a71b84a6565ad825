"""The look that arena and studio share: style sheet, frame of a page, headers, static files, charts, threads."""
