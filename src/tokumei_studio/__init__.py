"""The studio: a local web front in which one person takes one data set from a file to a release and its dossier."""
