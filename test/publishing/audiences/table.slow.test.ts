import { beforeAll, describe, expect, test } from 'vitest';
import { getSample } from '../../support/random.ts';
import type { Audience, OpenSite } from './open-site.ts';
import { audiences, createVisitorToken, openSite } from './open-site.ts';
import { read, rows, summarizeResponse, visited } from './reads.ts';

const sites = new Map<Audience, OpenSite>();
let beside: OpenSite;
let foreign: OpenSite;
const getSite = (audience: Audience) => sites.get(audience) as OpenSite;

beforeAll(async () => {
  for (const audience of audiences) sites.set(audience, await openSite(audience));
  foreign = await openSite('public');
});

const getHourAgo = () => Math.floor(Date.now() / 1000) - 3600;
const getLink = ({ shareLink }: OpenSite) => (shareLink === undefined ? {} : { shareLink: shareLink.id });
const replacePart = (token: string, part: number) =>
  token
    .split('.')
    .map((text, index) => (index === part ? `${text.slice(0, -2)}${text.endsWith('AA') ? 'BB' : 'AA'}` : text))
    .join('.');

/** Invalid tokens, with the status that every read returns for them. */
const refused: Record<string, { status: number; token: (site: OpenSite) => string | undefined }> = {
  none: { status: 401, token: () => undefined },
  unknown: { status: 401, token: () => 'octavo_unknown' },
  'with another signature': { status: 401, token: ({ token }) => replacePart(token, 2) },
  'of another header': { status: 401, token: ({ token }) => replacePart(token, 0) },
  unsigned: { status: 401, token: ({ token }) => `${token.split('.').slice(0, 2).join('.')}.` },
  expired: { status: 401, token: (site) => createVisitorToken(site, { ...getLink(site), expires: getHourAgo() }) },
  'of a stamp that is no more': {
    status: 404,
    token: (site) => createVisitorToken(site, { ...getLink(site), stamp: 'old' }),
  },
  "another organization's": { status: 404, token: () => foreign.token },
  "another site's of the organization": { status: 404, token: () => beside.token },
};

test('the table contains each read that is open to visitors', () => {
  expect(Object.keys(rows).sort()).toEqual(visited.map(({ id }) => id).sort());
});

describe.each(audiences)('a site with the visibility %s', (audience) => {
  beforeAll(async () => {
    beside = await openSite('public', getSite(audience).organization);
  });

  test('can be read with the right credentials', async () => {
    const { ids, token } = getSite(audience);
    for (const operation of visited) {
      const response = await read(operation, ids, token);
      const status = rows[operation.id]?.isOfPreview ? 404 : 200;

      expect([operation.id, response.status, await response.text()]).toEqual([
        operation.id,
        status,
        expect.any(String),
      ]);
    }
  });

  const keys = Object.entries(refused).map(([name, key], index) => ({ name, ...key, index }));
  test.each(keys)('reveals nothing to visitors with credentials that are $name', async (key) => {
    const site = getSite(audience);
    const token = key.token(site);
    for (const operation of getSample(visited, 4, key.index)) {
      const [there, madeUp] = await Promise.all([
        read(operation, site.ids, token).then((response) => summarizeResponse(response, site.ids)),
        read(operation, {}, token).then((response) => summarizeResponse(response, {})),
      ]);

      expect([operation.id, there]).toEqual([operation.id, expect.objectContaining({ status: key.status })]);
      expect([operation.id, there]).toEqual([operation.id, madeUp]);
    }
  });
});
