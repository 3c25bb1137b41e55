import { randomUUID } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { json } from '../support/content.ts';
import { writeDatabase } from '../support/database.ts';
import { startOwnPlatform, startScript, until } from '../support/own-platform.ts';
import { platform } from '../support/platform.ts';
import { createCommandLine, octavo, writeTree } from './octavo.ts';
import { startRelay } from './relay.ts';

const createScript = (word: string) => `export default {
  async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname !== '/v1') return new Response('Not here', { status: 400 });
    const event = JSON.parse(String((await request.formData()).get('event')));
    console.log('${word}', event.type);
    return new Response('${word}');
  },
};
`;

/** Publishes an integration and installs it in its own organization. `ask` calls its public endpoint. */
async function installIntegration() {
  const { organization, token, env } = await createCommandLine();
  const name = `sample-${randomUUID().slice(0, 8)}`;
  const folder = await writeTree({
    'integration.yaml': `name: ${name}\ntitle: A sample\nscript: index.ts\nscopes: [space:content:read]\nevents: []\n`,
    'index.ts': createScript('published'),
  });
  const { code, stderr } = await octavo(env, 'integration', 'publish', folder, '--organization', organization);
  if (code !== 0) throw new Error(stderr);
  const at = `/v1/integrations/${name}/installations`;
  const { urls } = await json<{ urls: { publicEndpoint: string } }>(at, { token, body: { organization } });
  const ask = async () => (await fetch(urls.publicEndpoint)).text();
  // Write to another file and rename it, so that the watcher never reads a partial file.
  const write = async (script: string) => {
    await writeFile(`${folder}.next`, script);
    await rename(`${folder}.next`, path.join(folder, 'index.ts'));
  };
  return { name, folder, env, ask, write };
}

function start(env: Record<string, string>, ...args: string[]) {
  const running = startScript(['packages/cli/bin/octavo.mjs', 'integration', ...args], env);
  onTestFinished(() => void running.child.kill('SIGKILL'));
  const waitForOutput = (text: string) => until(() => running.printed().stdout.includes(text) || undefined);
  return { ...running, said: waitForOutput };
}

test('forwards calls to the local script, rebuilt after each change, until the command ends', async () => {
  const { folder, env, name, ask, write } = await installIntegration();
  expect(await ask()).toBe('published');
  const dev = start(env, 'dev', folder);
  await dev.said(`Events of ${name} are sent to http://127.0.0.1:`);

  await write(createScript('changed'));
  await until(() => dev.printed().stdout.split('Built.').length > 2 || undefined);
  await expect.poll(ask, { timeout: 20_000 }).toBe('changed');
  await dev.said('  changed fetch\n');
  await dev.said('fetch: 200 in');

  await write('export default ;');
  await until(() => dev.printed().stderr.includes('The script could not be built.\nindex.ts:1:16: ') || undefined);
  expect(await ask()).toBe('changed');
  dev.child.kill('SIGINT');
  expect(await dev.finished).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`Events of ${name} are sent to the published version again.`),
  });
  expect(await ask()).toBe('published');
});

test('after the command is killed, the published script runs again within two minutes', async () => {
  const { folder, env, name, ask } = await installIntegration();
  const dev = start(env, 'dev', folder);
  await dev.said(`Events of ${name} are sent to http://127.0.0.1:`);
  dev.child.kill('SIGKILL');
  await dev.finished;
  expect(await ask()).not.toBe('published');
  const past = 'UPDATE integrations SET dev_until = dev_until - 120000 WHERE name = ? AND dev_until <= ?';
  await writeDatabase(platform(), past, name, Date.now() + 120_000);

  expect(await ask()).toBe('published');
});

test('prints each call of the script once, with its log, and continues with new calls', async () => {
  const { env, name, ask } = await installIntegration();
  const tailOnce = () => octavo(env, 'integration', 'tail', name, '--once');
  const logLine = /^\S+Z success fetch \w+ \{.*\}\n {2}\[info\] published fetch\n$/;

  expect(await tailOnce()).toEqual({ code: 0, stdout: '', stderr: expect.stringMatching(/^\S+ has no runs yet\.\n$/) });
  await ask();
  expect(await tailOnce()).toEqual({ code: 0, stdout: expect.stringMatching(logLine), stderr: '' });

  const asJson = await octavo(env, 'integration', 'tail', name, '--once', '--json');
  expect(
    asJson.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    expect.objectContaining({ status: 'success', trace: expect.objectContaining({ logs: [expect.anything()] }) }),
  ]);

  const tail = start(env, 'tail', name);
  await tail.said('published fetch\n');
  await ask();
  await until(() => tail.printed().stdout.split('published fetch\n').length > 2 || undefined);
  tail.child.kill('SIGINT');
  expect(await tail.finished).toMatchObject({ code: 0, stderr: '' });
  expect(tail.printed().stdout.match(/success fetch/g)).toHaveLength(2);
});

test('requires a tunnel for a remote platform, and an integration that the user owns', async () => {
  const { env, folder } = await installIntegration();
  const elsewhere = { ...env, OCTAVO_URL: 'https://docs.example' };

  expect(await octavo(elsewhere, 'integration', 'dev', folder)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--tunnel'),
  });
  const { env: stranger } = await createCommandLine();
  expect(await octavo(stranger, 'integration', 'dev', folder)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^octavo: The integration "sample-/),
  });
});

test('a second signal does not interrupt the cleanup, and a third one does', async () => {
  const { folder, env, name, ask } = await installIntegration();
  for (const signals of [2, 3]) {
    const [asked, goes] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const url = await startRelay(async ({ method }) => {
      if (method !== 'DELETE') return;
      asked.resolve();
      await goes.promise;
    });
    const dev = start({ ...env, OCTAVO_URL: url }, 'dev', folder);
    await dev.said(`Events of ${name} are sent to http://127.0.0.1:`);
    dev.child.kill('SIGINT');
    await asked.promise;
    for (let sent = 1; sent < signals; sent += 1) dev.child.kill(sent === 1 ? 'SIGTERM' : 'SIGHUP');
    if (signals === 2) goes.resolve();
    expect(await dev.finished).toMatchObject(signals === 2 ? { code: 0 } : { signal: expect.stringMatching(/^SIG/) });
    goes.resolve();
    if (signals === 2) expect(await ask()).toBe('published');
  }
});

test('explains the setting and the alternative if the server rejects private addresses', async () => {
  const server = await startOwnPlatform();
  onTestFinished(server.remove);
  const { folder } = await installIntegration();
  const env = { OCTAVO_URL: server.url, OCTAVO_TOKEN: server.token };
  const { organization } = server;
  expect(await octavo(env, 'integration', 'publish', folder, '--organization', organization)).toMatchObject({
    code: 0,
  });

  const { code, stderr } = await octavo(env, 'integration', 'dev', folder);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^octavo: The server does not send events to http:\/\/127\.0\.0\.1:\d+, because /);
  expect(stderr).toContain('OCTAVO_IMPORT_ALLOW_PRIVATE=1');
  expect(stderr).toContain('--tunnel');
  expect(stderr).not.toContain('body.');
});
