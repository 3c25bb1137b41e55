import { expect, test } from 'vitest';
import { getCost } from '../../content/space-client.ts';
import { platform } from '../../support/platform.ts';
import type { Scene } from './rules-client.ts';
import { createMergeRequest, createMergeScene, openBranch, set, setRules } from './rules-client.ts';

async function countMergeTrips({ space, author }: Scene): Promise<number> {
  const [path, options] = createMergeRequest(await openBranch(space, author));
  const response = await platform().request(`/v1/spaces/${space.id}${path}`, { token: author.token, ...options });
  expect(response.status).toBe(200);
  return getCost(response).trips;
}

test('rules of the space add one round trip to a merge, inherited rules two, and no rules none', async () => {
  const scene = await createMergeScene();
  const setSpaceRules = (mergeRules: object) => set(`/v1/spaces/${scene.space.id}`, scene.space.token, mergeRules);
  const rule = { rule: 'require_change_request_subject' };
  const trips = await countMergeTrips(scene);

  await setRules(scene, rule);
  expect(await countMergeTrips(scene)).toBe(trips + 1);
  await setSpaceRules({ type: 'inherit' });
  expect(await countMergeTrips(scene)).toBe(trips);
  const inherited = { type: 'rules', rules: [rule] };
  await set(`/v1/orgs/${scene.organization.id}`, scene.organization.token, inherited);
  expect(await countMergeTrips(scene)).toBe(trips + 2);
  await setSpaceRules({ type: 'none' });
  expect(await countMergeTrips(scene)).toBe(trips);
});
