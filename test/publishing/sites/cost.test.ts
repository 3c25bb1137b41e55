import { expect, test } from 'vitest';
import { getCost } from '../../content/space-client.ts';
import { expectSameCost } from '../../support/at-size.ts';
import { platform } from '../../support/platform.ts';
import { createTestSite } from './site-client.ts';

const counted = platform({ countsRows: true });

const measureCost = async (path: string, options: { token: string; method?: string; body?: object }) => {
  const response = await counted.request(path, options);
  expect([path, response.status]).toEqual([path, 200]);
  return getCost(response);
};

test('operations that do not list site spaces cost the same with 1 and with 200 site spaces', async () => {
  const site = await createTestSite();
  const { token } = site.organization;
  const first = await site.addSpace('Guides');
  const measure = async (run: string) => ({
    site: await measureCost(site.base, { token }),
    rename: await measureCost(site.base, { token, method: 'PATCH', body: { title: `Docs ${run}` } }),
    change: await measureCost(`${site.base}/site-spaces/${first.id}`, { token, method: 'PATCH', body: { path: run } }),
    publish: await measureCost(`${site.base}/publish`, { token, method: 'POST' }),
    space: await measureCost(`/v1/spaces/${first.space.id}`, { token }),
  });
  await measure('zero');
  const few = await measure('one');
  const spaceId = await site.space('Other');
  for (let count = 0; count < 199; count += 20) {
    await Promise.all(
      Array.from({ length: Math.min(20, 199 - count) }, () => site.callJson('/site-spaces', { body: { spaceId } })),
    );
  }

  const many = await measure('two');
  for (const name of Object.keys(few) as (keyof typeof few)[]) {
    expect(few[name].read).toBeGreaterThan(0);
    expectSameCost([few[name], many[name]]);
  }
  expect((await site.send('/site-spaces', { body: { spaceId } })).status).toBe(409);
  const { trips } = await measureCost(`${site.base}/published`, { token });
  expect(trips).toBe(2);
});
