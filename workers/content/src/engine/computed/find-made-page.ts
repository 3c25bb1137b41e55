import type { Node } from '@octavo/merge';
import type { SpaceId } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { nodesOf } from '../nodes/stored-node.ts';
import type { ComputedSourceRow } from './computed-sources.ts';
import type { MadePartRow, MadeStatements } from './find-computed.ts';
import { partsOf } from './find-computed.ts';
import type { MadePage } from './make-pages.ts';
import { isMadeId, isMadePage, withMadePages } from './make-pages.ts';

/** A page with those above it, from the nearest on, and those below it. */
export interface PlacedPage {
  page: Node;
  ancestors: Node[];
  descendants: Node[];
  /** The computed pages that it is made of, or that stand below it. */
  sources: ComputedSourceRow[];
}

interface Told {
  lineage: string;
  /** An id, or a path as a JSON array of so many slugs; of an id there are none. */
  key: string;
  length: number;
  space: SpaceId;
}

/**
 * The statements that read what is made of computed pages, where a page is read: below it, or among which it is one.
 * In a space without computed pages they read no row.
 */
export function readMade(by: MadeStatements, { lineage, key, length, space }: Told, isWanted: boolean) {
  const isPath = length > 0;
  const mayBeMade = isWanted && (isPath || isMadeId(key));
  const mayBeWritten = isWanted && (isPath || !isMadeId(key));
  return {
    below: mayBeWritten ? by.below(lineage, key, length, space) : [],
    made: mayBeMade ? by.made(lineage, key, length, space) : [],
  };
}

/** The page among those that are made of computed ones. @throws ApiError not_found */
export function findMadePage(rows: MadePartRow[], key: string, length: number): PlacedPage {
  const found = soughtMadePage(rows, key, length);
  if (found === undefined) throw notFound('page');
  return found;
}

/** The same, where there may be none. */
export function soughtMadePage(rows: MadePartRow[], key: string, length: number) {
  const { beside, siblings, taken, above } = partsOf(rows);
  const ancestors = nodesOf(above.toSorted((one, other) => one.level - other.level));
  const made = withMadePages(nodesOf(siblings), beside, taken).filter(isMadePage);
  const last =
    length === 0
      ? made.find(({ id }) => id === key)
      : pageAt(made, (JSON.parse(key) as string[]).slice(ancestors.length));
  const [page, ...between] = chainTo(last, made);
  if (page === undefined) return undefined;
  const { source } = page.madeOf;
  return {
    page,
    ancestors: [...between, ...ancestors],
    descendants: made,
    sources: beside.filter((row) => row.page === source),
  } satisfies PlacedPage;
}

/** A page and those above it that are made with it. */
function chainTo(page: MadePage | undefined, made: MadePage[]): MadePage[] {
  if (page === undefined) return [];
  return [
    page,
    ...chainTo(
      made.find(({ id }) => id === page.parent),
      made,
    ),
  ];
}

function pageAt(made: MadePage[], slugs: string[]): MadePage | undefined {
  const ids = new Set(made.map(({ id }) => id));
  const isBelow = (page: MadePage, parent: string | undefined) =>
    parent === undefined ? !ids.has(page.parent) : page.parent === parent;
  let found: MadePage | undefined;
  for (const slug of slugs) {
    const parent = found?.id;
    found = made.find((each) => each.slug === slug && isBelow(each, parent));
    if (found === undefined) return undefined;
  }
  return found;
}
