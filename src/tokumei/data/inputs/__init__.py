"""What tables come in beside CSV and Parquet: other separators and encodings, workbooks, JSON, databases."""
