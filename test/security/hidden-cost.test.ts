import { beforeAll, describe, expect, test } from 'vitest';
import { getCollections } from '../content/collections/collection-client.ts';
import { makeSite } from '../publishing/sites/site-client.ts';
import { getAddress, operations } from '../support/endpoints.ts';
import type { TestOrganization } from '../support/platform.ts';
import { platform } from '../support/platform.ts';

// The number of rows read would reveal that these lists omit rows.

const leavingOut = [
  'getSiteStructure',
  'listChangeRequestsForOrganization',
  'listCollectionsInOrganizationById',
  'listCommentsInOrganization',
  'listDeletedSpacesInOrganization',
  'listPermissionsAggregateInCollection',
  'listPermissionsAggregateInSpace',
  'listSiteSectionGroups',
  'listSiteSections',
  'listSiteSpaces',
  'listSites',
  'listSpacesForOrganizationMember',
  'listSpacesInCollectionById',
  'listSpacesInOrganizationById',
];
const roundTripsOnly = /^d1-trips;desc="\d+", d1-sequential-trips;desc="\d+"$/;
const marked = operations.filter(({ endpoint }) => endpoint.hidesCost === 'from-members');

let organization: TestOrganization;
let ids: Record<string, string>;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  const { makeOrganization, makeUser, request } = platform();
  organization = await makeOrganization();
  const { id: organizationId, token } = organization;
  const { make, makeSpace } = getCollections(organization);
  const collection = await make();
  const space = await makeSpace({ parent: collection.id });
  const site = await makeSite(organization, { spaces: [space.id] });
  const creator = await makeUser({ organization: organizationId, role: 'create' });
  const granted = await makeUser({ organization: organizationId, role: 'read' });
  for (const path of [`collections/${collection.id}`, `spaces/${space.id}`]) {
    const body = { users: [granted.user], role: 'admin' };
    expect((await request(`/v1/${path}/permissions`, { token, body })).status).toBe(204);
  }
  tokens.admin = token;
  tokens['member with the role create'] = creator.token;
  tokens['member who holds admin on the content alone'] = granted.token;
  ids = { organizationId, siteId: site.id, spaceId: space.id, collectionId: collection.id, userId: granted.user };
});

test('an endpoint has a hidden cost only if its list omits hidden content', () => {
  expect(marked.map(({ id }) => id).sort()).toEqual(leavingOut);
});

describe.each(marked)('$id', ({ endpoint }) => {
  const readServerTiming = async (name: string) => {
    const response = await platform().request(getAddress(endpoint, ids), { token: tokens[name] });
    expect(response.status).toBe(200);
    return response.headers.get('server-timing');
  };

  test('returns the number of rows read to an admin of the organization', async () => {
    expect(await readServerTiming('admin')).toMatch(
      /^d1-trips;desc="\d+", d1-sequential-trips;desc="\d+", d1-rows-read;desc="\d+", d1-rows-written;desc="0"$/,
    );
  });

  test.each(['member with the role create', 'member who holds admin on the content alone'])(
    'returns only the number of round trips to a %s',
    async (name) => {
      expect(await readServerTiming(name)).toMatch(roundTripsOnly);
    },
  );

  test('returns no number of rows with an error', async () => {
    const response = await platform().request(`${getAddress(endpoint, ids)}?limit=x&shareKey=${'x'.repeat(300)}`, {
      token: tokens['member with the role create'],
    });

    expect(response.status).toBe(400);
    expect(response.headers.get('server-timing')).toMatch(roundTripsOnly);
  });
});
