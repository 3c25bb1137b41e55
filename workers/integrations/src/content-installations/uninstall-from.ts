import type { Check, Database, Statement } from '@octavo/db';
import { commitChecked, giveSpace, siteInstallations, spaceInstallations } from '@octavo/db';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PlacedRecord, PlaceKind } from './content-installation.ts';
import { placeKinds } from './content-installation.ts';
import { findPlaced } from './find-placed.ts';
import type { PlacedContext } from './install-on.ts';
import { placedEvent } from './present-placed.ts';

/** Takes an installation off a space or a site. */
export async function uninstallFrom(
  kind: PlaceKind,
  place: string,
  { db, installation, commit }: PlacedContext,
): Promise<undefined> {
  const record = await findPlaced(db, kind, { installation: installation.id, place });
  await commitChecked(db, [isStillOn(kind, record)], (guards) =>
    commit([...guards, ...deletePlaced(db, kind, record)], [placedEvent(kind, 'deleted', record)]),
  );
  return undefined;
}

/** Its end is told of once, whoever asks for it at once, or ends the space or the site. */
function isStillOn(kind: PlaceKind, { installation, place }: PlacedRecord): Check {
  const { table, column } = placeKinds[kind];
  return {
    holds: sql`EXISTS (SELECT 1 FROM ${table} WHERE installation = ${installation} AND ${column} = ${place})`,
    otherwise: () => notFound(`installation on this ${kind}`),
  };
}

function deletePlaced(db: Database, kind: PlaceKind, record: PlacedRecord): Statement[] {
  const { installation, place } = record;
  if (kind === 'site') {
    const where = sql`${siteInstallations.installation} = ${installation} AND ${siteInstallations.site} = ${place}`;
    return [db.delete(siteInstallations).where(where)];
  }
  const where = sql`${spaceInstallations.installation} = ${installation} AND ${spaceInstallations.space} = ${place}`;
  return [db.delete(spaceInstallations).where(where), giveSpace(db, record, place, false)];
}
