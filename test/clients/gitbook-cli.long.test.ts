import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { writeTree } from '../cli/octavo.ts';
import { createPetstoreSpec } from '../publishing/openapi/spec-client.ts';
import { json } from '../support/content.ts';
import { serveLocally } from '../support/local-server.ts';
import { platform } from '../support/platform.ts';
import { installOfficialCommand } from './official-command.ts';

test('auth stores a valid token, and whoami names its user', async () => {
  const { token, user } = await platform().makeUser();
  const { gitbook, signIn } = await installOfficialCommand();

  expect(await signIn(`${token}x`)).toMatchObject({ code: 1, stderr: expect.stringContaining('token') });
  expect(await gitbook(['whoami'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('must be authenticated'),
  });
  expect(await signIn(token)).toMatchObject({ code: 0, stdout: expect.stringContaining('authenticated as A tester') });
  expect(await gitbook(['whoami'])).toEqual({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(
      new RegExp(`as A tester\\nID: ${user}\\nEmail: user-\\S+\\nAPI: ${platform().url}\\n`),
    ),
  });
});

test('openapi publish publishes a file and a URL', async () => {
  const { id, token } = await platform().makeOrganization();
  const { gitbook, signIn } = await installOfficialCommand();
  await signIn(token);
  const text = JSON.stringify(createPetstoreSpec());
  const folder = await writeTree({ 'pets.json': text });
  const site = await serveLocally((_, response) => response.end(text));
  const publish = (from: string, slug: string) =>
    gitbook(['openapi', 'publish', from, '--spec', slug, '--organization', id], { folder });

  for (const [from, slug] of [
    ['pets.json', 'from-file'],
    [`${site}/pets.json`, 'from-address'],
  ] as const)
    expect(await publish(from, slug)).toEqual({
      code: 0,
      stderr: '',
      stdout: `OpenAPI specification "${slug}" published to ${platform().url}/app/orgs/${id}/openapi/${slug}\n`,
    });
  expect(await publish(path.join(folder, 'none.json'), 'none')).toMatchObject({ code: 1 });
});

test('check builds an integration and starts it', async () => {
  const { gitbook } = await installOfficialCommand();
  const folder = await writeTree({
    'gitbook-manifest.yaml': 'name: sample\ntitle: Sample\nscript: ./index.ts\norganization: mine\nscopes: []\n',
    'index.ts': 'export default { fetch: (request: Request): Response => new Response(request.url) };\n',
  });

  expect(await gitbook(['check'], { folder })).toEqual({ code: 0, stdout: '', stderr: '' });
});

const createManifest = (more: string) => `name: %NAME%
title: A sample
description: Of a test
script: ./index.ts
organization: is-given-on-the-command-line
icon: ./icon.png
previewImages: [./icon.png]
target: organization
scopes: [space:content:read, site:script:inject]
categories: [other]
externalLinks: [{ label: Docs, url: https://docs.example }]
secrets: { KEY: '\${{ env.SAMPLE_KEY }}' }
contentSecurityPolicy: { script-src: https://stats.example }
configurations:
  account:
    properties: { name: { type: string, title: Name, default: x } }
    required: [name]
${more}`;

const script = `export default {
  async fetch(request: Request): Promise<Response> {
    const event = JSON.parse(String((await request.formData()).get('event')));
    console.log('called for', event.type);
    return new Response(null, { status: 200 });
  },
};
`;

/** Makes a folder with an integration of a unique name. */
async function sample(more = '') {
  const name = `sample-${randomUUID().slice(0, 8)}`;
  const folder = await writeTree({
    'gitbook-manifest.yaml': createManifest(more).replace('%NAME%', name),
    'index.ts': script,
    'icon.png': await readFile(path.resolve(import.meta.dirname, '../../integrations/analytics/icon.png')),
  });
  return { name, folder };
}

test('publish creates versions of an integration, and unpublish removes it after confirmation', async () => {
  const { id, token } = await platform().makeOrganization();
  const { gitbook, signIn } = await installOfficialCommand();
  await signIn(token);
  const { name, folder } = await sample();
  const publish = () => gitbook(['publish', '--organization', id], { folder, env: { SAMPLE_KEY: 'secret' } });
  const get = () => platform().request(`/v1/integrations/${name}`, { token });

  const published = await publish();
  expect(published).toMatchObject({ code: 0, stderr: '' });
  expect(published.stdout).toContain(`Integration "${name}" published`);
  expect(await (await get()).json()).toMatchObject({ name, version: 1, title: 'A sample', target: 'organization' });
  expect(await publish()).toMatchObject({ code: 0 });
  expect(await (await get()).json()).toMatchObject({ version: 2, owner: { id } });

  expect(await gitbook(['unpublish', name], { answer: 'n' })).toMatchObject({ code: 0 });
  expect((await get()).status).toBe(200);
  const unpublished = await gitbook(['unpublish', name], { answer: 'y' });
  expect(unpublished.stdout).toContain(`Integration "${name}" has been deleted`);
  expect((await get()).status).toBe(404);
});

test('publish prints the reason if the platform rejects it', async () => {
  const [{ id, token }, stranger] = [await platform().makeOrganization(), await platform().makeOrganization()];
  const { gitbook, signIn } = await installOfficialCommand();
  const { name, folder } = await sample();
  const env = { SAMPLE_KEY: 'secret' };
  await signIn(token);
  expect(await gitbook(['publish', '--organization', id], { folder, env })).toMatchObject({ code: 0 });

  await signIn(stranger.token);
  expect(await gitbook(['publish', '--organization', stranger.id], { folder, env })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(name),
  });
});

test("tail prints the script's calls with their log", async () => {
  const { id, token } = await platform().makeOrganization();
  const { gitbook, signIn } = await installOfficialCommand();
  await signIn(token);
  const { name, folder } = await sample();
  const env = { SAMPLE_KEY: 'secret' };
  await gitbook(['publish', '--organization', id], { folder, env });
  const path = `/v1/integrations/${name}/installations`;
  const { urls } = await json<{ urls: { publicEndpoint: string } }>(path, { token, body: { organization: id } });
  expect((await fetch(`${urls.publicEndpoint}/hook`)).status).toBe(200);

  const { code, stdout } = await gitbook(['tail'], { folder, env, interruptAt: '[info] called for fetch' });
  expect(code).toBe(0);
  expect(stdout).toMatch(/\[success\]\[\S+Z\] \{.*"type":"fetch".*\}\n\[info\] called for fetch\n/);
});
