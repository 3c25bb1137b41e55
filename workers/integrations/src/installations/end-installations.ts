import type { Database } from '@octavo/db';
import { commit, must, readRows, retryOnConflict } from '@octavo/db';
import type { Background } from '@octavo/runtime';
import { sendEvents } from '@octavo/runtime';
import { newId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import type { EndingRecord } from './remove-installation.ts';
import { endingPlaces, endingRow, eventsOfEnd, removeInstallation } from './remove-installation.ts';

const perPart = 10;
/** A part goes on while the spaces and sites of its installations are as many at most: each of them is told of. */
const placesPerPart = 200;
/** Of one run: what it does not get to is left for the next. */
const maxParts = 20;

interface Context {
  db: Database;
  env: IntegrationsEnvironment;
  background: Background;
}

/** Ends installations of an integration that nobody publishes any more, in bounded parts. */
export async function endInstallations(context: Context, integration: string): Promise<void> {
  for (let part = 0; part < maxParts; part += 1) {
    const hasMore = await retryOnConflict(() => endPart(context, integration));
    if (!hasMore) return;
  }
}

const isUnpublished = (name: string): SQL =>
  sql`EXISTS (SELECT 1 FROM integrations n WHERE n.name = ${name} AND n.unpublished_at IS NOT NULL)`;

async function endPart({ db, env, background }: Context, integration: string): Promise<boolean> {
  const next = endingRow.query(sql`SELECT ${endingRow} FROM installations i INDEXED BY installations_of_integration
    WHERE i.integration = ${integration} AND ${isUnpublished(integration)} ORDER BY i.created_at, i.id LIMIT ${perPart}`);
  const ending = fitting(await readRows(db, next));
  if (ending.length === 0) return false;
  const caller = { actor: 'system', requestId: newId('request') };
  // By now another may have ended them all, and the name be somebody else's.
  const still = must(db, isUnpublished(integration));
  const write = [still, ...ending.flatMap((each) => removeInstallation(db, each))];
  const { waiting } = await commit(db, caller, write, ending.flatMap(eventsOfEnd));
  sendEvents(env, background, waiting);
  return true;
}

/** The first ones, up to and with the one whose spaces and sites fill the part. */
function fitting(all: EndingRecord[]): EndingRecord[] {
  let places = 0;
  return all.filter((each) => {
    const isFull = places >= placesPerPart;
    places += endingPlaces(each).length;
    return !isFull;
  });
}
