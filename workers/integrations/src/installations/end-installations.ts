import type { Database, Parameter, RecordOf, Statement } from '@octavo/db';
import {
  abortUnless,
  commit,
  computed,
  hasQueries,
  installations,
  prepareQuery,
  readRows,
  removeInstallationAccounts,
  retryOnConflict,
  selection,
  siteInstallations,
  spaceInstallations,
} from '@octavo/db';
import type { Background } from '@octavo/runtime';
import { sendEvents } from '@octavo/runtime';
import type { InstallationStatus, NewEvent } from '@octavo/schema';
import { createId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, eq, sql } from 'drizzle-orm';
import { createInstallationEvent } from '../content-installations/presenter.ts';
import type { ContentKind } from '../content-installations/queries.ts';
import type { IntegrationsEnvironment } from '../environment.ts';

const perPart = 100;
/** A part ends when its installations have this many spaces and sites: each space and site causes an event. */
const placesPerPart = 200;
/** Maximum number of parts per run, and of queries per part. The next run continues. */
const maxParts = 20;
const maxQueriesPerPart = 20;

interface Context {
  db: Database;
  env: IntegrationsEnvironment;
  background: Background;
}

/** Ends the installations of an unpublished integration in bounded parts. */
export async function endInstallations(context: Context, integration: string): Promise<void> {
  for (let part = 0; part < maxParts && hasQueries(context.env, maxQueriesPerPart); part += 1) {
    const hasMore = await retryOnConflict(() => endPart(context, integration));
    if (!hasMore) return;
  }
}

const isUnpublished = (name: string): SQL =>
  sql`EXISTS (SELECT 1 FROM integrations n WHERE n.name = ${name} AND n.unpublished_at IS NOT NULL)`;

async function endPart({ db, env, background }: Context, integration: string): Promise<boolean> {
  const ending = await readRows(db, selectNextPart(integration));
  if (ending.length === 0) return false;
  const caller = { actor: 'system', requestId: createId('request') };
  // Another run may have removed the installations, and the name may now belong to another integration.
  const still = abortUnless(db, isUnpublished(integration));
  const write = [still, ...removeInstallations(db, ending)];
  const { messages } = await commit(db, caller, write, ending.flatMap(createEndEvents));
  sendEvents(env, background, messages);
  return true;
}

/**
 * Selects the spaces and sites of an installation as JSON, which is compared again when the installation is deleted.
 */
const selectContents = (installation: SQL): SQL => sql`(
  SELECT json_group_array(json_array(kind, place, status)) FROM (
    SELECT 'space' AS kind, space AS place, status FROM space_installations WHERE installation = ${installation}
    UNION ALL SELECT 'site', site, status FROM site_installations WHERE installation = ${installation} ORDER BY 1, 2))`;

const i = aliasedTable(installations, 'i');

/** An installation to be deleted. Selects from `installations i`. */
const endingRow = selection({
  ...{ id: i.id, integration: i.integration, organization: i.organization, account: i.account, status: i.status },
  places: computed(String, selectContents(sql`i.id`)),
});
type EndingRecord = RecordOf<typeof endingRow>;

/**
 * Selects the installations of the next part: the first ones, up to and including the installation with which the
 * maximum number of spaces and sites is reached. Their spaces and sites are read only for these installations.
 */
export const selectNextPart = (integration: string) =>
  endingRow.query(sql`
    SELECT ${endingRow} FROM (
      SELECT id, SUM(places) OVER (ORDER BY created_at, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS preceding
      FROM (SELECT id, created_at, on_spaces + on_sites AS places FROM installations INDEXED BY installations_of_integration
        WHERE integration = ${integration} AND ${isUnpublished(integration)}
        ORDER BY created_at, id LIMIT ${perPart})) part
    CROSS JOIN installations i ON i.id = part.id
    WHERE COALESCE(part.preceding, 0) < ${placesPerPart} ORDER BY i.created_at, i.id`);

export const selectEnding = prepareQuery(endingRow, (select, id: Parameter<string>) =>
  select.from(i).where(eq(i.id, id)),
);

type EndingContent = [kind: ContentKind, place: string, status: InstallationStatus];

const parseEndingContents = ({ places }: EndingRecord): EndingContent[] => JSON.parse(places) as EndingContent[];

/**
 * Deletes installations. Each has a limited number of spaces and sites (`maxPlaces`), so one batch suffices. Fails if
 * they have changed since they were read.
 */
export function removeInstallations(db: Database, ending: EndingRecord[]): Statement[] {
  const json = JSON.stringify(ending.map(({ id, places }) => ({ id, places })));
  const ids = sql`(SELECT value->>'id' FROM json_each(${json}))`;
  const unchanged = sql`SELECT COUNT(*) FROM json_each(${json}) e CROSS JOIN installations i ON i.id = e.value->>'id'
    WHERE ${selectContents(sql`i.id`)} = e.value->>'places'`;
  return [
    abortUnless(db, sql`(${unchanged}) = ${ending.length}`),
    ...removeInstallationAccounts(db, ending),
    db.delete(spaceInstallations).where(sql`${spaceInstallations.installation} IN ${ids}`),
    db.delete(siteInstallations).where(sql`${siteInstallations.installation} IN ${ids}`),
    db.delete(installations).where(sql`${installations.id} IN ${ids}`),
  ];
}

/** Returns the events of a deleted installation: for each space and site, then for the installation. */
export function createEndEvents(ending: EndingRecord): NewEvent[] {
  const { id: installation, integration, organization, status } = ending;
  const events = parseEndingContents(ending).map(([kind, targetId, status]) =>
    createInstallationEvent(kind, 'deleted', { installation, integration, organization, status, place: targetId }),
  );
  return [...events, { type: 'installation.deleted', organization, data: { installation, integration, status } }];
}
