import type { Database, RowsOf } from '@octavo/db';
import { runBatch } from '@octavo/db';
import { maxPageDepth } from '@octavo/merge';
import type { PageReading, ResolvedPage } from '@octavo/schema';
import { nodesOf } from '../../engine/nodes/stored-node.ts';
import { scopeOfSpace } from '../../engine/reading/shown-pages.ts';
import type { Key } from './address-statements.ts';
import { statementsOf } from './address-statements.ts';
import { newestFormer, selectFormer } from './resolve-former.ts';
import { madePageOf } from './resolve-made-page.ts';
import type { ShownPage } from './rungs.ts';
import { firstShown, slugsOf } from './rungs.ts';

/**
 * The pages that a visitor finds at some paths: of each the one that is there, else the newest that was there once and is
 * shown. One round trip in all, whose rows follow the paths and not the size of the space.
 */
export async function resolvePages(db: Database, readings: PageReading[]): Promise<(ResolvedPage | null)[]> {
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
