import { beforeAll, describe, expect, test } from 'vitest';
import { makeSettledWebhook } from '../integrations/webhooks/webhook-client.ts';
import { json, makeChangeRequest } from '../support/content.ts';
import { getAddress } from '../support/endpoints.ts';
import { walkItems } from '../support/paging.ts';
import type { TestOrganization, TestUser } from '../support/platform.ts';
import { platform } from '../support/platform.ts';
import { seed } from '../support/random.ts';
import { drawListWorld } from './draw-list-world.ts';
import { isThere, lists, unsigned } from './listed.ts';
import { getMakeSite } from './listed-site.ts';
import type { Ids, Item, Single } from './single-reads.ts';
import {
  at,
  getId,
  nested,
  ofComments,
  ofContent,
  ofInstallations,
  ofOrganization,
  ofPermissions,
  ofSites,
  ofWebhooks,
  organizationPath,
} from './single-reads.ts';

type Kind = 'spaces' | 'collections' | 'members' | 'teams' | 'links';
const made: Record<Kind, string[]> = { spaces: [], collections: [], members: [], teams: [], links: [] };
/**
 * Paths of all spaces. `parentOfSpace` contains their collections, and `reachedBy` the spaces that each member can read
 * individually.
 */
let spacePaths: string[] = [];
/**
 * Each space has a file, a revision that contains it, and a change request with an edit, a review and a review request.
 */
const revisions: string[] = [];
const changeRequests: string[] = [];
/** Each space has a comment with a reply on the live content and on the change request. */
const comments: string[] = [];
const requestComments: string[] = [];
const parentOfSpace = new Map<string, string | undefined>();
const reachedBy = new Map<string, Set<string>>();
/** How to read the items of each list individually, by operation. */
const singles: Record<string, Single> = {
  listOrganizationsForAuthenticatedUser: { path: at('/v1/orgs'), known: (ids) => [organizationPath(ids)] },
  listSpacesInOrganizationById: { path: at('/v1/spaces'), known: () => made.spaces.map((id) => `/v1/spaces/${id}`) },
  listCollectionsInOrganizationById: {
    path: at('/v1/collections'),
    known: () => made.collections.map((id) => `/v1/collections/${id}`),
  },
  listSpacesInCollectionById: {
    path: at('/v1/spaces'),
    known: ({ collectionId }) => spacePaths.filter((path) => parentOfSpace.get(path) === collectionId),
  },
  listSpacesForOrganizationMember: {
    path: (item) => `/v1/spaces/${getId(item.space)}`,
    part: (item) => item.space,
    known: ({ userId }) => spacePaths.filter((path) => reachedBy.get(userId ?? '')?.has(path)),
  },
  listMembersInOrganizationById: {
    ...nested('members'),
    known: (ids) => made.members.map((id) => `${organizationPath(ids)}/members/${id}`),
  },
  listTeamsInOrganizationById: {
    ...nested('teams'),
    known: (ids) => made.teams.map((id) => `${organizationPath(ids)}/teams/${id}`),
  },
  listTeamsForOrganizationMember: {
    path: (item, ids) => `${organizationPath(ids)}/teams/${getId(item.team)}`,
    part: (item) => item.team,
  },
  listTeamMembersInOrganizationById: {
    notForGuests: true,
    path: (item, ids) => `${organizationPath(ids)}/members/${getId(item.organization)}`,
    part: (item) => item.organization,
  },
  listChangeRequestsForSpace: {
    path: (item, { spaceId }) => at(`/v1/spaces/${spaceId}/change-requests`)(item),
    query: '?status=open',
  },
  ...ofComments,
  listChangeRequestsForOrganization: {
    path: (item) => at(`/v1/spaces/${String(item.space)}/change-requests`)(item),
    known: () => changeRequests.map((id, index) => `/v1/spaces/${made.spaces[index]}/change-requests/${id}`),
    query: '?status=draft&status=open',
  },
  ...ofContent,
  listOrganizationInviteLinks: {
    ...nested('link-invites'),
    known: (ids) => made.links.map((id) => `${organizationPath(ids)}/link-invites/${id}`),
  },
  ...ofOrganization,
  ...ofInstallations,
  ...ofWebhooks,
  ...ofSites,
  ...ofPermissions,
};

const world = drawListWorld(seed);

let organization: TestOrganization;
const readers: TestUser[] = [];
let paths: Ids[] = [];

/**
 * The callers with their organization roles (null for a guest): every fifth reader.
 */
const asked = () =>
  [
    { token: organization.token, role: 'admin' },
    ...readers.map(({ token }, index) => ({ token, role: world.members[index] })),
  ].filter((_, index) => index % 5 === 0);

beforeAll(async () => {
  const { makeOrganization, makeUser } = platform();
  organization = await makeOrganization();
  const { id, token } = organization;
  const send = <Body>(path: string, body: object, method = 'POST') => json<Body>(path, { token, method, body });
  const sendQuietly = async (path: string, body: object, method = 'POST') => {
    const answer = await platform().request(path, { token, method, body });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status} ${await answer.text()}`);
  };
  for (const each of world.members) readers.push(await makeUser({ organization: id, role: each as string }));
  made.members.push(organization.user, ...readers.map(({ user }) => user));
  for (const [index, members] of world.teams.entries()) {
    const users = [...new Set(members)].map((member) => readers[member]?.user);
    made.teams.push(getId(await send(`/v1/orgs/${id}/teams`, { title: `Team ${index}`, members: users }, 'PUT')));
  }
  const getParent = (parent: number) => {
    const choice = made.collections[parent % (made.collections.length + 1)];
    return choice === undefined ? {} : { parent: choice };
  };
  for (const { parent, level: defaultLevel } of world.collections) {
    const collection = getId(await send(`/v1/orgs/${id}/collections`, { title: 'A collection', ...getParent(parent) }));
    await send(`/v1/collections/${collection}`, { defaultLevel }, 'PATCH');
    made.collections.push(collection);
  }
  for (const { parent, level: defaultLevel } of world.spaces) {
    const space = getId(await send(`/v1/orgs/${id}/spaces`, { title: 'A space', ...getParent(parent) }));
    await send(`/v1/spaces/${space}`, { defaultLevel }, 'PATCH');
    made.spaces.push(space);
    const changes = [{ operation: 'insert_files', files: [{ name: 'a', base64: 'QQ==', contentType: 'text/plain' }] }];
    revisions.push((await send<{ revision: string }>(`/v1/spaces/${space}/content`, { changes })).revision);
    const proposed = await makeChangeRequest({ id: space, token });
    const changeRequest = `/v1/spaces/${space}/change-requests/${proposed.id}`;
    await send(`${changeRequest}/content`, { changes });
    await send(`${changeRequest}/reviews`, { status: 'approved' });
    await send(`${changeRequest}/requested-reviewers`, { users: [organization.user] });
    changeRequests.push(proposed.id);
    const body = { body: { markdown: 'Hello' } };
    for (const [branch, posted] of [
      [`/v1/spaces/${space}`, comments],
      [changeRequest, requestComments],
    ] as const) {
      const comment = getId(await send(`${branch}/comments`, body));
      await send(`${branch}/comments/${comment}/replies`, body);
      posted.push(comment);
    }
  }
  const objects = [
    ...made.spaces.map((each) => `spaces/${each}`),
    ...made.collections.map((each) => `collections/${each}`),
  ];
  const subjects = [
    ...readers.map(({ user }) => ({ users: [user] })),
    ...made.teams.map((team) => ({ teams: [team] })),
  ];
  const first = { object: objects.indexOf(`collections/${made.collections[0]}`), role: 'edit' as const };
  const certain = subjects.map((_, subject) => ({ ...first, subject }));
  const onSpace = subjects.map((_, subject) => ({ object: 0, role: 'read' as const, subject }));
  for (const grant of [...certain, ...onSpace.slice(5), ...world.grants]) {
    const object = objects[grant.object % objects.length];
    await sendQuietly(`/v1/${object}/permissions`, { ...subjects[grant.subject % subjects.length], role: grant.role });
  }
  const links = [
    ...['read', null].map((each) => ({ role: each })),
    ...made.spaces.map((space) => ({ level: 'edit', space })),
    ...made.collections.map((collection) => ({ level: 'admin', collection })),
  ];
  for (const body of links) made.links.push(getId(await send(`/v1/orgs/${id}/link-invites`, body)));
  await send(`/v1/orgs/${id}/saml`, { label: 'A provider' });
  await send(`/v1/orgs/${id}/service-accounts`, { displayName: 'CI', role: 'read' });
  const translationSettingsId = getId(await send(`/v1/orgs/${id}/translations`, { title: 'Settings' }));
  const instructions = { instructions: { markdown: 'Be brief.' } };
  await send(`/v1/orgs/${id}/translations/${translationSettingsId}/languages/fr`, instructions, 'PUT');
  const ofSite = await getMakeSite(organization, made.spaces);
  const webhookId = await makeSettledWebhook(organization);
  const gone = made.collections[5] ?? '';
  await platform().request(`/v1/collections/${gone}`, { token, method: 'DELETE' });
  paths = Array.from({ length: 12 }, (_, index) => ({
    organizationId: id,
    translationSettingsId,
    ...ofSite,
    webhookId,
    spaceId: made.spaces[index] ?? '',
    revisionId: revisions[index] ?? '',
    changeRequestId: changeRequests[index] ?? '',
    commentId: comments[index] ?? '',
    requestCommentId: requestComments[index] ?? '',
    collectionId: made.collections[index % made.collections.length] ?? '',
    teamId: made.teams[index % made.teams.length] ?? '',
    userId: made.members[index % made.members.length] ?? '',
  }));
  spacePaths = made.spaces.map((space) => `/v1/spaces/${space}`);
  for (const path of spacePaths) parentOfSpace.set(path, (await json<{ parent?: string }>(path, { token })).parent);
  for (const reader of [organization, ...readers]) {
    const reached = new Set<string>();
    for (const path of spacePaths) if (await isThere(path, reader.token)) reached.add(path);
    reachedBy.set(reader.user, reached);
  }
}, 180_000);

test('this file compares each list of the API with single reads, or names it as an exception', () => {
  expect(lists.map(([id]) => id).filter((id) => singles[id] === undefined)).toEqual([]);
});

describe.each(lists)('%s', (id, endpoint) => {
  test(`contains what its reader can read, each as a single read returns it (seed ${seed})`, async () => {
    const { request } = platform();
    const {
      path,
      part = (item: Item) => item,
      known,
      notForGuests,
      tellsMore,
      query = '',
    } = singles[id] ?? {
      path: () => '',
    };
    let compared = 0;
    for (const { token, role } of asked()) {
      if (notForGuests && role === null) continue;
      for (const each of endpoint.path.includes(':') ? paths : paths.slice(0, 1)) {
        const onRequest = endpoint.path.includes(':changeRequestId/comments');
        const ids: Ids = { ...each, commentId: (onRequest ? each.requestCommentId : each.commentId) ?? '' };
        const address = `${getAddress(endpoint, ids)}${query}`;
        if (!(await request(address, { token })).ok) continue;
        const items = (await walkItems(address, token)) as Item[];
        for (const item of items) {
          const single = await request(path(item, ids), { token });
          expect([path(item, ids), single.status]).toEqual([path(item, ids), 200]);
          const listed = unsigned(part(item));
          const read = unsigned(await single.json());
          expect(read).toEqual(tellsMore ? expect.objectContaining(listed) : listed);
          compared += 1;
        }
        const listed = items.map((item) => path(item, ids)).sort();
        const readable: string[] = [];
        for (const single of known?.(ids) ?? []) if (await isThere(single, token)) readable.push(single);
        if (known !== undefined) expect(listed.filter((each) => known(ids).includes(each))).toEqual(readable.sort());
        if (!/:(?:spaceId|collectionId|teamId|userId)/.test(endpoint.path)) break;
      }
    }
    expect(compared).toBeGreaterThan(0);
  }, 120_000);
});
