import type { Check, Database, Statement } from '@octavo/db';
import { commitChecked, giveSpace, siteInstallations, spaceInstallations } from '@octavo/db';
import type { InstallationConfiguration } from '@octavo/schema';
import { conflict, notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { changedConfiguration, statusWith } from '../configuration/configuration.ts';
import { readConfiguration, resealed } from '../configuration/kept-configuration.ts';
import { tryInstallationAgain } from '../deliveries/try-at-once.ts';
import { isPerson } from '../installations/configured-by.ts';
import { sameVersion } from '../installations/same-version.ts';
import type { PlacedRecord, PlaceKind } from './content-installation.ts';
import { placeKinds, placeOwner } from './content-installation.ts';
import { findPlaced } from './find-placed.ts';
import type { PlacedContext } from './install-on.ts';
import type { PlacedShapes } from './present-placed.ts';
import { changedEvent, presentPlaced } from './present-placed.ts';
import { readPlaces } from './read-places.ts';

interface Change {
  externalIds?: string[] | undefined;
  configuration?: InstallationConfiguration | undefined;
}

/** Changes an installation on a space or a site. */
export async function updateOn<Kind extends PlaceKind>(
  kind: Kind,
  { place, extended, change }: { place: string; extended: boolean; change: Change },
  context: PlacedContext,
): Promise<PlacedShapes[Kind]> {
  const { env, db, urls, actor, installation, commit } = context;
  const former = await findPlaced(db, kind, { installation: installation.id, place });
  const record = await changedBy(kind, former, { change, context });
  const isConfigured = isPerson(actor) && change.configuration !== undefined;
  const tried = isConfigured ? [tryInstallationAgain(db, installation.id)] : [];
  await commitChecked(db, [...checksFor(kind, former), sameVersion(installation.integration)], (guards) =>
    commit([...guards, ...writePlaced(db, kind, record), ...tried], [changedEvent(kind, record, former.status)]),
  );
  const places = extended ? await readPlaces(kind, [record], context) : new Map();
  return presentPlaced(kind, record, { env, urls, toPeople: isPerson(actor), whole: places.get(place) });
}

async function changedBy(
  kind: PlaceKind,
  former: PlacedRecord,
  { change, context: { env, actor } }: { change: Change; context: PlacedContext },
): Promise<PlacedRecord> {
  const asked = former.configurations?.[kind];
  const owner = placeOwner(former.installation, former.place);
  const before = await readConfiguration(env, owner, former.configuration);
  const whole =
    change.configuration === undefined
      ? before
      : changedConfiguration(asked, { before, after: change.configuration, byPeople: isPerson(actor) });
  return {
    ...former,
    status: statusWith(asked, whole),
    configuration: await resealed(env, owner, { sealed: former.configuration, before, after: whole }),
    externalIds: change.externalIds ?? former.externalIds,
    updatedAt: Date.now(),
  };
}

function writePlaced(db: Database, kind: PlaceKind, record: PlacedRecord): Statement[] {
  const { installation, place, status, configuration, externalIds, updatedAt } = record;
  const changed = { status, configuration, externalIds, updatedAt };
  if (kind === 'site') {
    const where = sql`${siteInstallations.installation} = ${installation} AND ${siteInstallations.site} = ${place}`;
    return [db.update(siteInstallations).set(changed).where(where)];
  }
  const where = sql`${spaceInstallations.installation} = ${installation} AND ${spaceInstallations.space} = ${place}`;
  return [db.update(spaceInstallations).set(changed).where(where), giveSpace(db, record, place, status === 'active')];
}

function checksFor(kind: PlaceKind, { installation, place, configuration, externalIds }: PlacedRecord): Check[] {
  const { table, column } = placeKinds[kind];
  const row = sql`SELECT 1 FROM ${table} WHERE installation = ${installation} AND ${column} = ${place}`;
  return [
    { holds: sql`EXISTS (${row})`, otherwise: () => notFound(`installation on this ${kind}`) },
    {
      holds: sql`EXISTS (${row} AND configuration = ${configuration}
        AND external_ids = ${JSON.stringify(externalIds)})`,
      otherwise: () => conflict('The installation was changed meanwhile: read it again.'),
    },
  ];
}
