import type { RedirectRecord } from '@octavo/db';
import type { BulkRedirect, BulkRedirectResult, Issue } from '@octavo/schema';
import { newId, storedSource } from '@octavo/schema';
import { shownSource } from './present-redirect.ts';

/** What is written: what is there under these ids goes, and these rows come. */
export interface BulkPlan {
  removed: string[];
  rows: RedirectRecord[];
  results: BulkRedirectResult[];
  faults: Issue[];
}

type Stored = Pick<RedirectRecord, 'source' | 'wildcard' | 'draft'>;

const keyOf = ({ source, wildcard, draft }: Stored): string => JSON.stringify([source, wildcard, draft]);

/** What becomes of the redirects that are there; each entry that cannot be carried out is a fault. */
export function planBulk(entries: BulkRedirect[], there: RedirectRecord[], now: number): BulkPlan {
  const known = new Map(there.map((each) => [keyOf(each), each]));
  const plan: BulkPlan = { removed: [], rows: [], results: [], faults: [] };
  const taken = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    const place = { ...storedSource(entry.source), draft: entry.intent === 'draft' };
    const fault = takeOne(entry, place, { known, plan, taken, now });
    if (fault !== undefined) plan.faults.push({ path: `body.redirects.${index}.source`, message: fault });
  }
  return plan;
}

interface Planning {
  known: Map<string, RedirectRecord>;
  plan: BulkPlan;
  taken: Set<string>;
  now: number;
}

function takeOne(entry: BulkRedirect, place: Stored, planning: Planning): string | undefined {
  const { known, taken } = planning;
  const key = keyOf(place);
  const draftKey = keyOf({ ...place, draft: true });
  const keys = entry.intent === 'publish' ? [key, draftKey] : [key];
  if (keys.some((each) => taken.has(each))) return 'stands in the list more than once';
  for (const each of keys) taken.add(each);
  if (entry.intent === 'publish') return publish(known.get(draftKey), known.get(key), planning);
  return entry.destination === null
    ? remove(known.get(key), planning)
    : set({ ...entry, destination: entry.destination }, place, planning);
}

function publish(draft: RedirectRecord | undefined, live: RedirectRecord | undefined, { plan, now }: Planning) {
  if (draft === undefined) return 'is the source of no draft';
  const id = live?.id ?? draft.id;
  const createdAt = live?.createdAt ?? draft.createdAt;
  plan.removed.push(draft.id, ...(live === undefined ? [] : [live.id]));
  plan.rows.push({ ...draft, id, draft: false, createdAt, updatedAt: Math.max(now, createdAt + 1) });
  plan.results.push({ status: 'published', source: shownSource(draft), draft: false, id });
  return undefined;
}

function remove(found: RedirectRecord | undefined, { plan }: Planning) {
  if (found === undefined) return 'is the source of no redirect that could be deleted';
  plan.removed.push(found.id);
  plan.results.push({ status: 'deleted', source: shownSource(found), draft: found.draft });
  return undefined;
}

type Setting = Pick<RedirectRecord, 'destination'> & {
  permanent?: boolean | undefined;
  captureWildcard?: boolean | undefined;
};

function set({ destination, permanent, captureWildcard }: Setting, place: Stored, { known, plan, now }: Planning) {
  const found = known.get(keyOf(place));
  const { id, createdAt } = found ?? { id: newId('redirect'), createdAt: now };
  const updatedAt = found === undefined ? now : Math.max(now, found.updatedAt + 1);
  if (found !== undefined) plan.removed.push(id);
  plan.rows.push({
    ...{ ...place, id, destination, createdAt, updatedAt },
    permanent: permanent ?? found?.permanent ?? false,
    captureWildcard: captureWildcard ?? found?.captureWildcard ?? false,
  });
  const status = found === undefined ? 'created' : 'updated';
  plan.results.push({ status, source: shownSource(place), draft: place.draft, id });
  return undefined;
}
