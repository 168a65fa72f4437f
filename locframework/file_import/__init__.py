"""Read and write the files that imports and exports share: CSV, XML, large files."""
