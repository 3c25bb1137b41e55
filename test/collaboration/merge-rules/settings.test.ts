import { beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { makeMember } from '../../support/people.ts';
import type { TestOrganization, TestSpace, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { set } from './rules-client.ts';

let organization: TestOrganization;
let space: TestSpace;
let member: TestUser;

beforeAll(async () => {
  organization = await platform().makeOrganization();
  space = await platform().makeSpace({ organization });
  member = await makeMember(organization, 'review');
});

const getRules = (...rules: object[]) => ({ type: 'rules', rules });
const read = async (path: string, token = organization.token) =>
  (await json<{ mergeRules: unknown }>(path, { token })).mergeRules;

const bad: [string, () => unknown, string, string][] = [
  ['an unknown kind', () => ({ type: 'some' }), 'body.mergeRules.type', ''],
  ['an unknown rule', () => getRules({ rule: 'require_luck' }), 'body.mergeRules.rules.0.rule', ''],
  [
    'a review by agents',
    () => getRules({ rule: 'require_agent_review' }),
    'body.mergeRules.rules.0.rule',
    'not supported',
  ],
  [
    'a stranger',
    () => getRules({ rule: 'allow_bypass', users: [member.user, 'usr_nobody'] }),
    'body.mergeRules.rules.0.users.1',
    'must be a member',
  ],
  ['nobody', () => getRules({ rule: 'require_specific_reviewers', users: [] }), 'body.mergeRules.rules.0.users', ''],
  [
    'an expression with a call',
    () => getRules({ rule: 'require_author_to_merge' }, { rule: 'custom', expression: 'space.delete()' }),
    'body.mergeRules.rules.1.expression',
    'expression',
  ],
  [
    'an expression with an unknown name',
    () => getRules({ rule: 'custom', expression: 'env == 1' }),
    'body.mergeRules.rules.0.expression',
    'expression',
  ],
  [
    'a duplicate rule',
    () => getRules({ rule: 'require_author_to_merge' }, { rule: 'require_author_to_merge' }),
    'body.mergeRules.rules.1',
    'must not repeat',
  ],
  [
    'more than 20 rules',
    () => getRules(...Array.from({ length: 21 }, (_, index) => ({ rule: 'custom', expression: `${index}` }))),
    'body.mergeRules.rules',
    '',
  ],
  [
    'more than 8 KiB',
    () =>
      getRules(
        ...Array.from({ length: 9 }, (_, index) => ({
          rule: 'custom',
          expression: `"${'x'.repeat(1000)}" == ${index}`,
        })),
      ),
    'body.mergeRules.rules',
    '8192',
  ],
];

describe.each([
  ['space', () => `/v1/spaces/${space.id}`],
  ['organization', () => `/v1/orgs/${organization.id}`],
] as const)('of the %s', (_what, path) => {
  test.each(bad)('%s is rejected with its path, and nothing is written', async (_name, rules, place, words) => {
    const before = await read(path());

    const { status, body } = await set(path(), organization.token, rules());

    expect(status).toBe(400);
    expect(body.error.issues).toEqual([{ path: place, message: expect.stringContaining(words) }]);
    expect(await read(path())).toEqual(before);
  });

  test('only admins can set them, and reads return them', async () => {
    const rules = getRules(
      { rule: 'require_specific_reviewers', users: [member.user] },
      { rule: 'custom', expression: 'space.title != ""', message: 'A title, please' },
      { rule: 'custom', expression: 'changeRequest.number > 0' },
    );

    expect((await set(path(), member.token, rules)).status).toBe(403);
    const response = await set(path(), organization.token, rules);
    expect(response).toMatchObject({ status: 200, body: { mergeRules: rules } });
    expect(await read(path(), member.token)).toEqual(rules);
    expect(await set(path(), organization.token, { type: 'none' })).toMatchObject({
      body: { mergeRules: { type: 'none' } },
    });
    expect((await set(path(), organization.token, undefined)).body.mergeRules).toEqual({ type: 'none' });
  });
});

test('an organization has no rules by default and cannot inherit rules; a space inherits by default', async () => {
  const fresh = await platform().makeOrganization();
  const { id } = await platform().makeSpace({ organization: fresh });

  expect(await read(`/v1/orgs/${fresh.id}`, fresh.token)).toEqual({ type: 'none' });
  expect(await read(`/v1/spaces/${id}`, fresh.token)).toEqual({ type: 'inherit' });
  expect((await set(`/v1/orgs/${fresh.id}`, fresh.token, { type: 'inherit' })).status).toBe(400);
});

test('a duplicate copies the rules of its source; a transferred space inherits those of its new organization', async () => {
  const { id, token } = await platform().makeSpace({ organization });
  const rules = getRules({ rule: 'require_author_to_merge' });
  await set(`/v1/spaces/${id}`, token, rules);
  const copy = await json<{ id: string; mergeRules: unknown }>(`/v1/spaces/${id}/duplicate`, { token, method: 'POST' });
  const { id: other } = await json<{ id: string }>('/v1/orgs', { token, body: { title: 'Another' } });

  expect(copy.mergeRules).toEqual(rules);
  const moved = await json<{ mergeRules: unknown }>(`/v1/spaces/${id}/transfer`, {
    token,
    body: { organization: other },
  });
  expect(moved.mergeRules).toEqual({ type: 'inherit' });
});

test('other updates leave them unchanged', async () => {
  const { id, token } = await platform().makeSpace({ organization });
  const rules = getRules({ rule: 'require_author_to_merge' });
  await set(`/v1/spaces/${id}`, token, rules);

  const response = await platform().request(`/v1/spaces/${id}`, { token, method: 'PATCH', body: { title: 'Other' } });

  expect(await response.json()).toMatchObject({ title: 'Other', mergeRules: rules });
});
