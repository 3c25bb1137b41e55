import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { callOperator, PlatformError } from '@octavo/platform';
import { type DevFile, isAccepted, readDevFile, writeDevFile } from './dev-file.ts';
import { root } from './settings.ts';

const EMAIL = 'dev@octavo.local';
const ORGANIZATION_TITLE = 'Octavo';
const SPACE_TITLE = 'Octavo documentation';
const SITE_TITLE = 'Octavo';

interface TitledObject {
  id: string;
  title: string;
}

interface Api {
  url: string;
  token: string;
}

async function call<Answer>({ url, token }: Api, method: string, route: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${url}/v1${route}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok)
    throw new PlatformError(`Seeding stopped: ${method} /v1${route} returned ${response.status} ${text}`);
  return JSON.parse(text) as Answer;
}

async function issueToken(dataDir: string): Promise<string> {
  const { token } = await callOperator(dataDir, '/token', { email: EMAIL, displayName: 'Developer' });
  return token;
}

async function findOrganization(api: Api): Promise<string> {
  const { items } = await call<{ items: TitledObject[] }>(api, 'GET', '/orgs');
  const existing = items.find(({ title }) => title === ORGANIZATION_TITLE) ?? items[0];
  return (existing ?? (await call<TitledObject>(api, 'POST', '/orgs', { title: ORGANIZATION_TITLE }))).id;
}

async function findSpace(api: Api, organization: string): Promise<{ id: string; isFilled: boolean } | undefined> {
  const { items } = await call<{ items: TitledObject[] }>(api, 'GET', `/orgs/${organization}/spaces?limit=1000`);
  const space = items.find(({ title }) => title === SPACE_TITLE);
  if (!space) return undefined;
  const { pages } = await call<{ pages: unknown[] }>(api, 'GET', `/spaces/${space.id}/content/pages`);
  return { id: space.id, isFilled: pages.length > 0 };
}

async function importDocs(api: Api, organization: string, onProgress: Progress): Promise<string | null> {
  const folder = path.join(root, 'docs');
  const names = await readdir(folder).catch(() => []);
  if (!names.some((name) => name.endsWith('.md'))) return null;
  const space = await findSpace(api, organization);
  if (space?.isFilled) return space.id;
  const { importFolder } = await import('@octavo/cli');
  const { report } = await importFolder({
    api,
    folder,
    space: space?.id ?? 'new',
    organization,
    title: SPACE_TITLE,
    onProgress,
  });
  return report.space;
}

interface Published {
  id: string;
  title: string;
  urls: { published?: string };
}

/**
 * Returns the URL of the site that shows the space. On the first start it creates and publishes the site. Later starts
 * do not publish it, so that a site that a user has unpublished stays unpublished.
 */
async function publishDocs(api: Api, organization: string, space: string | null): Promise<string | null> {
  if (space === null) return null;
  const sites = `/orgs/${organization}/sites`;
  const { items } = await call<{ items: Published[] }>(api, 'GET', `${sites}?limit=1000`);
  const existing = items.find(({ title }) => title === SITE_TITLE);
  const { id } = existing ?? (await call<Published>(api, 'POST', sites, { title: SITE_TITLE, spaces: [space] }));
  if (existing?.urls.published === undefined) await call(api, 'POST', `${sites}/${id}/publish`);
  return (await call<Published>(api, 'GET', `${sites}/${id}`)).urls.published ?? null;
}

/** Returns the URL of the site that an earlier start created. The port is replaced, because it can have changed. */
const replaceOrigin = (url: string, { site, url: formerUrl }: DevFile): string | null =>
  site?.startsWith(`${formerUrl}/`) ? `${url}${site.slice(formerUrl.length)}` : site;

type Progress = (doneCount: number, total: number) => void;

interface SeedOptions {
  dataDir: string;
  url: string;
  isEmpty: boolean;
  onProgress: Progress;
}

/**
 * Creates the developer's token, organization and space if they are missing. Each step finds the results of earlier
 * starts.
 */
export async function seed({ dataDir, url, isEmpty, onProgress }: SeedOptions): Promise<void> {
  const last = await readDevFile(dataDir);
  const isTokenValid = last !== undefined && (await isAccepted(url, last.token));
  const token = isTokenValid ? last.token : await issueToken(dataDir);
  const api = { url, token };
  const organization = last?.organization ?? (await findOrganization(api));
  const space = last?.space ?? (isEmpty ? null : await importDocs(api, organization, onProgress));
  const site = last === undefined ? await publishDocs(api, organization, space) : replaceOrigin(url, last);
  await writeDevFile(dataDir, { url, token, organization, space, site });
}
