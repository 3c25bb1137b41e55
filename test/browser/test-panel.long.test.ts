import type { IncomingHttpHeaders } from 'node:http';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { getAuthKey, signVisitorJwt } from '../publishing/audiences/open-site.ts';
import { createReferenceSite } from '../publishing/reader/reference/reference-site.ts';
import { json } from '../support/content.ts';
import { serveLocally } from '../support/local-server.ts';
import { openBrowser } from './open-browser.ts';

// Tests sending requests from the test page of an operation to a real API.

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

interface Call {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

const put = {
  operationId: 'setOrder',
  parameters: [
    { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
    { name: 'dry', in: 'query', schema: { type: 'string' } },
    { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
  ],
  requestBody: {
    content: { 'application/json': { schema: { properties: { state: { type: 'string', example: 'paid' } } } } },
  },
  responses: { 200: { description: 'ok' } },
};

/** Starts a local API with or without CORS, and publishes its reference on a site that requires authentication. */
async function makeWorld({ isOpen }: { isOpen: boolean }) {
  const calls: Call[] = [];
  const api = await serveLocally(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const body = (await request.toArray()).join('');
    if (method !== 'OPTIONS') calls.push({ method, url, headers, body });
    if (isOpen)
      for (const each of ['origin', 'headers', 'methods']) response.setHeader(`access-control-allow-${each}`, '*');
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ answered: url }));
  });
  const paths = { '/orders/{id}': { put } };
  const specification = { openapi: '3.1.0', info: { title: 'Shop', version: '1' }, servers: [{ url: api }], paths };
  const { organization, site, base } = await createReferenceSite(specification);
  const path = `/v1/orgs/${organization.id}/sites/${site.id}`;
  await json(path, { token: organization.token, method: 'PATCH', body: { visibility: 'visitor-auth' } });
  return { calls, entrance: `${base}/setorder?jwt_token=${signVisitorJwt(getAuthKey(site.id))}` };
}

/** Opens the test page from the page of the operation. */
async function openPanel(entrance: string): Promise<{ panel: Page; client: Locator }> {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(entrance);
  expect(await context.cookies(page.url())).toHaveLength(1);
  const opening = context.waitForEvent('page');
  await page.locator('test-request a').click();
  const panel = await opening;
  return { panel, client: panel.getByRole('dialog') };
}

const fill = async (client: Locator, name: string, value: string): Promise<void> => {
  const cell = client.getByRole('row', { name: `Include ${name} in request` }).getByRole('combobox', { name: 'Value' });
  await cell.click();
  await cell.page().keyboard.type(value);
};

const send = (client: Locator) => client.getByRole('button', { name: /^Send put request/ }).click();

test('sends the request as filled in, without data of the site, and shows the response', async () => {
  const { calls, entrance } = await makeWorld({ isOpen: true });
  const { panel, client } = await openPanel(entrance);
  for (const [name, value] of [
    ['id', '7'],
    ['dry', 'a&b'],
    ['X-Trace', 'mine'],
  ] as const)
    await fill(client, name, value);
  await send(client);
  await client.getByText('"/orders/7?dry=a%26b"').waitFor();

  expect(calls).toEqual([
    {
      method: 'PUT',
      url: '/orders/7?dry=a%26b',
      headers: expect.objectContaining({ origin: 'null', 'x-trace': 'mine' }),
      body: expect.any(String),
    },
  ]);
  expect(JSON.parse(calls[0]?.body ?? '')).toEqual({ state: 'paid' });
  expect(calls[0]?.headers).not.toHaveProperty('cookie');
  expect(calls[0]?.headers).not.toHaveProperty('referer');
  expect(await panel.evaluate('origin')).toBe('null');
  const readCookie = '(() => { try { return document.cookie; } catch ({ name }) { return name; } })()';
  expect(await panel.evaluate(readCookie)).toBe('SecurityError');
  const asked = "fetch(location.href.replace(/~.*/, '')).then(() => 'answered', ({ name }) => name)";
  expect(await panel.evaluate(asked)).toBe('TypeError');
});

test('explains that an API does not allow requests from other pages', async () => {
  const { calls, entrance } = await makeWorld({ isOpen: false });
  const { panel, client } = await openPanel(entrance);
  await fill(client, 'id', '7');
  await send(client);

  await panel.getByText('does not allow requests from other sites (CORS)').first().waitFor();
  expect(calls).toEqual([]);
});
