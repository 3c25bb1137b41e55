import type { Database, InstallationRecord, RecordOf, VisibleIntegrationRecord } from '@octavo/db';
import {
  installationRow,
  installations,
  integrations,
  joinIntegration,
  runBatch,
  selection,
  siteInstallations,
  spaceInstallations,
  visibleIntegrationRow,
} from '@octavo/db';
import type { ScriptEvent, SiteId, SpaceId, UserId } from '@octavo/schema';
import type { ScriptLimits } from '@octavo/script-isolate';
import { aliasedTable, sql } from 'drizzle-orm';

/** The integration whose script is called, with the installation, space or site that the call is about. */
interface ScriptContent {
  /** The name of the integration. Optional if there is an installation. */
  integration?: string | undefined;
  installation?: string | undefined;
  space?: SpaceId | undefined;
  site?: SiteId | undefined;
  /**
   * For an event from the past: the account that the integration had at that time, because its name may belong to
   * another integration now. The installation may be deleted, and the space may be in the trash.
   */
  recipient?: UserId | null | undefined;
}

const [i, x] = [aliasedTable(integrations, 'i'), aliasedTable(installations, 'i')];
const [p, q] = [aliasedTable(spaceInstallations, 'p'), aliasedTable(siteInstallations, 'q')];

/** Fields of an integration that are never shown. */
const hiddenRow = selection({
  secrets: i.secrets,
  signingSecret: i.signingSecret,
  script: i.script,
  devUrl: i.devUrl,
  devUntil: i.devUntil,
});
const installedRow = selection({ installation: installationRow.fields, signingSecret: x.signingSecret });
const place = {
  status: p.status,
  configuration: p.configuration,
  externalIds: p.externalIds,
  createdAt: p.createdAt,
  updatedAt: p.updatedAt,
};
const spaceRow = selection({ ...place, space: p.space });
const siteRow = selection({
  ...{ status: q.status, configuration: q.configuration, externalIds: q.externalIds },
  ...{ createdAt: q.createdAt, updatedAt: q.updatedAt, site: q.site },
});

export type ScriptContentRecord = Pick<typeof spaceInstallations.$inferSelect, keyof typeof place>;

/** The records of a script call's integration, installation, space and site. */
export interface ScriptTarget {
  visibleIntegration: VisibleIntegrationRecord;
  hidden: RecordOf<typeof hiddenRow>;
  installed: { installation: InstallationRecord; signingSecret: string } | undefined;
  onSpace: (ScriptContentRecord & { space: SpaceId }) | undefined;
  onSite: (ScriptContentRecord & { site: SiteId }) | undefined;
}

const notInTrash = sql`CROSS JOIN spaces s ON s.id = p.space AND s.deleted_at IS NULL AND s.purging_at IS NULL`;

/**
 * Reads the target of a script call, in one round trip. Undefined if the integration is not published or not installed.
 */
export async function readTarget(
  db: Database,
  { integration, installation, space, site, recipient }: ScriptContent,
): Promise<ScriptTarget | undefined> {
  const name =
    integration === undefined
      ? sql`(SELECT integration FROM installations WHERE id = ${installation})`
      : sql`${integration}`;
  const isAllowed = recipient === undefined ? sql`1` : sql`i.account IS ${recipient}`;
  const published = sql`i.name = ${name} AND i.unpublished_at IS NULL AND ${isAllowed}`;
  const rows = await runBatch(db, {
    shown: visibleIntegrationRow.query(sql`
      SELECT ${visibleIntegrationRow.with({ membership: { active: sql`0` }, installs: sql`0` })} FROM integrations i
      CROSS JOIN organizations o ON o.id = i.organization
      LEFT JOIN members m ON m.organization = o.id AND m.user = '' WHERE ${published}`),
    hidden: hiddenRow.query(sql`SELECT ${hiddenRow} FROM integrations i WHERE ${published}`),
    installed: installedRow.query(sql`SELECT ${installedRow} FROM installations i ${joinIntegration}
      WHERE i.id = ${installation ?? ''} AND i.integration = ${name}`),
    spaces: spaceRow.query(sql`SELECT ${spaceRow} FROM space_installations p
      ${recipient === undefined ? notInTrash : sql``}
      WHERE p.installation = ${installation ?? ''} AND p.space = ${space ?? ''} AND p.integration = ${name}`),
    sites: siteRow.query(sql`SELECT ${siteRow} FROM site_installations q
      WHERE q.installation = ${installation ?? ''} AND q.site = ${site ?? ''} AND q.integration = ${name}`),
  });
  const [[visibleIntegration], [hidden], [installed], [onSpace], [onSite]] = [
    rows.shown,
    rows.hidden,
    rows.installed,
    rows.spaces,
    rows.sites,
  ];
  if (visibleIntegration === undefined || hidden === undefined) return undefined;
  if (installation !== undefined && installed === undefined && recipient === undefined) return undefined;
  return { visibleIntegration, hidden, installed, onSpace, onSite };
}

/**
 * Whether the event concerns the publisher itself, not the installation of another organization, which may be deleted.
 */
export const isOfOwner = (
  { visibleIntegration: { integration }, installed }: ScriptTarget,
  event: ScriptEvent,
): boolean => event.installationId === undefined || installed?.installation.organization === integration.organization;

/** The input of a script call. */
export interface ScriptCall {
  event: ScriptEvent;
  /** The body of the request that the event describes. */
  fetchBody?: Uint8Array<ArrayBuffer> | null | undefined;
  limits?: Partial<ScriptLimits> | undefined;
  /** Depth of the run's tokens: the number of script runs that led to this run, including this run. */
  depth?: number | undefined;
  /** Logs failures only, for frequent calls. */
  isFrequent?: boolean | undefined;
}
