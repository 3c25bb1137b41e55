import type { CallerRecord, Check, Database, InstallationRecord, Statement } from '@octavo/db';
import { commitChecked, giveSpace, siteInstallations, spaceInstallations } from '@octavo/db';
import type { ActorContext, Urls } from '@octavo/runtime';
import { conflict, notFound, preconditionFailed } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { defaultConfiguration, statusWith } from '../configuration/configuration.ts';
import { sealConfiguration } from '../configuration/kept-configuration.ts';
import type { IntegrationsEnvironment } from '../environment.ts';
import { isPerson } from '../installations/configured-by.ts';
import { sameVersion } from '../installations/same-version.ts';
import type { PlacedRecord, PlaceKind } from './content-installation.ts';
import { newPlaced, placeKinds, placeOwner } from './content-installation.ts';
import type { PlacedShapes } from './present-placed.ts';
import { placedEvent, presentPlaced } from './present-placed.ts';
import { readPlaces } from './read-places.ts';

/** What an operation on installations on spaces and sites has at hand. */
export interface PlacedContext extends ActorContext {
  env: IntegrationsEnvironment;
  db: Database;
  urls: Urls;
  actor: CallerRecord;
  installation: InstallationRecord;
}

/** An installation is on so many spaces, and so many sites, at most: one that is for all of them reaches all without. */
const maxPlaces = 1000;

/** Installs an integration on a space or a site. */
export async function installOn<Kind extends PlaceKind>(
  kind: Kind,
  { place, extended }: { place: string; extended: boolean },
  context: PlacedContext,
): Promise<PlacedShapes[Kind]> {
  const { env, db, urls, actor, installation, commit } = context;
  const { target } = installation.integration;
  if (target !== 'all' && target !== kind) {
    throw preconditionFailed(`The integration is made to be installed on ${target}s only.`);
  }
  const made = newPlaced(place, installation);
  const asked = made.configurations?.[kind];
  const whole = defaultConfiguration(asked);
  const configuration = await sealConfiguration(env, placeOwner(installation.id, place), whole);
  const record: PlacedRecord = { ...made, configuration, status: statusWith(asked, whole) };
  await commitChecked(db, [...checksFor(kind, record), sameVersion(installation.integration)], (guards) =>
    commit([...guards, ...insertPlaced(db, kind, record)], [placedEvent(kind, 'created', record)]),
  );
  const places = extended ? await readPlaces(kind, [record], context) : new Map();
  return presentPlaced(kind, record, { env, urls, toPeople: isPerson(actor), whole: places.get(place) });
}

function insertPlaced(db: Database, kind: PlaceKind, record: PlacedRecord): Statement[] {
  const { place, account, scopes, configurations, ...row } = record;
  if (kind === 'site') return [db.insert(siteInstallations).values({ ...row, site: place })];
  return [
    db.insert(spaceInstallations).values({ ...row, space: place }),
    giveSpace(db, record, place, record.status === 'active'),
  ];
}

function checksFor(kind: PlaceKind, { place, installation, organization }: PlacedRecord): Check[] {
  const { table, column } = placeKinds[kind];
  const places = sql.raw(`${kind}s`);
  const isThere = kind === 'space' ? sql`deleted_at IS NULL AND purging_at IS NULL` : sql`1`;
  return [
    {
      holds: sql`EXISTS (SELECT 1 FROM installations WHERE id = ${installation})`,
      otherwise: () => notFound('installation'),
    },
    {
      holds: sql`EXISTS (SELECT 1 FROM ${places} WHERE id = ${place} AND organization = ${organization} AND ${isThere})`,
      otherwise: () => notFound(kind),
    },
    {
      holds: sql`NOT EXISTS (SELECT 1 FROM ${table} WHERE installation = ${installation} AND ${column} = ${place})`,
      otherwise: () => conflict(`The integration is installed on this ${kind} already.`),
    },
    {
      holds: sql`(SELECT on_${places} FROM installations WHERE id = ${installation}) < ${maxPlaces}`,
      otherwise: () =>
        conflict(
          `An installation is on at most ${maxPlaces} ${kind}s: with ${kind}_selection all it reaches every one.`,
        ),
    },
  ];
}
