"""Where tools come from: Python functions, providers' schemas, files. Imports ``tool`` and ``errors`` only."""
