-- The computed pages of a branch by the specification that they are made from.
CREATE INDEX versions_specs ON versions (branch, data->>'$.fields.computed.dependencies.spec.ref.spec', until)
  WHERE data->>'$.fields.computed.type' = 'builtin:openapi';

-- What of a specification pages are made of, and what stands on one of them.
CREATE INDEX openapi_entries_of_kind ON openapi_entries (version, kind, parent, ordinal);
