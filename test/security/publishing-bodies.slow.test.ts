import { request } from 'node:http';
import { publishing } from '@octavo/schema';
import { beforeAll, expect, test } from 'vitest';
import type { OpenSite } from '../publishing/audiences/open-site.ts';
import { openSite } from '../publishing/audiences/open-site.ts';
import { json } from '../support/content.ts';
import { query } from '../support/database.ts';
import { getAddress, operations } from '../support/endpoints.ts';
import { platform } from '../support/platform.ts';
import { wrongBodies } from './wrong-bodies.ts';

const mebibyte = 1024 * 1024;
const elsewhere = { kind: 'external', url: 'https://a.test/' };
const jsonSchema = { type: 'object', properties: { beta: { type: 'boolean' } }, additionalProperties: false };
const position = { position: {} };

/** A valid body for each operation, by id. */
const bodies: Record<string, (ids: Record<string, string>) => object> = {
  createSite: () => ({ title: 'Sent' }),
  updateSiteById: () => ({ title: 'Sent' }),
  addSpaceToSite: ({ otherSpace }) => ({ spaceId: otherSpace }),
  updateSiteSpaceById: () => ({ path: 'sent' }),
  moveSiteSpace: () => position,
  addSectionToSite: ({ otherSpace }) => ({ spaceId: otherSpace, title: 'Sent' }),
  updateSiteSectionById: () => ({ title: 'Sent' }),
  moveSiteSection: () => position,
  addSectionGroupToSite: () => ({ title: 'Sent' }),
  updateSiteSectionGroupById: () => ({ title: 'Sent' }),
  addSectionToGroup: ({ siteSectionId }) => ({ sectionId: siteSectionId }),
  moveSiteSectionGroup: () => position,
  addExternalLinkToSite: () => ({ title: 'Sent', url: 'https://a.test/' }),
  updateSiteExternalLinkById: () => ({ title: 'Sent' }),
  sortSiteStructure: ({ siteSectionId }) => ({ item: { type: 'site-section', id: siteSectionId }, ...position }),
  createSiteShareLink: () => ({ name: 'Sent' }),
  updateSiteShareLinkById: () => ({ name: 'Sent' }),
  createSiteRedirect: () => ({ source: '/sent', destination: elsewhere }),
  updateSiteRedirectById: () => ({ draft: true }),
  bulkUpsertSiteRedirects: () => ({ redirects: [{ source: '/sent', destination: elsewhere }] }),
  updateSiteCustomizationById: () => ({ title: 'Sent' }),
  overrideSiteSpaceCustomizationById: () => ({ title: 'Sent' }),
  updateSiteAdaptiveSchema: () => ({ jsonSchema }),
  updateSitePublishingAuthById: () => ({ fallbackURL: 'https://a.test/' }),
  searchSiteContent: () => ({ query: 'sent', mode: 'all' }),
  suggestSiteContent: () => ({ query: 'sent', scope: { mode: 'all' } }),
  resolvePublishedContentByUrl: () => ({ url: 'https://a.test/' }),
  createOpenAPISpec: () => ({ slug: 'sent', source: { text: '{}' } }),
  createOrUpdateOpenAPISpecBySlug: () => ({ source: { text: '{}' } }),
  updateOpenAPISpecBySlug: () => ({ visibility: 'public' }),
};

const taking = operations.filter(({ id, endpoint }) => endpoint.body !== undefined && id in publishing);

let site: OpenSite;
let ids: Record<string, string>;
beforeAll(async () => {
  site = await openSite('public');
  const { organization, path } = site;
  const { token } = organization;
  const make = async (at: string, body: object) => (await json<{ id: string }>(`${path}${at}`, { token, body })).id;
  const [space, otherSpace] = [
    await platform().makeSpace({ organization }),
    await platform().makeSpace({ organization }),
  ];
  ids = {
    ...{ ...site.ids, otherSpace: otherSpace.id },
    siteSectionId: await make('/sections', { spaceId: space.id, title: 'Section' }),
    siteSectionGroupId: await make('/section-groups', { title: 'Group' }),
    siteExternalLinkId: await make('/external-links', { title: 'Link', url: 'https://a.test/' }),
    shareLinkId: await make('/share-links', { name: 'Key' }),
    siteRedirectId: await make('/redirects', { source: '/a', destination: elsewhere }),
  };
});

/** Returns the stored publishing data of the organization and the number of its events. */
const readState = () => [
  query('SELECT * FROM sites WHERE organization = ?', site.organization.id),
  query('SELECT id, slug, source, visibility FROM openapi_specs WHERE organization = ?', site.organization.id),
  query('SELECT COUNT(*) FROM outbox WHERE organization = ?', site.organization.id),
  ...['spaces', 'sections', 'section_groups', 'external_links', 'share_links', 'redirects', 'customizations'].map(
    (part) => query(`SELECT * FROM site_${part} WHERE site = ?`, site.site),
  ),
  query('SELECT * FROM site_adaptive_schemas WHERE site = ?', site.site),
];

test('this file contains a body for every publishing operation that accepts one', () => {
  expect(Object.keys(bodies).sort()).toEqual(taking.map(({ id }) => id).sort());
});

/** The kinds of invalid bodies that the security checklist requires. */
const named = ['no Content-Type', 'text/plain', 'a duplicate key', '__proto__', 'a BOM', 'a lone surrogate'];
const wrong = [...named, 'arrays 100,000 deep', 'objects 100,000 deep'];
test.each(taking)('$id rejects invalid bodies and writes nothing', async ({ id, endpoint }) => {
  const limit = endpoint.maxBodyBytes ?? mebibyte;
  const createBody = (more: string) => `${JSON.stringify(bodies[id]?.(ids)).slice(0, -1)}${more}}`;
  const before = readState();
  for (const name of wrong) {
    const sent = wrongBodies[name]?.({ body: createBody, limit });
    if (sent === undefined) throw new Error(`There is no body with ${name}.`);
    const status = sent.body.length > limit ? 413 : sent.status;
    const options = { token: site.organization.token, method: endpoint.method, body: sent.body };
    const headers = sent.headers ?? {};
    const response = await platform().request(getAddress(endpoint, ids), { ...options, headers });

    expect([name, response.status]).toEqual([name, status]);
    expect(await response.json()).toMatchObject({ error: { code: status, message: expect.any(String) } });
  }
  expect(readState()).toEqual(before);
});

test('rejects an oversized body before it is completely sent, and writes nothing', async () => {
  const before = readState();
  const refused = taking.map(async ({ id, endpoint }) => {
    const length = (endpoint.maxBodyBytes ?? mebibyte) + 1;
    return [id, await requestWithLength(getAddress(endpoint, ids), endpoint.method, length)];
  });

  expect(await Promise.all(refused)).toEqual(taking.map(({ id }) => [id, 413]));
  expect(readState()).toEqual(before);
});

/** Sends the start of a body with this Content-Length. Returns the status, which must be sent before the body ends. */
async function requestWithLength(path: string, method: string, length: number): Promise<number | undefined> {
  const authorization = `Bearer ${site.organization.token}`;
  const headers = { authorization, 'content-type': 'application/json', 'content-length': length };
  const sent = request(new URL(path, platform().url), { method, headers });
  try {
    return await new Promise<number | undefined>((resolve, reject) => {
      sent.on('response', ({ statusCode }) => resolve(statusCode)).on('error', reject);
      sent.write('{');
    });
  } finally {
    sent.destroy();
  }
}

test.each(taking)('$id accepts its valid body', async ({ id, endpoint }) => {
  const openedSite = await openSite('public', site.organization);
  const options = { token: site.organization.token, method: endpoint.method, body: bodies[id]?.(ids) };
  const own = { ...ids, specSlug: openedSite.ids.specSlug ?? '' };
  const { status } = await platform().request(getAddress(endpoint, own), options);

  expect([id, status]).toEqual([id, id === 'resolvePublishedContentByUrl' ? 404 : endpoint.success]);
});
