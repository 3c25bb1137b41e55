const exposed =
  'accept-ranges, content-range, etag, idempotency-replayed, location, ratelimit, ratelimit-policy, retry-after, server-timing, tus-resumable, upload-length, upload-offset, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, octavo-bookmark, octavo-missing-scripts, octavo-request-id';

/** The API is used with bearer tokens, never with cookies, so any origin may call it, and none with credentials. */
export function setCors(headers: Headers): void {
  headers.set('access-control-allow-origin', '*');
  headers.set('access-control-expose-headers', exposed);
}

export const preflight = (): Response =>
  new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers':
        'authorization, content-type, user-agent, prefer, octavo-bookmark, idempotency-key, if-match, if-none-match, tus-resumable, upload-offset',
      'access-control-max-age': '86400',
    },
  });
