import { expect, test } from 'vitest';
import { jsonSchema, makeAdaptiveSite } from './adaptive-site.ts';

test('returns 404 before it is set', async () => {
  const { call, put } = await makeAdaptiveSite();

  expect((await call('/adaptive-schema')).status).toBe(404);
  await put(jsonSchema);
  expect(await (await call('/adaptive-schema')).json()).toMatchObject({ object: 'site-adaptive-schema', jsonSchema });
});
