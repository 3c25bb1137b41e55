import type { RequestOptions } from '../support/platform.ts';
import { platform } from '../support/platform.ts';
import type { BeforeCall } from './carried-out.ts';

/**
 * Returns a function that sends each request of a walk again with an unknown parameter, and with an unknown field.
 * Requests that are not rejected for it are added to `accepted`.
 */
export function sendUnknown(accepted: unknown[]): BeforeCall {
  return async ({ id, endpoint, path }, { body, ...options }) => {
    const parameter = new URL(path, 'http://localhost');
    parameter.searchParams.set('qqq', '1');
    const field = { ...options, body: { ...(body as object | undefined), qqq: 1 } };
    const variants: [string, string, RequestOptions][] = [
      ['query.qqq', `${parameter.pathname}${parameter.search}`, { ...options, body }],
    ];
    if (endpoint.method !== 'GET') variants.push(['body.qqq', path, field]);
    for (const [name, address, sent] of variants) {
      const response = await platform().request(address, sent);
      const text = await response.text();
      if (response.status !== 400 || !text.includes(`\`${name}\` is not a known`)) {
        accepted.push([id, name, response.status, text]);
      }
    }
  };
}
