import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { serveLocally } from '../../support/local-server.ts';
import { compressText } from '../../support/lz-string.ts';
import { platform } from '../../support/platform.ts';
import { getScript } from '../../support/script-host.ts';
import { installScript } from './scripted.ts';

const server = platform();

const draws = getScript(`if (event.type !== 'ui_render') return new Response('{}', { status: 406 });
  if (event.componentId !== 'known') return Response.json({ error: 'none' }, { status: 404 });
  if (event.props.garbage) return new Response('garbage');
  if (event.props.answered) return new Response(event.props.answered);
  return Response.json({ type: 'element', element: { type: 'block', children: [event.installationId, event.spaceId ?? '', event.auth.userId, event.props.é] } });`);

const createContext = (spaceId: string) => ({ type: 'document', theme: 'dark', spaceId, editable: false });
const component = { componentId: 'known', props: { é: 'ü' } };

async function installBlock() {
  const { name, id, owner } = await installScript(server, draws, { visibility: 'public' });
  const space = await server.makeSpace({ organization: owner });
  const places = `/v1/integrations/${name}/installations/${id}/spaces`;
  await json(places, { token: owner.token, body: { space: space.id } });
  return { path: `/v1/integrations/${name}/render`, id, owner, space, name };
}

test('renders a component for users who can read its space', async () => {
  const { path, id, owner, space } = await installBlock();
  const body = { ...component, context: createContext(space.id) };

  expect(await json(path, { token: owner.token, body })).toMatchObject({
    type: 'element',
    element: { children: [id, space.id, owner.user, 'ü'] },
  });
  const stranger = await server.makeOrganization();
  expect((await server.request(path, { token: stranger.token, body })).status).toBe(404);
  const elsewhere = await server.makeSpace({ organization: stranger });
  expect(
    (
      await server.request(path, {
        token: stranger.token,
        body: { ...component, context: createContext(elsewhere.id) },
      })
    ).status,
  ).toBe(404);
});

test('renders a component from a URL like one from a body, and only for the same user', async () => {
  const { path, id, owner, space } = await installBlock();
  const body = { ...component, context: createContext(space.id), auth: { userId: 'usr_forged' } };
  const get = (request: string, token: string) =>
    server.request(`${path}?request=${encodeURIComponent(request)}`, { token });

  const response = await get(compressText(JSON.stringify(body)), owner.token);
  expect(await response.json()).toMatchObject({ element: { children: [id, space.id, owner.user, 'ü'] } });
  expect(response.headers.get('cache-control') ?? '').not.toContain('public');
  const stranger = await server.makeOrganization();
  expect((await get(compressText(JSON.stringify(body)), stranger.token)).status).toBe(404);
  for (const wrong of ['none', '!', compressText('{'), compressText('{"componentId":"known"}'), compressText('')])
    expect((await get(wrong, owner.token)).status, wrong).toBe(400);
});

const deep = `${'['.repeat(65)}${']'.repeat(65)}`;

test('rejects the same errors in a URL as in a body or component', async () => {
  const { path, owner, space } = await installBlock();
  const createRequestBody = (props: string) =>
    `{"componentId":"known","props":${props},"context":${JSON.stringify(createContext(space.id))}}`;
  const renderByUrl = (text: string) =>
    server.request(`${path}?request=${encodeURIComponent(compressText(text))}`, { token: owner.token });
  const renderByBody = (text: string) => server.request(path, { token: owner.token, body: text });
  for (const ask of [renderByUrl, renderByBody]) {
    expect((await ask(createRequestBody('{"a":[1]}'))).status).toBe(200);
    for (const props of ['{"__proto__":{"x":1}}', '{"a":"\\ud800"}', '{"a":1,"a":2}', `{"a":${deep}}`]) {
      const response = await ask(createRequestBody(props));
      const error = await response.text();
      expect([props, response.status, error]).toEqual([
        props,
        400,
        expect.stringMatching(/"path":"(query.request|body)"/),
      ]);
    }
  }
  for (const answered of ['{"type":"element","__proto__":{"a":1}}', `{"type":"element","element":${deep}}`]) {
    const response = await renderByBody(createRequestBody(JSON.stringify({ answered })));
    expect([answered, response.status]).toEqual([answered, 503]);
  }
});

test('renders the configuration of a source only for a space of the same organization', async () => {
  const { path, owner, space } = await installBlock();
  const elsewhere = await server.makeSpace({ organization: await server.makeOrganization() });
  const renderInSpace = async (spaceId: string) => {
    const context = { type: 'configuration_contentsource', theme: 'dark', organizationId: owner.id, spaceId };
    return (await server.request(path, { token: owner.token, body: { ...component, context } })).status;
  };

  expect(await renderInSpace(space.id)).toBe(200);
  expect(await renderInSpace(elsewhere.id)).toBe(404);
});

test('renders a configuration only for users who can change it', async () => {
  const { path, owner } = await installBlock();
  const body = { ...component, context: { type: 'configuration_account', theme: 'light', organizationId: owner.id } };
  const reader = await server.makeUser({ organization: owner.id, role: 'read' });

  expect(await json(path, { token: owner.token, body })).toMatchObject({ type: 'element' });
  expect((await server.request(path, { token: reader.token, body })).status).toBe(404);
});

test('reports an invalid component, and validates the element that the script returns', async () => {
  const { path, owner, space } = await installBlock();
  const render = (more: object) =>
    server.request(path, { token: owner.token, body: { ...component, context: createContext(space.id), ...more } });

  expect((await render({ componentId: 'unknown' })).status).toBe(404);
  expect((await render({ props: { garbage: true } })).status).toBe(503);
  expect((await render({ context: { type: 'document' } })).status).toBe(400);
});

test("in development, the script runs on the developer's server", async () => {
  const { name, owner, path, space } = await installBlock();
  const forms: string[] = [];
  const tunnelUrl = await serveLocally(async (request, response) => {
    const form = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString();
    // An event about the installation itself may arrive late.
    if (form.includes('"type":"ui_render"')) forms.push(form);
    response.setHeader('content-type', 'application/json').end('{"type":"complete"}');
  });
  const dev = `/v1/integrations/${name}/dev`;
  const draw = () => json(path, { token: owner.token, body: { ...component, context: createContext(space.id) } });

  expect((await server.request(dev, { token: owner.token, method: 'PUT', body: { tunnelUrl } })).status).toBe(204);
  expect(await draw()).toEqual({ type: 'complete' });
  expect(forms).toEqual([expect.stringContaining('name="environment"')]);
  expect((await server.request(dev, { token: owner.token, method: 'DELETE' })).status).toBe(205);
  expect(await draw()).toMatchObject({ type: 'element' });

  const stranger = await server.makeOrganization();
  expect((await server.request(dev, { token: stranger.token, method: 'PUT', body: { tunnelUrl } })).status).toBe(403);
});

test('serves the script of a site only if the integration may add scripts to its pages', async () => {
  const script = getScript(
    `return new Response('console.log("' + event.type + event.siteId + '")', { headers: { 'content-type': 'text/html' } });`,
  );
  for (const [scopes, status] of [
    [['site:script:inject'], 200],
    [[], 404],
  ] as const) {
    const { name, id, owner, publicEndpoint } = await installScript(server, script, { scopes });
    const site = await json<{ id: string }>(`/v1/orgs/${owner.id}/sites`, { token: owner.token, body: {} });
    const places = `/v1/integrations/${name}/installations/${id}/sites`;
    await json(places, { token: owner.token, body: { siteId: site.id } });

    const response = await fetch(`${publicEndpoint}/sites/${site.id}/script.js`);

    expect(response.status).toBe(status);
    if (status !== 200) continue;
    expect(await response.text()).toBe(`console.log("fetch_published_script${site.id}")`);
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(response.headers.get('cache-control')).toContain('max-age');
    expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect((await fetch(`${publicEndpoint}/sites/site_none/script.js`)).status).toBe(404);
  }
});
