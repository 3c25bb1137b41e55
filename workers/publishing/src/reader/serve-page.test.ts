import { describe, expect, test } from 'vitest';
import type { AddressRedirect } from '../resolution/resolve-address.ts';
import { respondRedirect } from './serve-page.ts';

function redirect(method: string, fields: Partial<AddressRedirect>) {
  const url = new URL('https://docs.example.com/old?a=1');
  const redirect = { target: 'content', redirect: 'https://docs.example.com/new', ...fields } as AddressRedirect;
  const { status, headers } = respondRedirect({ request: new Request(url, { method }), url }, redirect);
  return { status, location: headers.get('location'), cache: headers.get('cache-control') };
}

describe('respondRedirect', () => {
  test.each([
    ['GET', 'permanent', 308, 'private, max-age=3600'],
    ['GET', 'moved', 308, 'no-store'],
    ['GET', 'temporary', 302, 'no-store'],
    ['POST', 'permanent', 308, 'private, max-age=3600'],
    ['POST', 'moved', 308, 'no-store'],
    ['POST', 'temporary', 307, 'no-store'],
  ] as const)('%s of a %s redirect has the status %d and keeps the query', (method, permanence, status, cache) => {
    const location = 'https://docs.example.com/new?a=1';
    expect(redirect(method, { permanence })).toEqual({ status, location, cache });
  });

  test('a redirect to the sign-in page is temporary and does not pass the query on', () => {
    const location = 'https://docs.example.com/new';
    expect(redirect('GET', {})).toEqual({ status: 302, location, cache: 'no-store' });
  });

  test('sends no request body to another site', () => {
    expect(redirect('POST', { target: 'external', permanence: 'permanent' }).status).toBe(404);
  });
});
