import { expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { newSite } from './site-client.ts';

const counted = platform({ countsRows: true });

const getCost = async (path: string, options: { token: string; method?: string; body?: object }) => {
  const answer = await counted.request(path, options);
  expect([path, answer.status]).toEqual([path, 200]);
  return [...(answer.headers.get('server-timing') ?? '').matchAll(/desc="(\d+)"/g)].map(([, count]) => Number(count));
};

test('operations that do not list site spaces cost the same with 1 and with 200 site spaces', async () => {
  const site = await newSite();
  const { token } = site.organization;
  const first = await site.addSpace('Guides');
  const measure = async (run: string) => ({
    site: await getCost(site.base, { token }),
    rename: await getCost(site.base, { token, method: 'PATCH', body: { title: `Docs ${run}` } }),
    change: await getCost(`${site.base}/site-spaces/${first.id}`, { token, method: 'PATCH', body: { path: run } }),
    publish: await getCost(`${site.base}/publish`, { token, method: 'POST' }),
    space: await getCost(`/v1/spaces/${first.space.id}`, { token }),
  });
  await measure('zero');
  const few = await measure('one');
  const spaceId = await site.space('Other');
  for (let count = 0; count < 199; count += 20) {
    await Promise.all(
      Array.from({ length: Math.min(20, 199 - count) }, () => site.ok('/site-spaces', { body: { spaceId } })),
    );
  }

  expect(await measure('two')).toEqual(few);
  expect((await site.send('/site-spaces', { body: { spaceId } })).status).toBe(409);
  const [trips] = await getCost(`${site.base}/published`, { token });
  expect(trips).toBe(2);
});
