import { beforeAll, expect, test } from 'vitest';
import { json } from '../support/content.ts';
import type { TestOrganization } from '../support/platform.ts';
import { platform } from '../support/platform.ts';
import { partsOneAndTwo, Walk } from './walk.ts';
import { walkCollaboration } from './walk-collaboration.ts';
import { walkCollections } from './walk-collections.ts';
import { walkContent } from './walk-content.ts';
import { walkOrganization } from './walk-organization.ts';

let organization: TestOrganization;
/** Another organization of the same admin. */
let other: string;
let walk: Walk;

beforeAll(async () => {
  organization = await platform().makeOrganization();
  const { token } = organization;
  other = (await json<{ id: string }>('/v1/orgs', { token, body: { title: 'Another' } })).id;
  walk = new Walk(token);
});

test('an admin runs an organization by what the specification says', () => walkOrganization(walk, organization));
test('a writer writes, reads and moves content by what it says', () => walkContent(walk, organization, other));
test('collections hold content by what it says', () => walkCollections(walk, organization, other));
test('a team proposes, discusses and merges by what it says', () => walkCollaboration(walk, organization));

test('the walk has called each operation of parts 1 and 2, and no other', () => {
  expect(partsOneAndTwo).toHaveLength(94);
  expect([...new Set(walk.called)].sort()).toEqual(partsOneAndTwo.map(({ id }) => id).sort());
});
