import type { Connection, Database, RowsOf } from '@octavo/db';
import { runBatch } from '@octavo/db';
import { maxPageDepth } from '@octavo/merge';
import type { PageReading, ResolvedPage } from '@octavo/schema';
import { maxAnchorLength } from '../../engine/links/targets.ts';
import { scopeOfSpace } from '../../engine/reading/visibility.ts';
import { nodesOf } from '../../engine/store/nodes.ts';
import type { Key } from './address-statements.ts';
import { anchorStatement, statementsOf } from './address-statements.ts';
import { newestFormer, selectFormer } from './resolve-former.ts';
import { madePageOf } from './resolve-made-page.ts';
import type { ShownPage } from './rungs.ts';
import { firstShown, slugsOf } from './rungs.ts';

/**
 * The pages that a visitor finds at some paths: of each the one that is there, else the newest that was there once and is
 * shown. One round trip in all, whose rows follow the paths and not the size of the space; one more where anchors are
 * asked for.
 */
export async function resolvePages(
  readings: PageReading[],
  { db }: Pick<Connection, 'db'>,
): Promise<(ResolvedPage | null)[]> {
  const pages = await findPages(db, readings);
  const statements = pages.flatMap((page, index) => {
    const reading = readings[index];
    const statement = page && reading && anchorRead(reading, page);
    return statement ? [[String(index), statement] as const] : [];
  });
  if (statements.length === 0) return pages;
  const found = new Map(Object.entries(await runBatch(db, Object.fromEntries(statements))));
  return pages.map((page, index) => {
    const [row] = found.get(String(index)) ?? [];
    return page === null || row === undefined ? page : { ...page, anchor: row.anchor };
  });
}

/** Reads an anchor where the page was found: of one that left its space's place, in the live content of where it is now. */
function anchorRead(reading: PageReading, { page, former }: ResolvedPage) {
  const { anchor = '', claims, former: places = [] } = reading;
  if (page === '' || anchor === '' || anchor.length > maxAnchorLength) return undefined;
  const place = former === undefined ? undefined : places[former];
  return anchorStatement(place === undefined ? reading : { space: place.space, path: '', claims }, page, anchor);
}

async function findPages(db: Database, readings: PageReading[]): Promise<(ResolvedPage | null)[]> {
  const asked = readings.map((reading) => ({ reading, key: keyOf(reading) }));
  const statements = asked.flatMap(({ reading, key }, index) =>
    key === undefined ? [] : [[String(index), readsOf(reading, key)] as const],
  );
  const found = new Map(Object.entries(await runBatch(db, Object.fromEntries(statements))));
  return asked.map(({ reading, key }, index) => {
    const rows = found.get(String(index));
    return key === undefined || rows === undefined ? null : resolved(reading, key, rows);
  });
}

const readsOf = (reading: PageReading, key: Key) => ({ ...statementsOf(reading, key), former: selectFormer(reading) });

/** Undefined where no page is so deep. */
function keyOf({ path, page }: PageReading): Key | undefined {
  if (page !== undefined) return { key: page, length: 0 };
  const slugs = slugsOf(path);
  return slugs.length > maxPageDepth ? undefined : { key: JSON.stringify(slugs), length: slugs.length };
}

function resolved(
  reading: PageReading,
  { key, length }: Key,
  { rows, variables, former, made }: RowsOf<ReturnType<typeof readsOf>>,
): ResolvedPage | null {
  const { claims, page } = reading;
  const scope = claims === null ? null : scopeOfSpace(nodesOf(variables), claims);
  const isThere = rows.some(({ rank }) => rank === 0);
  const isMade = isThere ? undefined : madePageOf(made, { key, length, scope });
  if (isMade !== undefined) return isMade;
  const found = firstShown(rows, scope, length === 0 && page === undefined);
  if (found?.rank === 0) return presentPage(found);
  return newestFormer(reading, former) ?? (found === undefined ? null : presentPage(found));
}

const presentPage = ({ page, path, rank, movedAt }: ShownPage): ResolvedPage => ({
  ...{ page, path, isOld: rank > 0 },
  ...(movedAt === null ? {} : { movedAt }),
});
