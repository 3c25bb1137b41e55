import { expect, test } from 'vitest';
import { jsonSchema, makeAdaptiveSite } from './adaptive-site.ts';

test('lists a condition for each boolean and for each value, and none without a schema', async () => {
  const { call, put } = await makeAdaptiveSite();
  const list = async () => (await call('/adaptive-schema/template-conditions')).json();

  expect(await list()).toEqual({ items: [] });
  await put(jsonSchema);
  expect(await list()).toEqual({
    items: [
      { description: 'Takes part in the beta', condition: 'visitor.claims.beta == true' },
      { description: 'Plan: free', condition: 'visitor.claims.plan == "free"' },
      { description: 'Plan: paid', condition: 'visitor.claims.plan == "paid"' },
      { description: 'Language: fr', condition: 'visitor.claims.unsigned.language == "fr"' },
    ],
  });
});
