import { beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { expectPaging, limitCalls } from '../../support/paging.ts';
import { getMember, guest, makeMember, makeNamedMember } from '../../support/people.ts';
import type { TestOrganization, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

type Name = 'founder' | 'editor' | 'reader' | 'guest' | 'other';

let organization: TestOrganization;
const users = {} as Record<Name, TestUser>;

const recordVisit = ({ token }: TestUser) => json(`/v1/orgs/${organization.id}/ping`, { token, method: 'POST' });

beforeAll(async () => {
  organization = await platform().makeOrganization();
  users.founder = organization;
  users.editor = await makeMember(organization, 'edit');
  users.reader = await makeMember(organization, 'read');
  users.guest = await makeMember(organization, guest);
  users.other = await makeMember(organization, 'edit');
  for (const name of ['guest', 'founder', 'editor'] as const) await recordVisit(users[name]);
});

async function list(more: string): Promise<string[]> {
  const { items } = await json<{ items: { id: string }[] }>(
    `/v1/orgs/${organization.id}/members?${more}`,
    organization,
  );
  return items.map(({ id }) => Object.entries(users).find(([, { user }]) => user === id)?.[0] ?? id);
}

test('returns each member of the organization equal to their single read, newest first', async () => {
  await makeMember(await platform().makeOrganization());

  expect(await list('')).toEqual(['other', 'guest', 'reader', 'editor', 'founder']);
  const { items } = await json<{ items: { id: string }[] }>(`/v1/orgs/${organization.id}/members`, organization);
  for (const item of items) expect(item).toEqual(await getMember(organization, item.id));
});

test.each([
  ['sort=joinedAt&order=asc', ['founder', 'editor', 'reader', 'guest', 'other']],
  ['sort=joinedAt&order=desc', ['other', 'guest', 'reader', 'editor', 'founder']],
  ['order=asc&limit=2', ['founder', 'editor']],
  ['sort=lastSeenAt', ['editor', 'founder', 'guest']],
  ['sort=lastSeenAt&order=asc', ['guest', 'founder', 'editor']],
  ['role=edit', ['other', 'editor']],
  ['role=edit&order=asc', ['editor', 'other']],
  ['role=guest', ['guest']],
  ['role=guest&sort=lastSeenAt', ['guest']],
  ['role=edit&sort=lastSeenAt', ['editor']],
  ['role=admin', ['founder']],
  ['role=create', []],
])('the query %s returns %j', async (more, expected) => {
  expect(await list(more)).toEqual(expected);
});

test.each(['sort=name', 'order=up', 'role=null', 'role=owner', 'sort=', `search=${'x'.repeat(257)}`])(
  'rejects %s',
  async (more) => {
    const response = await platform().request(`/v1/orgs/${organization.id}/members?${more}`, organization);
    expect(response.status).toBe(400);
  },
);

describe('search', () => {
  const names = ['Ada Lovelace', 'Émile Zola', 'Łukasz ŻÓŁTY', '100% _real_ \\ "x"', 'Grace Hopper'];
  let own: TestOrganization;
  let namesById: Map<string, string>;
  beforeAll(async () => {
    own = await platform().makeOrganization();
    namesById = new Map([[own.user, 'the admin']]);
    for (const [index, name] of names.entries())
      namesById.set(await makeNamedMember(own, name, `Number${index}`), name);
  });

  test.each([
    ['LOVE', ['Ada Lovelace']],
    ['O', ['Grace Hopper', 'Émile Zola', 'Ada Lovelace']],
    ['a l', ['Ada Lovelace']],
    ['émile', ['Émile Zola']],
    ['ÉMILE ZOLA', ['Émile Zola']],
    ['łukasz', ['Łukasz ŻÓŁTY']],
    ['żółty', ['Łukasz ŻÓŁTY']],
    ['number3@', ['100% _real_ \\ "x"']],
    ['NUMBER', names.toReversed()],
    ['% _', ['100% _real_ \\ "x"']],
    ['\\ "', ['100% _real_ \\ "x"']],
    ["'", []],
    ['%', ['100% _real_ \\ "x"']],
    ['\u0000', []],
    ['nobody', []],
    ['', [...names.toReversed(), 'the admin']],
  ])('the search for %j finds %j', async (words, expected) => {
    const path = `/v1/orgs/${own.id}/members?search=${encodeURIComponent(words)}`;
    const { items } = await json<{ items: { id: string }[] }>(path, own);

    expect(items.map(({ id }) => namesById.get(id))).toEqual(expected);
  });

  test('combines with the role filter and either order', async () => {
    const path = `/v1/orgs/${own.id}/members?search=number&role=read&order=asc&limit=2`;
    const { items } = await json<{ items: { id: string }[] }>(path, own);

    expect(items.map(({ id }) => namesById.get(id))).toEqual(names.slice(0, 2));
  });
});

test('a guest cannot list members', async () => {
  const response = await platform().request(`/v1/orgs/${organization.id}/members?search=tester`, users.guest);

  expect(response.status).toBe(403);
});

test.each([
  '',
  'sort=joinedAt&order=asc',
  'role=comment',
  'role=guest&order=asc',
  'search=TESTER',
  'search=a&role=guest',
])('paginates by cursor: %s', async (more) => {
  const own = await platform().makeOrganization();
  for (let count = 0; count < 4; count += 1) {
    await makeMember(own, guest);
    await makeMember(own, 'comment');
  }

  await expectPaging(
    `/v1/orgs/${own.id}/members?${more}`,
    own.token,
    limitCalls(6, () => makeMember(own, guest)),
  );
});

test.each(['sort=lastSeenAt', 'sort=lastSeenAt&order=asc', 'sort=lastSeenAt&role=edit'])(
  'paginates by cursor: %s',
  async (more) => {
    const own = await platform().makeOrganization();
    const addSeenIds = async () => {
      const { token } = await makeMember(own, 'edit');
      await json(`/v1/orgs/${own.id}/ping`, { token, method: 'POST' });
    };
    for (let count = 0; count < 4; count += 1) await addSeenIds();

    await expectPaging(`/v1/orgs/${own.id}/members?${more}`, own.token, limitCalls(6, addSeenIds));
  },
);
