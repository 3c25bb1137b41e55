import { operatorSignatureHeader } from '@octavo/schema';
import { expect, test } from 'vitest';
import { createRemoteOperator } from './remote-operator.ts';

/** A platform whose first responses are the given ones. An error is thrown instead of a response. */
function createPlatform(...responses: (Response | Error)[]) {
  const [waits, signatures]: [number[], Set<string | null>] = [[], new Set()];
  const send = async (_: unknown, { headers }: RequestInit = {}) => {
    signatures.add(new Headers(headers).get(operatorSignatureHeader));
    const response = responses.shift() ?? Response.json({ rows: [], next: null });
    if (response instanceof Error) throw response;
    return response;
  };
  const wait = async (milliseconds: number) => waits.push(milliseconds);
  const call = createRemoteOperator({ url: 'https://octavo.acme.dev', secret: 'secret' }, send as typeof fetch, wait);
  return { call, waits, signatures };
}

const createBrokenResponse = () =>
  new Response(
    new ReadableStream({ start: (controller) => controller.error(new Error('The connection was closed.')) }),
  );

test('repeats a read with a new signature after errors of the network and the server', async () => {
  const { call, waits, signatures } = createPlatform(
    new Error('fetch failed'),
    new Response('<html>', { status: 502 }),
    createBrokenResponse(),
  );

  expect(await call('/export/rows', { table: 'users', after: [] })).toEqual({ rows: [], next: null });
  expect(signatures.size).toBe(4);
  expect(waits).toEqual(waits.toSorted((a, b) => a - b));
});

test.each(['/import/file', '/import/file/part', '/import/rows', '/import/clear', '/export/part'] as const)(
  'repeats %s',
  async (path) => {
    const { call, signatures } = createPlatform(new Response('', { status: 429 }));
    await call(path);

    expect(signatures.size).toBe(2);
  },
);

test('reports the last error of a call that fails repeatedly', async () => {
  const error = () => Response.json({ error: { message: 'The server failed.' } }, { status: 500 });
  const { call, signatures } = createPlatform(error(), error(), error(), error());

  await expect(call('/export/describe')).rejects.toThrow('The server failed.');
  expect(signatures.size).toBe(4);
});

test.each([
  ['/import/rows', Response.json({ error: { message: 'Another import was started.' } }, { status: 400 })],
  ['/import/begin', new Error('fetch failed')],
  ['/import/file/begin', new Response('', { status: 502 })],
  ['/token', new Response('', { status: 502 })],
] as const)('does not repeat a refused call, or one that would change more: %s', async (path, response) => {
  const { call, waits } = createPlatform(response);

  await expect(call(path, { email: 'ann@acme.dev' })).rejects.toThrow();
  expect(waits).toEqual([]);
});
