import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { platform } from '../support/platform.ts';

const notFound = { error: { code: 404, type: 'not_found' } };

test('ignores the routing override header of the runtime', async () => {
  const { request } = platform();
  for (const worker of ['operator', 'org-admin', 'content', 'core:user:org-admin']) {
    const response = await request('/no/such/path', { headers: { 'MF-Route-Override': worker } });

    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject(notFound);
  }
});

test("the public port returns 404 for the runtime's debugging endpoints", async () => {
  const { request } = platform();
  const paths = [
    '/cdn-cgi/',
    '/cdn-cgi/local/explorer',
    '/cdn-cgi/local/explorer/api/d1/database',
    '/cdn-cgi/local/scheduled',
    '/cdn-cgi/local/r2/public/bucket/key',
    '/cdn-cgi/handler/scheduled',
    '/cdn-cgi/mf/scheduled',
    '/cdn-cgi/mf/reload',
    '/__scheduled',
  ];
  for (const path of paths) {
    const response = await request(path);

    expect([path, response.status]).toEqual([path, 404]);
    expect(await response.json()).toMatchObject(notFound);
  }
});

test("rejects CONNECT to the runtime's internal host", async () => {
  const { hostname, port } = new URL(platform().url);
  const socket = connect({ host: hostname, port: Number(port) });
  const host = 'miniflare-unsafe-internal-capnp-connect';
  socket.write(`CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();

  expect(bytes.toString()).not.toMatch(/^HTTP\/1\.1 2/);
});

test('the operator channel is not on the public port', async () => {
  const response = await platform().request('/token', { body: { email: 'stranger@example.test' } });

  expect(response.status).toBe(404);
});

test('the public port listens on the loopback address only', async () => {
  const { port } = new URL(platform().url);
  const socket = connect({ host: '127.0.0.2', port: Number(port) });
  const outcome = await new Promise((resolve) => {
    socket.once('connect', () => resolve('connected'));
    socket.once('error', () => resolve('refused'));
  });
  socket.destroy();

  expect(outcome).toBe('refused');
});
