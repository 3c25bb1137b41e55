import { expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { getZip } from '../../support/zip.ts';
import { getClient } from '../space-client.ts';
import { importAll, serveSite } from './site.ts';

test('keeps the value of an existing variable, and reports the conflict', async () => {
  const body = getZip([
    { name: '.gitbook/vars.yaml', body: 'same: 1\nother: 2\nnew: 3\n' },
    { name: 'a.md', body: '# A\n' },
  ]);
  const { url } = await serveSite({ '/docs.zip': { body, type: 'application/zip' } });
  const space = getClient(platform(), await platform().makeSpace());
  await space.edit([{ operation: 'set_variables', variables: { same: 1, other: 'own', new: 0 } }]);
  await space.edit([{ operation: 'set_variables', variables: { new: null } }]);

  const { problems } = await importAll(space, { url: `${url}/docs.zip`, source: 'zip' });

  expect((await space.callJson<{ variables: object }>('/content')).variables).toEqual({
    same: 1,
    other: 'own',
    new: 3,
  });
  expect(problems.filter(({ url: path }) => path.startsWith('variable'))).toEqual([
    { kind: 'warning', url: 'variable other', message: expect.stringContaining('Its value was kept') },
  ]);
});
