import { expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';

test.each([undefined, '', 'undefined', 'a-key-of-the-directory'])(
  'an installation without a key rejects a directory that sends the key %s',
  async (token) => {
    const response = await platform().request('/directory/keys/organization/acme', { token });

    expect([response.status, await response.json()]).toMatchObject([404, { error: { message: 'Page not found.' } }]);
  },
);
