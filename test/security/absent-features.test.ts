import { expect, test } from 'vitest';
import { operations } from '../support/endpoints.ts';
import { platform } from '../support/platform.ts';

// Attacks on features that Octavo does not have. These tests check that the features are absent. When you add such a
// feature, add a test of the attack here.

/** The run log of an integration, which only admins of its owner can read: test/integrations/scripts/logged. */
const logOfRuns = /\/v1\/integrations\/:integrationName\/events/;
const paths = operations.map(({ endpoint }) => endpoint.path).filter((path) => !logOfRuns.test(path));
const segments = new Set(paths.flatMap((path) => path.split('/')));

test.each([
  ['4', 'a feed of events beside the audit log of admins', /^(?:events?|activity|feeds?$|log)/],
  ['7', 'a code or password that could be guessed', /^(?:otp|codes?|password|passwords|2fa|mfa|magic)/],
  ['8', 'an authorization server that grants scopes to applications', /^(?:oauth|authorize|clients?)$/],
  ['6', 'a reset of a password, or a socket that would outlive a membership', /^(?:reset|socket|sse|stream)/],
])('%s: the API has no %s', (_, __, pattern) => {
  expect([...segments].filter((segment) => pattern.test(segment))).toEqual([]);
});

test.each(['/v1/events', '/v1/oauth/authorize', '/oauth/token', '/forgot-password', '/v1/user/password'])(
  'returns 404 at %s',
  async (path) => {
    const { makeOrganization, request } = platform();
    const { token } = await makeOrganization();

    for (const method of ['GET', 'POST']) expect((await request(path, { token, method })).status).toBe(404);
  },
);
