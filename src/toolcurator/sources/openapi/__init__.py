"""OpenAPI documents (2.0, 3.0, 3.1) → tools, and a report of every operation that is none (pitfall D2).

Why ``referencing`` and no whole OpenAPI parser. Looked at for 94 published documents:

- `openapi-pydantic` refuses 2.0, and 3.x documents over details that no call needs (11 of 94); one second to import.
- `openapi-spec-validator` refuses 9 for defaults and formats that do not fit their own schema, and takes 19 s for the largest.
- `prance` (not tried) validates with the one before, then writes every reference out in place, which recursive schemas make huge.
- `jsonschema-path` walks documents well, but takes 1.6 s to import and leaves the resolving of schemas to its user.
- `jsonref` gives proxies that look like dicts and are none, so they cannot be saved as they are.
- `referencing`, the resolver inside `jsonschema`, does the part that is easy to get wrong (base URIs, pointers with escapes,
  several files) in milliseconds, and accepts documents that break rules elsewhere.

So references are its work, and the walk over paths and methods, which must survive anything, is ours.
"""

from toolcurator.sources.openapi.reading import OpenApiReading, read_document, read_openapi

__all__ = ["OpenApiReading", "read_document", "read_openapi"]
