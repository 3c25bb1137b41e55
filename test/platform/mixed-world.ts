import { expect } from 'vitest';
import { getClient, insertPage, writePage } from '../content/space-client.ts';
import { getWebhooks } from '../integrations/webhooks/webhook-client.ts';
import { waitForPdf } from '../publishing/pdf/pdf-client.ts';
import { json } from '../support/content.ts';
import { queryDatabase } from '../support/database.ts';
import { waitForMail } from '../support/mail.ts';
import { until } from '../support/own-platform.ts';
import { makeMember } from '../support/people.ts';
import type { Server, TestOrganization, TestSpace } from '../support/platform.ts';

/** An organization with content that was written by one combination of workers. */
export interface MixedWorld {
  organization: TestOrganization;
  space: TestSpace;
  page: string;
  changeRequest: string;
  webhook: string;
  /** The URL of the published site. */
  site: string;
}

interface Listed {
  count: number;
  items: { id: string; title: string; status: string }[];
}

/**
 * Writes to all workers: content, change requests, comments, sites, webhooks and jobs. Uses only operations that the
 * previous release has.
 */
export async function createMixedWorld(server: Server): Promise<MixedWorld> {
  const organization = await server.makeOrganization();
  const { id, token } = organization;
  const reviewer = await makeMember(organization, 'review', server);
  await json(`/v1/orgs/${id}/invites`, { token, body: { emails: [`${id}@example.test`], role: 'read' } }, server);
  const hooks = getWebhooks(organization, server);
  const { id: webhook } = await hooks.create(`${server.url}/nothing`, { events: ['change_request.merged'] });
  const space = await server.makeSpace({ organization });
  const client = getClient(server, space);
  const [page = ''] = await client.change([insertPage('Walrus'), insertPage('Badger')]);
  const changeRequest = await mergeReviewedChange(server, space, { page, reviewer: reviewer.token });
  const site = await publishSite(server, organization, space);
  const world = { organization, space, page, changeRequest, webhook, site };
  await waitForJobs(server, world);
  await readMixedWorld(server, world);
  return world;
}

/** Merges a change request after a comment, a review, and an update from live content. */
async function mergeReviewedChange(
  server: Server,
  space: TestSpace,
  { page, reviewer }: { page: string; reviewer: string },
): Promise<string> {
  const client = getClient(server, space);
  const changeRequest = await client.open();
  const base = `/v1/spaces/${space.id}/change-requests/${changeRequest}`;
  await client.change([writePage(page, 'The walrus rests.\n')], changeRequest);
  await client.change([insertPage('Later')]);
  expect((await client.update(changeRequest)).body.result).toBe('update');
  const remark = { page, body: { markdown: 'Where does it rest?' } };
  const comment = await json<{ id: string }>(`${base}/comments`, { token: reviewer, body: remark }, server);
  const reply = { body: { markdown: 'On ice.' } };
  await json(`${base}/comments/${comment.id}/replies`, { token: space.token, body: reply }, server);
  await client.change([writePage(page, 'The walrus rests on ice.\n')], changeRequest);
  await json(`${base}/reviews`, { token: reviewer, body: { status: 'approved' } }, server);
  expect((await client.merge(changeRequest)).body.result).toBe('merge');
  return changeRequest;
}

async function publishSite(server: Server, { id, token }: TestOrganization, space: TestSpace): Promise<string> {
  const body = { title: 'Docs', spaces: [space.id] };
  const sites = `/v1/orgs/${id}/sites`;
  const site = await json<{ id: string }>(sites, { token, body }, server);
  const { urls } = await json<{ urls: { published: string } }>(
    `${sites}/${site.id}/publish`,
    { token, method: 'POST' },
    server,
  );
  await json(sites, { token, body: { title: 'Sample', spaces: 'sample' } }, server);
  return urls.published.replace(/\/$/, '');
}

/** Waits until the writes are indexed, delivered and mailed, and a PDF of the space is rendered. */
async function waitForJobs(server: Server, { organization, space, webhook }: MixedWorld): Promise<void> {
  const { url } = await json<{ url: string }>(`/v1/spaces/${space.id}/pdf`, { token: space.token }, server);
  expect((await waitForPdf(url)).headers.get('content-type')).toBe('application/pdf');
  const hooks = getWebhooks(organization, server);
  await until(async () => ((await hooks.deliveries(webhook)).items[0]?.status === 'dead' ? true : undefined));
  await waitForMail(`${organization.id}@example.test`, { server });
  const countUnsettled = () =>
    queryDatabase(server.dataDir, 'SELECT id FROM outbox WHERE done_at IS NULL AND organization = ?', organization.id)
      .length;
  await until(() => countUnsettled() === 0 || undefined);
}

/** Reads an organization through all workers. */
export async function readMixedWorld(server: Server, world: MixedWorld): Promise<void> {
  const { organization, space, page, changeRequest, webhook } = world;
  const { token } = organization;
  const read = <Body>(path: string) => json<Body>(path, { token }, server);
  const client = getClient(server, space);
  expect(await client.page(page)).toMatchObject({ title: 'Walrus', markdown: 'The walrus rests on ice.\n' });
  expect((await client.pages()).map(({ title }) => title)).toEqual(['Walrus', 'Badger', 'Later']);
  const path = `/v1/spaces/${space.id}/change-requests/${changeRequest}`;
  expect(await read(path)).toMatchObject({ status: 'merged', comments: 1 });
  expect((await read<Listed>(`${path}/comments`)).items).toMatchObject([
    { target: { page: { id: page } }, replies: 1 },
  ]);
  expect((await read<Listed>(`${path}/reviews`)).items).toMatchObject([{ status: 'approved' }]);
  const organizationPath = `/v1/orgs/${organization.id}`;
  for (const search of [`/v1/spaces/${space.id}/search`, `${organizationPath}/search`])
    expect([search, JSON.stringify(await read(`${search}?query=walrus`))]).toEqual([
      search,
      expect.stringContaining(page),
    ]);
  expect(JSON.stringify(await read(`${organizationPath}/search/suggestions?query=walr`))).toContain('Walrus');
  expect((await read<Listed>(`${organizationPath}/members`)).count).toBe(3);
  expect((await getWebhooks(organization, server).deliveries(webhook)).items).toHaveLength(1);
  await readMixedSite(world);
}

/** The routes of a site, with a text in each response. */
const siteRoutes = {
  '/walrus': 'rests on ice',
  '/walrus.md': 'rests on ice',
  '/llms-full.txt': 'rests on ice',
  '/sitemap.xml': '<loc>',
  '/~/search?q=walrus': 'rests on',
  '/~/search.json?q=walr': 'Walrus',
  '/missing': 'Page not found',
};

async function readMixedSite({ site }: MixedWorld): Promise<void> {
  const read = async (path: string): Promise<string> => (await fetch(`${site}${path}`)).text();
  for (const [path, text] of Object.entries(siteRoutes))
    expect([path, await read(path)]).toEqual([path, expect.stringContaining(text)]);
  const [, asset = ''] = /href="([^"]*site\.[^"]*\.css)"/.exec(await read('/walrus')) ?? [];
  expect((await fetch(new URL(asset, `${site}/`))).status).toBe(200);
}
