import type { ErrorType } from '@octavo/schema';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createErrorResponse } from '../../packages/runtime/src/respond.ts';
import { ApiError, errorStatus } from '../../packages/schema/src/errors.ts';
import { getAddress, type Operation, operations } from '../support/endpoints.ts';
import { platform } from '../support/platform.ts';

afterEach(() => vi.restoreAllMocks());

const statuses: Record<ErrorType, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal: 500,
  unknown_method: 501,
  unavailable: 503,
  storage_full: 507,
};

const internal = { code: 500, message: 'The server failed to handle the request. Try again later.', type: 'internal' };

describe.each(Object.entries(statuses))('%s', (type, status) => {
  test('has its own status and the common error format', async () => {
    const response = createErrorResponse(new ApiError(type as ErrorType, 'In plain words.'), 'req_1');

    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null);
    expect(await response.json()).toEqual({
      error: { code: status, message: 'In plain words.', type, requestId: 'req_1' },
    });
  });
});

test('the table of error types contains no other types', () => {
  expect(errorStatus).toEqual(statuses);
});

test('a validation error lists its issues', async () => {
  const issues = [{ path: 'body.title', message: 'is too long' }];
  const response = createErrorResponse(new ApiError('invalid', '`body.title` is too long.', issues), 'req_1');

  expect(await response.json()).toMatchObject({ error: { issues } });
});

test('an error keeps its type across a service binding', async () => {
  const crossed = Object.assign(new Error('It is merged.'), { name: 'ApiError', type: 'conflict', issues: undefined });

  expect(createErrorResponse(crossed, 'req_1').status).toBe(409);
});

test.each([
  new Error('D1_ERROR: the secret of row 7'),
  Object.assign(new Error('the secret'), { name: 'ApiError', type: 'toString' }),
  'the secret',
  { type: 'conflict', message: 'the secret' },
  undefined,
])('an unknown error returns a fixed message: %s', async (error) => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const response = createErrorResponse(error, 'req_1');

  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({ error: { ...internal, requestId: 'req_1' } });
});

test('an unknown error is logged without the statement and its parameters', () => {
  const written = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const failed = new Error('Failed query: SELECT ? params: the secret', { cause: new Error('D1_ERROR: busy') });
  createErrorResponse(failed, 'req_1');

  expect(written.mock.calls.flat().join()).toContain('D1_ERROR: busy');
  expect(written.mock.calls.flat().join()).not.toContain('params: the secret');
});

const places = [
  ['GET', '/v1/nothing'],
  ['GET', '/v2/user'],
  ['GET', '/user'],
  ['GET', '/v1/user/tokens/tok_1/more'],
  ['GET', '/v1//user'],
  ['GET', '/v1/orgs//spaces'],
  ['GET', '/%2e%2e/v1/nothing'],
] as const;

test.each(places)('%s %s returns 404, with or without a token', async (method, path) => {
  const { makeUser, request } = platform();
  const { token } = await makeUser();
  for (const each of [undefined, token]) {
    const response = await request(path, { method, token: each });

    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      error: { code: 404, type: 'not_found', requestId: expect.stringMatching(/^req_/) },
    });
  }
});

const otherMethods = [
  ['DELETE', '/v1/user', 'GET, HEAD, OPTIONS'],
  ['POST', '/v1/spaces/spc_1', 'GET, HEAD, PATCH, DELETE, OPTIONS'],
  ['GET', '/v1/spaces/spc_1/move', 'POST, OPTIONS'],
  ['POST', '/v1', 'GET, HEAD, OPTIONS'],
  ['PUT', '/health', 'GET, HEAD, OPTIONS'],
  ['GET', '/sso/saml/saml_1/acs', 'POST, OPTIONS'],
] as const;

test.each(otherMethods)('%s %s returns 405 with the methods that the path supports', async (method, path, allow) => {
  const response = await platform().request(path, { method });

  expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
});

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const paths = [...new Set(operations.map(({ endpoint }) => getAddress(endpoint)))];
const isOn = (path: string, { endpoint }: Operation) =>
  new RegExp(`^${endpoint.path.replace(/:\w+\+/g, '.+').replace(/:\w+/g, '[^/]+')}$`).test(path);

test('every path of the API returns 405 for an unsupported method', async () => {
  const checks = paths.map(async (path) => {
    const supported = operations.filter((each) => isOn(path, each)).map(({ endpoint }) => endpoint.method as string);
    const method = methods.find((each) => !supported.includes(each)) ?? 'none';
    const response = await platform().request(path, { method });
    const { error } = (await response.json()) as { error: { type: string } };
    expect([path, response.status, error.type]).toEqual([path, 405, 'method_not_allowed']);
    expect(response.headers.get('allow')?.split(', ')).toEqual(expect.arrayContaining([...supported, 'OPTIONS']));
  });
  await Promise.all(checks);
});

test.each(['%', '%zz', '%ff', '%00', '..%2f..', 'a%20b', 'ö', '%F0%9F%98%80', 'x'.repeat(65)])(
  'returns 404 for a malformed ID: %s',
  async (id) => {
    const { makeUser, request } = platform();
    const { token } = await makeUser();

    for (const path of [`/v1/spaces/${id}`, `/v1/orgs/${id}`, `/v1/spaces/${id}/change-requests/${id}`]) {
      expect([path, (await request(path, { token })).status]).toEqual([path, 404]);
    }
  },
);

test('browsers receive a page for an unknown path outside of the API, and JSON within the API', async () => {
  const { request } = platform();
  const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
  const getResult = async (path: string, headers: Record<string, string>, method = 'GET') => {
    const response = await request(path, { method, headers });
    return [response.status, response.headers.get('content-type')?.split(';')[0]];
  };

  expect(await getResult('/foo/bar', browser)).toEqual([404, 'text/html']);
  expect(await (await request('/foo/bar', { headers: browser })).text()).toContain('<h1>Page not found</h1>');
  expect(await getResult('/foo/bar', { accept: 'text/html, application/json' })).toEqual([404, 'text/html']);
  expect(await getResult('/foo/bar', { accept: 'application/json, text/html' })).toEqual([404, 'application/json']);
  expect(await getResult('/foo/bar', { accept: '*/*' })).toEqual([404, 'application/json']);
  expect(await getResult('/foo/bar', browser, 'POST')).toEqual([404, 'application/json']);
  expect(await getResult('/v1/nothing', browser)).toEqual([404, 'application/json']);
});

test('the root of the server opens the app', async () => {
  const response = await platform().request('/');

  expect([response.status, response.headers.get('location')]).toEqual([302, '/app']);
});

test('rejects a URL longer than 16 KiB, and accepts a slightly shorter one', async () => {
  const { request } = platform();

  expect([413, 414, 431]).toContain((await request(`/v1/user?x=${'x'.repeat(17_000)}`)).status);
  expect((await request(`/v1/user?x=${'x'.repeat(15_000)}`)).status).toBe(401);
});

test.each(['/', '/health', '/openapi.json', '/reference', '/v1/user', '/v1/nothing', '/app/orgs/org_1'])(
  '%s has a request ID generated by the server, and the common headers',
  async (path) => {
    const { request } = platform();
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST']) {
      const response = await request(path, { method, headers: { 'octavo-request-id': 'mine' } });

      expect([method, response.headers.get('octavo-request-id')]).toEqual([
        method,
        expect.stringMatching(/^req_\w{20}$/),
      ]);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    }
  },
);

/** The headers that browsers request for our client and for other clients of the API family. */
const requestHeaders = ['authorization', 'content-type', 'octavo-bookmark', 'prefer', 'user-agent'];

test('a preflight from any origin allows the methods and headers of the API, without credentials', async () => {
  const response = await platform().request('/v1/user', {
    method: 'OPTIONS',
    headers: {
      origin: 'https://elsewhere.example',
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': requestHeaders.join(','),
    },
  });

  expect(response.status).toBe(204);
  expect(response.headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, PATCH, DELETE');
  expect(response.headers.get('access-control-allow-headers')?.split(', ')).toEqual(
    expect.arrayContaining(requestHeaders),
  );
  expect(response.headers.get('access-control-allow-credentials')).toBeNull();
});

test.each([
  ['no token', {}, 'This request has no token. Send one as `Authorization: Bearer <token>`.'],
  ['an empty header', { authorization: '' }, 'This request has no token. Send one as `Authorization: Bearer <token>`.'],
  ['no scheme', { authorization: 'oct_1' }, 'The header `Authorization` must have the form `Bearer <token>`.'],
  [
    'another scheme',
    { authorization: 'Basic b3Q6' },
    'The header `Authorization` must have the form `Bearer <token>`.',
  ],
  ['an unknown token', { authorization: 'Bearer oct_1' }, 'This token is unknown, expired or revoked.'],
])('a request with %s returns 401 with a specific message', async (_, headers: Record<string, string>, message) => {
  const response = await platform().request('/v1/user', { headers });

  expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  expect(await response.json()).toMatchObject({ error: { message } });
});

test("a body above the operation's limit returns an error with the limit and how to upload files", async () => {
  const { token } = await platform().makeUser();
  const response = await platform().request('/v1/orgs', { token, body: '{}'.padEnd(1024 * 1024 + 1) });
  const message = 'The body can be at most 1 MiB. Upload large files first: POST /v1/orgs/{organizationId}/uploads.';

  expect(response.status).toBe(413);
  expect(await response.json()).toMatchObject({ error: { message } });
});

test('rejects a malformed bookmark and accepts one from a response', async () => {
  const { makeUser, request } = platform();
  const { token } = await makeUser();
  const bookmark = (await request('/v1/user', { token })).headers.get('octavo-bookmark') ?? '';

  expect((await request('/v1/user', { token, headers: { 'octavo-bookmark': bookmark } })).status).toBe(200);
  for (const wrong of ['x y', "' OR 1", 'first-primary;', 'g'.repeat(200)]) {
    expect((await request('/v1/user', { token, headers: { 'octavo-bookmark': wrong } })).status).toBe(400);
  }
});
