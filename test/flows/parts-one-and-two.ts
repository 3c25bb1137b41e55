import { beforeAll, expect, test } from 'vitest';
import { json } from '../support/content.ts';
import type { TestOrganization } from '../support/platform.ts';
import { platform } from '../support/platform.ts';
import { partsOneAndTwo, Walk } from './walk.ts';
import { walkCollaboration } from './walk-collaboration.ts';
import { walkCollections } from './walk-collections.ts';
import { callContentOperations } from './walk-content.ts';
import { walkOrganization } from './walk-organization.ts';

/** Declares the tests that call all operations of parts 1 and 2. */
export function testPartsOneAndTwo(): void {
  let organization: TestOrganization;
  /** Id of another organization with the same admin. */
  let other: string;
  let walk: Walk;

  beforeAll(async () => {
    organization = await platform().makeOrganization();
    const { token } = organization;
    other = (await json<{ id: string }>('/v1/orgs', { token, body: { title: 'Another' } })).id;
    walk = new Walk(token);
  });

  test('an admin manages an organization through the operations of the specification', () =>
    walkOrganization(walk, organization));
  test('a writer edits, reads and moves content through the operations of the specification', () =>
    callContentOperations(walk, organization, other));
  test('collections hold spaces through the operations of the specification', () =>
    walkCollections(walk, organization, other));
  test('a team proposes, discusses and merges changes through the operations of the specification', () =>
    walkCollaboration(walk, organization));

  test('the flow calls exactly the operations of parts 1 and 2', () => {
    expect(partsOneAndTwo).toHaveLength(94);
    expect([...new Set(walk.called)].sort()).toEqual(partsOneAndTwo.map(({ id }) => id).sort());
  });
}
