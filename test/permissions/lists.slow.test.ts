import { beforeAll, describe, expect, test } from 'vitest';
import { makeDisabledWebhook } from '../integrations/webhooks/webhook-client.ts';
import { json, makeChangeRequest } from '../support/content.ts';
import { getAddress } from '../support/endpoints.ts';
import { walkItems } from '../support/paging.ts';
import type { TestOrganization, TestUser } from '../support/platform.ts';
import { platform } from '../support/platform.ts';
import { seed } from '../support/random.ts';
import { drawListWorld } from './draw-list-world.ts';
import { isListed, lists, removeSignatures } from './listed.ts';
import { makeListedSite } from './listed-site.ts';
import type { Ids, Item, Single } from './single-reads.ts';
import {
  createNestedRead,
  createPath,
  getId,
  getOrganizationPath,
  ofComments,
  ofContent,
  ofInstallations,
  ofOrganization,
  ofPermissions,
  ofSites,
  ofWebhooks,
} from './single-reads.ts';

type Kind = 'spaces' | 'collections' | 'members' | 'teams' | 'links';
const idsByKind: Record<Kind, string[]> = { spaces: [], collections: [], members: [], teams: [], links: [] };
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
/** Requests that read the items of each list individually, by operation. */
const singles: Record<string, Single> = {
  listOrganizationsForAuthenticatedUser: {
    path: createPath('/v1/orgs'),
    listKnownPaths: (ids) => [getOrganizationPath(ids)],
  },
  listSpacesInOrganizationById: {
    path: createPath('/v1/spaces'),
    listKnownPaths: () => idsByKind.spaces.map((id) => `/v1/spaces/${id}`),
  },
  listCollectionsInOrganizationById: {
    path: createPath('/v1/collections'),
    listKnownPaths: () => idsByKind.collections.map((id) => `/v1/collections/${id}`),
  },
  listSpacesInCollectionById: {
    path: createPath('/v1/spaces'),
    listKnownPaths: ({ collectionId }) => spacePaths.filter((path) => parentOfSpace.get(path) === collectionId),
  },
  listSpacesForOrganizationMember: {
    path: (item) => `/v1/spaces/${getId(item.space)}`,
    selectPart: (item) => item.space,
    listKnownPaths: ({ userId }) => spacePaths.filter((path) => reachedBy.get(userId ?? '')?.has(path)),
  },
  listMembersInOrganizationById: {
    ...createNestedRead('members'),
    listKnownPaths: (ids) => idsByKind.members.map((id) => `${getOrganizationPath(ids)}/members/${id}`),
  },
  listTeamsInOrganizationById: {
    ...createNestedRead('teams'),
    listKnownPaths: (ids) => idsByKind.teams.map((id) => `${getOrganizationPath(ids)}/teams/${id}`),
  },
  listTeamsForOrganizationMember: {
    path: (item, ids) => `${getOrganizationPath(ids)}/teams/${getId(item.team)}`,
    selectPart: (item) => item.team,
  },
  listTeamMembersInOrganizationById: {
    notForGuests: true,
    path: (item, ids) => `${getOrganizationPath(ids)}/members/${getId(item.organization)}`,
    selectPart: (item) => item.organization,
  },
  listChangeRequestsForSpace: {
    path: (item, { spaceId }) => createPath(`/v1/spaces/${spaceId}/change-requests`)(item),
    query: '?status=open',
  },
  ...ofComments,
  listChangeRequestsForOrganization: {
    path: (item) => createPath(`/v1/spaces/${String(item.space)}/change-requests`)(item),
    listKnownPaths: () =>
      changeRequests.map((id, index) => `/v1/spaces/${idsByKind.spaces[index]}/change-requests/${id}`),
    query: '?status=draft&status=open',
  },
  ...ofContent,
  listOrganizationInviteLinks: {
    ...createNestedRead('link-invites'),
    listKnownPaths: (ids) => idsByKind.links.map((id) => `${getOrganizationPath(ids)}/link-invites/${id}`),
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
const listReaders = () =>
  [
    { token: organization.token, role: 'admin' },
    ...readers.map(({ token }, index) => ({ token, role: world.members[index] })),
  ].filter((_, index) => index % 5 === 0);

beforeAll(async () => {
  const { makeOrganization, makeUser } = platform();
  organization = await makeOrganization();
  const { id, token } = organization;
  const send = <Body>(path: string, body: object, method = 'POST') => json<Body>(path, { token, method, body });
  const sendExpectingSuccess = async (path: string, body: object, method = 'POST') => {
    const response = await platform().request(path, { token, method, body });
    if (!response.ok) throw new Error(`${path} answered ${response.status} ${await response.text()}`);
  };
  for (const each of world.members) readers.push(await makeUser({ organization: id, role: each as string }));
  idsByKind.members.push(organization.user, ...readers.map(({ user }) => user));
  for (const [index, members] of world.teams.entries()) {
    const users = [...new Set(members)].map((member) => readers[member]?.user);
    idsByKind.teams.push(getId(await send(`/v1/orgs/${id}/teams`, { title: `Team ${index}`, members: users }, 'PUT')));
  }
  const getParent = (parent: number) => {
    const choice = idsByKind.collections[parent % (idsByKind.collections.length + 1)];
    return choice === undefined ? {} : { parent: choice };
  };
  for (const { parent, level: defaultLevel } of world.collections) {
    const collection = getId(await send(`/v1/orgs/${id}/collections`, { title: 'A collection', ...getParent(parent) }));
    await send(`/v1/collections/${collection}`, { defaultLevel }, 'PATCH');
    idsByKind.collections.push(collection);
  }
  for (const { parent, level: defaultLevel } of world.spaces) {
    const space = getId(await send(`/v1/orgs/${id}/spaces`, { title: 'A space', ...getParent(parent) }));
    await send(`/v1/spaces/${space}`, { defaultLevel }, 'PATCH');
    idsByKind.spaces.push(space);
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
    ...idsByKind.spaces.map((each) => `spaces/${each}`),
    ...idsByKind.collections.map((each) => `collections/${each}`),
  ];
  const subjects = [
    ...readers.map(({ user }) => ({ users: [user] })),
    ...idsByKind.teams.map((team) => ({ teams: [team] })),
  ];
  const first = { object: objects.indexOf(`collections/${idsByKind.collections[0]}`), role: 'edit' as const };
  const certain = subjects.map((_, subject) => ({ ...first, subject }));
  const onSpace = subjects.map((_, subject) => ({ object: 0, role: 'read' as const, subject }));
  for (const grant of [...certain, ...onSpace.slice(5), ...world.grants]) {
    const object = objects[grant.object % objects.length];
    await sendExpectingSuccess(`/v1/${object}/permissions`, {
      ...subjects[grant.subject % subjects.length],
      role: grant.role,
    });
  }
  const links = [
    ...['read', null].map((each) => ({ role: each })),
    ...idsByKind.spaces.map((space) => ({ level: 'edit', space })),
    ...idsByKind.collections.map((collection) => ({ level: 'admin', collection })),
  ];
  for (const body of links) idsByKind.links.push(getId(await send(`/v1/orgs/${id}/link-invites`, body)));
  await send(`/v1/orgs/${id}/saml`, { label: 'A provider' });
  await send(`/v1/orgs/${id}/service-accounts`, { displayName: 'CI', role: 'read' });
  const translationSettingsId = getId(await send(`/v1/orgs/${id}/translations`, { title: 'Settings' }));
  const instructions = { instructions: { markdown: 'Be brief.' } };
  await send(`/v1/orgs/${id}/translations/${translationSettingsId}/languages/fr`, instructions, 'PUT');
  const ofSite = await makeListedSite(organization, idsByKind.spaces);
  const webhookId = await makeDisabledWebhook(organization);
  const gone = idsByKind.collections[5] ?? '';
  await platform().request(`/v1/collections/${gone}`, { token, method: 'DELETE' });
  paths = Array.from({ length: 12 }, (_, index) => ({
    organizationId: id,
    translationSettingsId,
    ...ofSite,
    webhookId,
    spaceId: idsByKind.spaces[index] ?? '',
    revisionId: revisions[index] ?? '',
    changeRequestId: changeRequests[index] ?? '',
    commentId: comments[index] ?? '',
    requestCommentId: requestComments[index] ?? '',
    collectionId: idsByKind.collections[index % idsByKind.collections.length] ?? '',
    teamId: idsByKind.teams[index % idsByKind.teams.length] ?? '',
    userId: idsByKind.members[index % idsByKind.members.length] ?? '',
  }));
  spacePaths = idsByKind.spaces.map((space) => `/v1/spaces/${space}`);
  for (const path of spacePaths) parentOfSpace.set(path, (await json<{ parent?: string }>(path, { token })).parent);
  for (const reader of [organization, ...readers]) {
    const reached = new Set<string>();
    for (const path of spacePaths) if (await isListed(path, reader.token)) reached.add(path);
    reachedBy.set(reader.user, reached);
  }
}, 180_000);

test('this file compares each list of the API with single reads, or lists it as an exception', () => {
  expect(lists.map(([id]) => id).filter((id) => singles[id] === undefined)).toEqual([]);
});

describe.each(lists)('%s', (id, endpoint) => {
  test(`contains exactly what its reader can read, each item as a single read returns it (seed ${seed})`, async () => {
    const { request } = platform();
    const {
      path,
      selectPart = (item: Item) => item,
      listKnownPaths,
      notForGuests,
      tellsMore,
      query = '',
    } = singles[id] ?? {
      path: () => '',
    };
    let compared = 0;
    for (const { token, role } of listReaders()) {
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
          const listed = removeSignatures(selectPart(item));
          const read = removeSignatures(await single.json());
          expect(read).toEqual(tellsMore ? expect.objectContaining(listed) : listed);
          compared += 1;
        }
        const listed = items.map((item) => path(item, ids)).sort();
        const readable: string[] = [];
        for (const single of listKnownPaths?.(ids) ?? []) if (await isListed(single, token)) readable.push(single);
        if (listKnownPaths !== undefined)
          expect(listed.filter((each) => listKnownPaths(ids).includes(each))).toEqual(readable.sort());
        if (!/:(?:spaceId|collectionId|teamId|userId)/.test(endpoint.path)) break;
      }
    }
    expect(compared).toBeGreaterThan(0);
  }, 120_000);
});
