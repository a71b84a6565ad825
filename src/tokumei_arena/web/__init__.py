"""Pages: views, forms, templates, charts."""
