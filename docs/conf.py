"""Builds the documentation: ``python3 dev.py docs``. No asset is fetched."""

project = "locframework"
author = "the locframework authors"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build", "examples"]
myst_heading_anchors = 3
highlight_language = "none"  # of blocks that name no language

# docs/reference/ports/: ports and records, from their docstrings
autodoc_default_options = {
    "members": True,
    "undoc-members": True,
    "member-order": "bysource",
    "no-value": True,
}
autodoc_typehints_format = "short"
add_module_names = False
python_use_unqualified_type_names = True
suppress_warnings = ["ref.python"]  # a type such as bytes has the name of a field

html_theme = "furo"
html_title = "locframework"
html_show_sourcelink = False
html_copy_source = False
