"""Builds the documentation: ``python3 dev.py docs``. No asset is fetched."""

project = "locframework"
author = "the locframework authors"
extensions = ["myst_parser"]
exclude_patterns = ["_build", "examples"]
myst_heading_anchors = 3
highlight_language = "none"  # of blocks that name no language

html_theme = "furo"
html_title = "locframework"
html_show_sourcelink = False
html_copy_source = False
