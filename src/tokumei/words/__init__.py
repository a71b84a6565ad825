"""Values as people read them: texts in every language, numbers in one format."""
