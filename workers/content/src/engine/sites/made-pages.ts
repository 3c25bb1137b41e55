import type { Database } from '@octavo/db';
import { runBatch } from '@octavo/db';
import type { Claims } from '@octavo/schema';
import { madeToldById } from '../computed/find-computed.ts';
import { readMade, soughtMadePage } from '../computed/find-made-page.ts';
import { isLink, isMadeId, sourceOf } from '../computed/make-pages.ts';
import { allNodesIn } from '../nodes/find-nodes.ts';
import { nodesOf, pageFields } from '../nodes/stored-node.ts';
import { isPageShown, scopeOfSpace } from '../reading/shown-pages.ts';
import type { SoughtPage } from './sought-pages.ts';

/** Pages of so many computed pages are looked for; links to those of others lead nowhere. */
const maxSources = 10;

interface Sought {
  rows: SoughtPage[];
  /** What was asked for by an id of a page that nobody wrote, by the ordinals. */
  madeIds: ReadonlyMap<number, string>;
  claims: Claims;
}

/** Pages that are made of computed ones, with their paths, by the ordinals of what was sought; no trip without any. */
export async function shownMadePages(db: Database, { rows, madeIds, claims }: Sought) {
  const wanted = rows.flatMap((row) => {
    const id = madeIds.get(row.ordinal);
    return id === undefined || row.page !== null ? [] : [{ ...row, id }];
  });
  const groups = [...Map.groupBy(wanted, ({ space, id }) => `${space} ${sourceOf(id)}`).values()].slice(0, maxSources);
  const reads = groups.map(([first]) => {
    const { lineage = '[]', id: key = '', space = '' } = first ?? {};
    const { made } = readMade(madeToldById, { lineage, key, length: 0, space }, true);
    return { made, variables: allNodesIn(lineage, 'variable') };
  });
  const found = new Map<number, { page: string; path: string }>();
  if (groups.length === 0) return found;
  const answers = Object.values(await runBatch(db, Object.fromEntries(reads.entries())));
  for (const [index, answer] of answers.entries()) {
    const scope = scopeOfSpace(nodesOf(answer.variables), claims);
    for (const { ordinal, id } of groups[index] ?? []) {
      const made = soughtMadePage(answer.made, id, 0);
      const upwards = made === undefined ? [] : [made.page, ...made.ancestors];
      if (!upwards.every((node) => isPageShown(pageFields(node), scope)) || made === undefined || isLink(made.page))
        continue;
      const path = upwards.map(({ slug }) => slug).reverse();
      found.set(ordinal, { page: id, path: path.join('/') });
    }
  }
  return found;
}

/** The ids of pages that nobody wrote, of those that are sought, by their places there. */
export const madeIdsOf = (ids: (string | undefined)[]): Map<number, string> =>
  new Map(ids.flatMap((id, ordinal) => (id !== undefined && isMadeId(id) ? [[ordinal, id] as const] : [])));
