import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect, test } from 'vitest';
import { platform } from '../support/platform.ts';

const mebibyte = 1024 * 1024;
/** Maximum time for which the server continues to read a body after it has responded. */
const drainMilliseconds = 2000;
const mostMilliseconds = drainMilliseconds + 28_000;

interface Slow {
  method?: string;
  token?: string;
  /** The part of the body that is sent immediately. */
  first?: string;
  /** The Content-Length. Without it, the body is sent in chunks. */
  length?: number;
}

/** Sends an endless body, one byte every 100 ms. Returns the response status and the elapsed time. */
async function sendBodySlowly(path: string, { method = 'POST', token, first = '{', length }: Slow) {
  const started = Date.now();
  const headers = {
    'content-type': 'application/json',
    ...(length === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': length }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const sent = request(new URL(path, platform().url), { method, headers });
  sent.write(first);
  const trickling = setInterval(() => sent.write(' '), 100);
  try {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode, milliseconds: Date.now() - started };
  } finally {
    clearInterval(trickling);
    sent.on('error', () => undefined).destroy();
  }
}

test.each([
  ['an unknown path', 404, '/v1/nothing', {}],
  ['no token', 401, '/v1/user/tokens', {}],
  ['a preflight', 204, '/v1/user/tokens', { method: 'OPTIONS' }],
] as const)('%s returns %i while the body is still being sent', async (_, status, path, slow) => {
  const response = await sendBodySlowly(path, slow);

  expect(response.status).toBe(status);
  expect(response.milliseconds).toBeLessThan(mostMilliseconds);
});

test('rejects a body over the limit while the rest is still being sent', async () => {
  const { token } = await platform().makeUser();

  const response = await sendBodySlowly('/v1/user/tokens', { token, first: ' '.repeat(mebibyte + 1) });

  expect(response.status).toBe(413);
  expect(response.milliseconds).toBeLessThan(mostMilliseconds);
});

test('immediately rejects a body with a declared length above the limit', async () => {
  let fastest = Number.POSITIVE_INFINITY;
  // On a busy machine, a response is sometimes late, so try several times.
  for (let tries = 0; tries < 10 && fastest >= drainMilliseconds; tries += 1) {
    const response = await sendBodySlowly('/v1/user/tokens', { length: 64 * mebibyte });
    expect(response.status).toBe(413);
    fastest = Math.min(fastest, response.milliseconds);
  }

  expect(fastest).toBeLessThan(drainMilliseconds);
});
