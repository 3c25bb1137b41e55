import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { makeMember } from '../../support/people.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const toGroups = (...groups: string[][]) => ({ groups: groups.map((synonyms) => ({ synonyms })) });

const getPath = ({ id }: { id: string }) => `/v1/orgs/${id}/search/synonyms`;
const put = (organization: TestOrganization, body: unknown, token = organization.token) =>
  platform().request(getPath(organization), { token, method: 'PUT', body });
const read = (organization: TestOrganization, token = organization.token) =>
  json<{ groups: object[] }>(getPath(organization), { token });

test('replaces and removes all synonyms, which members can read', async () => {
  const organization = await platform().makeOrganization();
  const member = await makeMember(organization, 'read');
  const first = toGroups(['k8s', 'kubernetes'], ['Login', 'sign in', 'log-in']);
  const second = toGroups(['2FA', 'two-factor authentication'], ['サインイン', 'ログイン']);

  for (const body of [first, second, toGroups()]) {
    const response = await put(organization, body);

    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject(body);
    expect(await read(organization)).toMatchObject(body);
    expect(await read(organization, member.token)).toMatchObject(body);
  }
});

test('only admins can change synonyms', async () => {
  const organization = await platform().makeOrganization();
  const member = await makeMember(organization, 'create');

  expect((await put(organization, toGroups(['one', 'two']), member.token)).status).toBe(403);
  expect(await read(organization)).toMatchObject({ groups: [] });
});

test('stores the longest list', async () => {
  const organization = await platform().makeOrganization();
  const create = (group: number, index: number) =>
    `${String(group).padStart(20, 'a')} ${String(index).padStart(19, 'b')} ${'c'.repeat(19)}`;
  const groups = Array.from({ length: 200 }, (_, group) =>
    Array.from({ length: 10 }, (_synonym, index) => create(group, index)),
  );

  expect((await put(organization, toGroups(...groups))).status).toBe(200);
  expect(await read(organization)).toMatchObject(toGroups(...groups));
});

const first = 'body.groups.0.synonyms';
const same = 'because case, accents, punctuation and word forms are ignored. Remove one of them';

test.each([
  [toGroups(['one']), first, 'must have at least 2 synonyms'],
  [toGroups(Array.from({ length: 11 }, (_, index) => `word${index}`)), first, 'must have at most 10 synonyms'],
  [
    toGroups(...Array.from({ length: 201 }, (_, index) => [`one${index}`, `two${index}`])),
    'body.groups',
    'must have at most 200 groups',
  ],
  [toGroups(['one', '']), `${first}.1`, 'must have at least 1 character'],
  [toGroups(['one', 'x'.repeat(61)]), `${first}.1`, 'must have at most 60 characters'],
  [toGroups(['one', 'a\nb']), `${first}.1`, 'must be a single line without control characters'],
  [toGroups(['one', '-?!']), `${first}.1`, 'must contain letters or digits'],
  [toGroups(['one', 'a word too many']), `${first}.1`, 'must have at most 3 words'],
  [
    toGroups(['one', '一二三四五六七八九十']),
    `${first}.1`,
    'must have at most 9 characters in scripts without spaces, such as Chinese',
  ],
  [toGroups(['Sign-in', 'login', 'sign IN']), `${first}.2`, `is the same as \`groups.0.synonyms.0\`, ${same}`],
  [
    toGroups(['café', 'bar'], ['install', 'set up'], ['cafe', 'installing']),
    'body.groups.2.synonyms.0',
    `is the same as \`groups.0.synonyms.0\`, ${same}`,
  ],
  [{}, 'body.groups', 'is required'],
  [{ groups: [['one', 'two']] }, 'body.groups.0', 'must be an object'],
  [{ groups: [], language: 'en' }, 'body.language', 'is not a known field'],
  [{ groups: [{ synonyms: ['one', 'two'], oneWay: true }] }, 'body.groups.0.oneWay', 'is not a known field'],
])('rejects %j', async (body, path, message) => {
  const organization = await platform().makeOrganization();
  await put(organization, toGroups(['before', 'earlier']));

  const response = await put(organization, body);
  const { error } = (await response.json()) as { error: { issues: { path: string; message: string }[] } };

  expect(response.status).toBe(400);
  expect(error.issues[0]).toEqual({ path, message });
  expect(await read(organization)).toMatchObject(toGroups(['before', 'earlier']));
});

test('returns at most 20 problems', async () => {
  const organization = await platform().makeOrganization();
  const groups = Array.from({ length: 200 }, () => ['same', '?']);

  const response = await put(organization, toGroups(...groups));

  expect(response.status).toBe(400);
  expect(((await response.json()) as { error: { issues: object[] } }).error.issues).toHaveLength(20);
});
