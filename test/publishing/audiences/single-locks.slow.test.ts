import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ShareLinkId } from '@octavo/schema';
import { beforeAll, expect, test } from 'vitest';
import { json, makeChangeRequest, makePage } from '../../support/content.ts';
import { query, writeDatabase } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { getStatus, readStatus, resolve } from '../resolution/site-world.ts';
import type { OpenSite } from './open-site.ts';
import { createVisitorToken, openSite } from './open-site.ts';

/**
 * Visitor access is usually protected by two checks. Each test bypasses one of them, with a forged token or a state
 * that no operation creates, and tests the other.
 */

const getSpace = ({ ids }: OpenSite) => `/v1/spaces/${ids.spaceId}`;
const getPublishedPath = (site: OpenSite) => `${site.path}/published`;
const write = (statement: string, ...values: (string | number)[]) => writeDatabase(platform(), statement, ...values);
/** Returns the status of reading the site and its space with a token. */
const readStatuses = (site: OpenSite, token: string) =>
  Promise.all([getPublishedPath(site), getSpace(site)].map((at) => readStatus(at, token)));

let shared: OpenSite;
let beside: OpenSite;
let foreign: OpenSite;
beforeAll(async () => {
  shared = await openSite('share-link');
  beside = await openSite('share-link', shared.organization);
  foreign = await openSite('public');
});

test('a token is invalid as soon as its site is unpublished, even if the stamp is unchanged', async () => {
  const site = await openSite('public');
  expect(await readStatuses(site, site.token)).toEqual([200, 200]);
  await write('UPDATE sites SET published = 0 WHERE id = ?', site.site);

  expect(await readStatuses(site, site.token)).toEqual([404, 404]);
});

test('a token with the share link of another site gives no access', async () => {
  const shareLink = beside.shareLink?.id as ShareLinkId;

  expect(await readStatuses(shared, createVisitorToken(shared, { shareLink }))).toEqual([404, 404]);
  expect(await readStatuses(shared, shared.token)).toEqual([200, 200]);
});

test("a token that names an organization other than the site's gives no access", async () => {
  const more = { organization: foreign.organization.id } as object;
  const token = createVisitorToken(shared, { shareLink: shared.shareLink?.id as ShareLinkId, ...more });
  const signed = getToken({ ...getPayload(token), org: foreign.organization.id });

  expect(await readStatuses(shared, signed)).toEqual([404, 404]);
  expect(
    await readStatus(getPublishedPath(shared).replace(shared.organization.id, foreign.organization.id), signed),
  ).toBe(404);
});

test('a site returns 404 under another organization', async () => {
  const readRevisionStatus = getPublishedPath(shared).replace(shared.organization.id, foreign.organization.id);

  expect(await readStatus(readRevisionStatus, shared.token)).toBe(404);
});

test('a key gives access only to the site of its link, while the site uses share links', async () => {
  const site = await openSite('share-link', shared.organization);
  const { token } = await platform().makeUser();
  const readWithShareKey = (of: OpenSite) =>
    readStatus(`${getPublishedPath(of)}?shareKey=${site.shareLink?.key}`, token);
  expect([await readWithShareKey(site), await readWithShareKey(shared)]).toEqual([200, 404]);
  await json(site.path, { token: site.organization.token, method: 'PATCH', body: { visibility: 'visitor-auth' } });

  expect(await readWithShareKey(site)).toBe(404);
});

test("a key is valid only as the first segment after the site's URL", async () => {
  const { base, shareLink: { key } = { key: '' } } = shared;

  for (const wrong of [`${base}/${'x'.repeat(22)}/${key}`, `${base}/start/${key}`, `${base}/x/${key}/start`])
    expect([wrong, await getStatus(wrong)]).toEqual([wrong, 404]);
});

test('visitors cannot read a space in the trash or resolve its URLs', async () => {
  const site = await openSite('public');
  const other = await platform().makeSpace({ organization: site.organization, title: 'Other' });
  const { token } = site.organization;
  await json(`${site.path}/site-spaces`, { token, body: { spaceId: other.id } });
  await write('UPDATE spaces SET deleted_at = 1 WHERE id = ?', site.ids.spaceId ?? '');

  expect(await readStatus(getSpace(site), site.token)).toBe(404);
  expect(await resolve(`${site.base}/guide`)).toMatchObject({ space: other.id });
  expect(await resolve(site.base)).toMatchObject({ space: other.id });
});

test('a site does not show a space of another organization', async () => {
  const site = await openSite('public');
  await write('UPDATE site_spaces SET space = ? WHERE site = ?', foreign.ids.spaceId ?? '', site.site);

  expect(await readStatus(getSpace(foreign), site.token)).toBe(404);
  expect(await readStatus(`${getSpace(foreign)}/content`, site.token)).toBe(404);
});

test('visitors can read revisions that were live within the last hour, but none of a change request', async () => {
  const site = await openSite('public');
  const space = { id: site.ids.spaceId ?? '', token: site.organization.token };
  const readHead = async (at: string) => (await json<{ id: string }>(`${getSpace(site)}${at}`, space)).id;
  const [first, changeRequest] = [await readHead('/content'), await makeChangeRequest(space)];
  await json(`${getSpace(site)}/change-requests/${changeRequest.id}/content`, {
    ...{
      token: space.token,
      body: { changes: [{ operation: 'insert_page', title: 'Draft', document: { markdown: '' } }] },
    },
  });
  await makePage(space, 'Next');
  const draft = await readHead(`/change-requests/${changeRequest.id}/content`);
  const at = (revision: string) => readStatus(`${getSpace(site)}/revisions/${revision}`, site.token);

  expect([await at(first), await at(draft)]).toEqual([200, 404]);
  await write('UPDATE revisions SET created_at = created_at - 3601000 WHERE branch = ?', site.ids.spaceId ?? '');
  expect([await at(first), await at(await readHead('/content'))]).toEqual([404, 200]);
});

type Payload = Record<string, unknown>;
const getPayload = (token: string): Payload =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

/** Signs a payload as a visitor token, or with the key of another purpose. */
function getToken(payload: Payload, purpose = 'tokens of visitors'): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const text = [{ alg: 'HS256', typ: 'JWT' }, payload].map(encode).join('.');
  const secret = readFileSync(path.join(platform().dataDir, 'secret'), 'utf8').trim();
  const key = createHmac('sha256', secret).update(`octavo\n${purpose}`).digest();
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}

test.each(['iss', 'aud', 'exp'])('validates the claims of a token: %s', async (claim) => {
  const payload = getPayload(foreign.token);
  const wrong = { ...payload, [claim]: claim === 'exp' ? Math.floor(Date.now() / 1000) - 60 : 'another' };

  expect(await readStatus(getSpace(foreign), getToken(payload))).toBe(200);
  expect(await readStatus(getSpace(foreign), getToken(wrong))).toBe(401);
});

test.each(['iss', 'aud', 'exp'])('validates the claims of a preview token: %s', async (claim) => {
  const site = await openSite('visitor-auth');
  const now = Math.floor(Date.now() / 1000);
  const said = {
    org: site.organization.id,
    site: site.site,
    user: site.organization.user,
    iss: 'octavo',
    aud: 'octavo:preview',
  };
  const createPreviewToken = (more: Payload) => getToken({ ...said, exp: now + 3600, ...more }, 'previews of sites');
  const readVisitStatus = (text: string) => getStatus(`${site.base}/start?jwt_token=${text}`);

  expect(await readVisitStatus(createPreviewToken({}))).toBe(200);
  expect(await readVisitStatus(createPreviewToken({ [claim]: claim === 'exp' ? now - 60 : 'another' }))).toBe(404);
  expect(await readVisitStatus(createPreviewToken({ site: foreign.site }))).toBe(404);
  expect(query('SELECT id FROM sites WHERE id = ?', site.site)).toHaveLength(1);
});
