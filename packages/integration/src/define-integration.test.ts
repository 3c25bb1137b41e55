import { expect, test, vi } from 'vitest';
import { serveLocally } from '../../../test/support/local-server.ts';
import { at } from './api.ts';
import { defineIntegration, Refusal } from './define-integration.ts';

type Definition = Parameters<typeof defineIntegration>[0];

const environment = {
  apiEndpoint: 'http://127.0.0.1:1',
  apiTokens: { integration: 'of-integration', installation: 'of-installation' },
  integration: { name: 'sample', version: 3 },
};

interface Call {
  body?: string;
  path?: string;
  form?: FormData;
  apiEndpoint?: string;
}

const waited: Promise<unknown>[] = [];

async function call(definition: Definition, event: object, { body, path = '/v1', form, apiEndpoint }: Call = {}) {
  const fields = form ?? new FormData();
  if (form === undefined) {
    fields.set('event', JSON.stringify(event));
    fields.set('environment', JSON.stringify({ ...environment, ...(apiEndpoint && { apiEndpoint }) }));
    if (body !== undefined) fields.set('fetch-body', body);
  }
  const request = new Request(`http://script${path}`, { method: 'POST', body: fields });
  const response = await defineIntegration(definition).fetch(request, {}, { waitUntil: (work) => waited.push(work) });
  return { status: response.status, text: await response.text(), type: response.headers.get('content-type') };
}

const happened = { type: 'change_request.created', eventId: 'evt', installationId: 'ins', changeRequest: 'chr' };

test('calls the handler of an event, and returns 406 for an event without a handler', async () => {
  const seen: unknown[] = [];
  const definition: Definition = {
    events: {
      'change_request.created': (event, { environment: { integration } }) => void seen.push([event, integration]),
    },
  };

  expect(await call(definition, happened)).toMatchObject({ status: 204 });
  expect(seen).toEqual([[happened, environment.integration]]);
  for (const type of ['comment.created', 'toString', '__proto__'])
    expect(await call(definition, { ...happened, type })).toMatchObject({ status: 406 });
  expect(await call({}, happened)).toMatchObject({ status: 406 });
});

test('passes the method, headers and body of a request to the handler, and returns its response', async () => {
  const definition: Definition = {
    fetch: async (request) =>
      new Response(`${request.method} ${request.url} ${request.headers.get('x-one')} ${await request.text()}`, {
        status: 201,
      }),
  };
  const request = { method: 'PUT', url: 'https://host.test/a?b=c', headers: { 'x-one': '1' } };

  expect(await call(definition, { type: 'fetch', request }, { body: 'text' })).toMatchObject({
    status: 201,
    text: 'PUT https://host.test/a?b=c 1 text',
  });
  const get = { ...request, method: 'GET' };
  expect((await call(definition, { type: 'fetch', request: get }, { body: '' })).text).toContain('GET https://');
});

test('calls scripts, components, sources and tasks by name', async () => {
  const definition: Definition = {
    publishedScript: ({ siteId }) => (siteId === 'site_1' ? 'load()' : undefined),
    components: { box: ({ props }) => ({ type: 'element', props }) },
    contentSources: { pages: { revision: () => ({ pages: [] }), document: () => ({ nodes: [] }) } },
    tasks: { later: () => undefined },
  };
  const callWithEvent = (event: object) => call(definition, event);

  expect(await callWithEvent({ type: 'fetch_published_script', siteId: 'site_1' })).toEqual({
    status: 200,
    text: 'load()',
    type: 'text/javascript; charset=utf-8',
  });
  expect(await callWithEvent({ type: 'fetch_published_script', siteId: 'site_2' })).toMatchObject({
    status: 200,
    text: expect.stringMatching(/^\/\*.*\*\/$/),
  });
  expect(await callWithEvent({ type: 'ui_render', componentId: 'box', props: { a: 1 }, context: {} })).toMatchObject({
    text: '{"type":"element","props":{"a":1}}',
  });
  expect(await callWithEvent({ type: 'content_compute_revision', sourceId: 'pages' })).toMatchObject({
    text: '{"pages":[]}',
  });
  expect(await callWithEvent({ type: 'content_compute_document', sourceId: 'pages' })).toMatchObject({
    text: '{"document":{"nodes":[]}}',
  });
  expect(await callWithEvent({ type: 'task', task: { type: 'later' } })).toMatchObject({ status: 204 });
  for (const unknown of [
    { type: 'ui_render', componentId: 'none', props: {} },
    { type: 'content_compute_document', sourceId: 'constructor' },
    { type: 'task', task: { type: 'none' } },
  ])
    expect(await callWithEvent(unknown)).toMatchObject({ status: 404, text: expect.stringContaining('has no') });
});

test('returns a refusal unchanged, but logs and hides other errors', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const createFailingDefinition = (error: Error): Definition => ({
    events: {
      'change_request.created': () => {
        throw error;
      },
    },
  });

  expect(await call(createFailingDefinition(new Refusal('Not yet.', 409)), happened)).toMatchObject({
    status: 409,
    text: '{"error":"Not yet."}',
  });
  expect(logged).not.toHaveBeenCalled();
  expect(await call(createFailingDefinition(new Error('the secret is abc')), happened)).toMatchObject({
    status: 500,
    text: expect.not.stringContaining('abc'),
  });
  expect(logged).toHaveBeenCalledWith(expect.stringContaining('the secret is abc'));
});

test('rejects requests that are not calls of the platform', async () => {
  const form = new FormData();
  form.set('event', '{');

  expect(await call({}, happened, { path: '/v2' })).toMatchObject({ status: 400 });
  expect(await call({}, happened, { form })).toMatchObject({ status: 400, text: expect.stringContaining('event') });
  const plain = new Request('http://script/v1', { method: 'POST', body: 'text' });
  expect((await defineIntegration({}).fetch(plain, {}, { waitUntil: () => undefined })).status).toBe(400);
});

test('calls the API as the installation and reads its own writes; queues tasks as the integration', async () => {
  const calls: string[] = [];
  const apiEndpoint = await serveLocally(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const { authorization, 'octavo-bookmark': bookmark } = request.headers;
    calls.push(`${request.method} ${request.url} ${authorization} ${bookmark} ${body}`);
    if (request.url === '/v1/gone') response.writeHead(404);
    else response.writeHead(200, { 'octavo-bookmark': `b${calls.length}` });
    response.end(request.url === '/v1/gone' ? '{"error":{"message":"No such thing."}}' : '{"ok":true}');
  });
  const definition: Definition = {
    events: {
      'change_request.created': async ({ changeRequest }, { api, queueTask }) => {
        await api.send('POST', at`/things/${changeRequest}/a b`, { a: 1 });
        await api.get('/things', { limit: '1' });
        await queueTask({ type: 'later' }, 60);
        await api.get('/gone');
      },
    },
  };
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);

  expect(await call(definition, { ...happened, changeRequest: 'a/b' }, { apiEndpoint })).toMatchObject({ status: 500 });
  expect(calls).toEqual([
    'POST /v1/things/a%2Fb/a%20b Bearer of-installation undefined {"a":1}',
    'GET /v1/things?limit=1 Bearer of-installation b1 ',
    'POST /v1/integrations/sample/tasks Bearer of-integration undefined {"task":{"type":"later"},"schedule":60}',
    'GET /v1/gone Bearer of-installation b2 ',
  ]);
  expect(logged).toHaveBeenCalledWith(expect.stringMatching(/GET \/gone returned 404: No such thing\./));
});

test('rejects a path parameter that would change the path', () => {
  for (const parameter of ['', '.', '..']) expect(() => at`/things/${parameter}`).toThrow(TypeError);
  expect(at`/things/${'..%2f?#'}/end`).toBe('/things/..%252f%3F%23/end');
});
