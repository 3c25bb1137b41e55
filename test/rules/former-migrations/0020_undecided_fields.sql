-- What an update could not merge is kept with each field, not as one mark on the node. Of the texts that were marked
-- before, the three that they were made of are not known: they are undecided while markers of seven characters stand in them.
UPDATE versions
SET data = json_remove(
  json_set(data, '$.undecided', json('{"document":{"message":"changed on both sides","text":{"markerLength":7}}}')),
  '$.conflicted'
)
WHERE instr(data, '"conflicted":true') > 0 AND data->>'$.conflicted' = 1;
