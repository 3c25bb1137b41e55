import { expect, test } from 'vitest';
import { serveLocally } from '../../support/local-server.ts';
import { platform } from '../../support/platform.ts';
import { getSpecs } from './spec-client.ts';

test('gives up on slow and missing responses after 20 s', async () => {
  const specs = getSpecs(platform(), await platform().makeOrganization());
  const site = await serveLocally(({ url: path }, response) => {
    if (path === '/silent') return;
    const timer = setInterval(() => response.write(' '), 200);
    response.on('close', () => clearInterval(timer));
  });

  const slow = await Promise.all(
    ['trickling', 'silent'].map((name) => specs.publish(name, { url: `${site}/${name}` })),
  );

  expect(slow).toEqual(
    ['trickling', 'silent'].map((name) =>
      expect.objectContaining({
        lastProcessErrorCode: 'FETCH_TIMEOUT',
        lastProcessErrorMessage: `${site}/${name} did not respond within 20 s.`,
      }),
    ),
  );
}, 120_000);
