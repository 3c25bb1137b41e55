import { findConfigFiles, readWranglerConfiguration } from '@octavo/platform';
import { workerCrons } from '@octavo/schema';
import { expect, inject, test } from 'vitest';

test('the list of crons that missed runs are detected by matches the configurations', async () => {
  const configurations = await Promise.all((await findConfigFiles(inject('root'))).map(readWranglerConfiguration));
  const configured = configurations.flatMap(({ name, triggers: { crons = [] } }) =>
    crons.length === 0 ? [] : [[name, crons]],
  );

  expect(Object.fromEntries(configured)).toEqual(workerCrons);
});
