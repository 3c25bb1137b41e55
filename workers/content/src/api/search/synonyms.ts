import { mapInSlices } from '@octavo/runtime';
import type { SynonymGroups } from '@octavo/schema';
import { readEntry, Synonyms } from '@octavo/search';
import { LengthLimitedCache } from '../../engine/search/cache.ts';

/** Parsed synonyms by their JSON text, because parsing long lists takes milliseconds. */
const cache = new LengthLimitedCache<Synonyms>(4_000_000);
/** Synonyms take about this many times the memory of their JSON. */
const sizeFactor = 20;

/** Approximate duration of reading a synonym, in microseconds. */
const durationPerSynonym = 10;

/** Returns the synonyms of an organization from their row. */
export async function parseSynonyms([row]: { synonyms: string | null }[]): Promise<Synonyms> {
  const json = row?.synonyms ?? '[]';
  const cached = cache.get(json);
  if (cached !== undefined) return cached;
  const groups = await mapInSlices(
    JSON.parse(json) as SynonymGroups,
    ({ synonyms }) => synonyms.map(readEntry),
    ({ synonyms }) => synonyms.length * durationPerSynonym,
  );
  const synonyms = new Synonyms(groups);
  cache.add(json, synonyms, json.length * sizeFactor);
  return synonyms;
}
