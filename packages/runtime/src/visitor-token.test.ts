import { expect, test, vi } from 'vitest';
import { signVisitorToken } from './secrets.ts';

const env = { OCTAVO_SECRET: 'a secret of some length' };
const sign = (claims: Record<string, string | number>) =>
  signVisitorToken(env, { organization: 'org_1', site: 'site_1', stamp: 'first', claims, expires: 4e9 });

test.each([
  ['many other tokens', (number: number): Record<string, string | number> => ({ number })],
  [
    'many tokens that are too long to be cached',
    (number: number): Record<string, string> => ({ [number]: 'x'.repeat(2000) }),
  ],
])('a token that is used between %s is not signed again', async (_, toClaims) => {
  await sign({});
  const signatures = vi.spyOn(crypto.subtle, 'sign');
  for (let number = 0; number < 600; number += 1) {
    await sign(toClaims(number));
    signatures.mockClear();
    await sign({});
    expect(signatures).not.toHaveBeenCalled();
  }
});
