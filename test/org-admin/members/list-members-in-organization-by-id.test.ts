import { beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { atMost, expectPaging } from '../../support/paging.ts';
import { getMember, guest, makeMember, makeNamedMember } from '../../support/people.ts';
import type { TestOrganization, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

type Name = 'founder' | 'editor' | 'reader' | 'guest' | 'other';

let organization: TestOrganization;
const users = {} as Record<Name, TestUser>;

const ping = ({ token }: TestUser) => json(`/v1/orgs/${organization.id}/ping`, { token, method: 'POST' });

beforeAll(async () => {
  organization = await platform().makeOrganization();
  users.founder = organization;
  users.editor = await makeMember(organization, 'edit');
  users.reader = await makeMember(organization, 'read');
  users.guest = await makeMember(organization, guest);
  users.other = await makeMember(organization, 'edit');
  for (const name of ['guest', 'founder', 'editor'] as const) await ping(users[name]);
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
])('%s returns %j', async (more, wanted) => {
  expect(await list(more)).toEqual(wanted);
});

test.each(['sort=name', 'order=up', 'role=null', 'role=owner', 'sort=', `search=${'x'.repeat(257)}`])(
  'rejects %s',
  async (more) => {
    const answer = await platform().request(`/v1/orgs/${organization.id}/members?${more}`, organization);
    expect(answer.status).toBe(400);
  },
);

describe('search', () => {
  const names = ['Ada Lovelace', 'Émile Zola', 'Łukasz ŻÓŁTY', '100% _real_ \\ "x"', 'Grace Hopper'];
  let own: TestOrganization;
  let shown: Map<string, string>;
  beforeAll(async () => {
    own = await platform().makeOrganization();
    shown = new Map([[own.user, 'the admin']]);
    for (const [index, name] of names.entries()) shown.set(await makeNamedMember(own, name, `Number${index}`), name);
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
  ])('32: for %j finds %j', async (words, wanted) => {
    const path = `/v1/orgs/${own.id}/members?search=${encodeURIComponent(words)}`;
    const { items } = await json<{ items: { id: string }[] }>(path, own);

    expect(items.map(({ id }) => shown.get(id))).toEqual(wanted);
  });

  test('combines with the role filter and either order', async () => {
    const path = `/v1/orgs/${own.id}/members?search=number&role=read&order=asc&limit=2`;
    const { items } = await json<{ items: { id: string }[] }>(path, own);

    expect(items.map(({ id }) => shown.get(id))).toEqual(names.slice(0, 2));
  });
});

test('a guest cannot list members', async () => {
  const answer = await platform().request(`/v1/orgs/${organization.id}/members?search=tester`, users.guest);

  expect(answer.status).toBe(403);
});

test.each([
  '',
  'sort=joinedAt&order=asc',
  'role=comment',
  'role=guest&order=asc',
  'search=TESTER',
  'search=a&role=guest',
])('pages by cursor: %s', async (more) => {
  const own = await platform().makeOrganization();
  for (let count = 0; count < 4; count += 1) {
    await makeMember(own, guest);
    await makeMember(own, 'comment');
  }

  await expectPaging(
    `/v1/orgs/${own.id}/members?${more}`,
    own.token,
    atMost(6, () => makeMember(own, guest)),
  );
});

test.each(['sort=lastSeenAt', 'sort=lastSeenAt&order=asc', 'sort=lastSeenAt&role=edit'])(
  'pages by cursor: %s',
  async (more) => {
    const own = await platform().makeOrganization();
    const addSeen = async () => {
      const { token } = await makeMember(own, 'edit');
      await json(`/v1/orgs/${own.id}/ping`, { token, method: 'POST' });
    };
    for (let count = 0; count < 4; count += 1) await addSeen();

    await expectPaging(`/v1/orgs/${own.id}/members?${more}`, own.token, atMost(6, addSeen));
  },
);
