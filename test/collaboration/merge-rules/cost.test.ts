import { expect, test } from 'vitest';
import { getCost } from '../../content/space-client.ts';
import { platform } from '../../support/platform.ts';
import type { Scene } from './rules-client.ts';
import { makeScene, merging, openBranch, set, setRules } from './rules-client.ts';

async function tripsOfMerge({ space, author }: Scene): Promise<number> {
  const [path, options] = merging(await openBranch(space, author));
  const answer = await platform().request(`/v1/spaces/${space.id}${path}`, { token: author.token, ...options });
  expect(answer.status).toBe(200);
  return getCost(answer).trips;
}

test('merge rules of the space cost a merge one more round trip, inherited rules two, and no rules none', async () => {
  const scene = await makeScene();
  const ofSpace = (mergeRules: object) => set(`/v1/spaces/${scene.space.id}`, scene.space.token, mergeRules);
  const rule = { rule: 'require_change_request_subject' };
  const trips = await tripsOfMerge(scene);

  await setRules(scene, rule);
  expect(await tripsOfMerge(scene)).toBe(trips + 1);
  await ofSpace({ type: 'inherit' });
  expect(await tripsOfMerge(scene)).toBe(trips);
  const inherited = { type: 'rules', rules: [rule] };
  await set(`/v1/orgs/${scene.organization.id}`, scene.organization.token, inherited);
  expect(await tripsOfMerge(scene)).toBe(trips + 2);
  await ofSpace({ type: 'none' });
  expect(await tripsOfMerge(scene)).toBe(trips);
});
