import type { Check, Database, Statement } from '@octavo/db';
import { integrations, lostRace, readRow, selection, upsertIntegration } from '@octavo/db';
import { seal } from '@octavo/runtime';
import type { OrganizationId, PublishIntegration, UserId } from '@octavo/schema';
import { conflict, forbidden, newId, randomString } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { blockDomainsOf } from './block-domains.ts';
import { dropObjectsOf, keepObjects } from './objects.ts';

const maxIntegrations = 200;
/** Characters of a secret that an integration signs by: 256 bits. */
const signingSecretLength = 43;

const nameRow = selection({ name: aliasedTable(integrations, 'i').name });

/** A name as it is written where it is published already, in whichever case it was given here. */
export async function nameAsStored(db: Database, name: string): Promise<string> {
  const found = await readRow(db, nameRow.query(sql`SELECT ${nameRow} FROM integrations i WHERE i.name = ${name}`));
  return found?.name ?? name;
}

interface Named {
  name: string;
  owner: OrganizationId;
}

/** What publishing a name asks for. */
export function checksOf({ name, owner }: Named): Check[] {
  const published = sql`SELECT 1 FROM integrations i WHERE i.name = ${name}`;
  return [
    {
      holds: sql`NOT EXISTS (${published} AND i.organization <> ${owner})`,
      otherwise: () => forbidden(`The name ${name} is that of another organization's integration.`),
    },
    {
      holds: sql`NOT EXISTS (${published} AND i.unpublished_at IS NOT NULL)`,
      otherwise: () => conflict(`${name} is being uninstalled wherever it was: try again in a minute.`),
    },
    {
      holds: sql`EXISTS (${published})
        OR (SELECT COUNT(*) FROM integrations i WHERE i.organization = ${owner}) < ${maxIntegrations}`,
      otherwise: () => conflict(`An organization has at most ${maxIntegrations} integrations.`),
    },
    {
      holds: sql`NOT EXISTS (${published} AND i.name <> ${name} COLLATE BINARY)`,
      otherwise: () => lostRace('The name was published in another spelling.'),
    },
  ];
}

interface Publishing extends Named {
  actor: UserId;
  /** Keys: of the script, of the icon where there is one, and of the preview images. */
  objects: string[];
  body: PublishIntegration;
}

/** What publishing writes. What is sealed is sealed for the name as it is written: another spelling of it lost a race. */
export async function writeIntegration(
  { db, env }: { db: Database; env: IntegrationsEnvironment },
  { name, owner, actor, objects, body }: Publishing,
): Promise<Statement[]> {
  const now = Date.now();
  const described = { ...describedBy(body, objects), ...(await secretsOf(env, name, body)), updatedAt: now };
  const made = {
    ...{ name, organization: owner, account: newId('account') as string, createdBy: actor, createdAt: now },
    signingSecret: await seal(env, name, randomString(signingSecretLength)),
  };
  return [dropObjectsOf(db, name), ...upsertIntegration(db, made, described), keepObjects(db, objects)];
}

function describedBy(body: PublishIntegration, [script = '', ...images]: string[]) {
  const { icon, blocks, contentSources, configurations, contentSecurityPolicy, events, webhook } = body;
  const { title, description, summary, target, visibility, runtime, scopes, categories, externalLinks } = body;
  return {
    ...{ title, description, target, visibility, runtime, scopes, categories, externalLinks },
    ...{ summary: summary ?? null, blocks: blocks ?? null, contentSources: contentSources ?? null },
    ...{ configurations: configurations ?? null, contentSecurityPolicy: contentSecurityPolicy ?? null },
    ...{ events: events ?? null, webhook: webhook ?? null, blockDomains: blockDomainsOf(blocks) },
    ...{ script, icon: icon === undefined ? null : (images[0] ?? null) },
    previewImages: icon === undefined ? images : images.slice(1),
  };
}

/** Left out, they stay as they are. */
async function secretsOf(env: IntegrationsEnvironment, name: string, { secrets }: PublishIntegration) {
  if (secrets === undefined) return {};
  return { secrets: Object.keys(secrets).length === 0 ? null : await seal(env, name, secrets) };
}
