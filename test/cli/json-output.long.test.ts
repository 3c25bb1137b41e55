import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readDocument } from '../docs/documents.ts';
import { edit, json } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { createCommandLine, createTemporaryFolder, listUsages, octavo, writeTree } from './octavo.ts';

const specification = JSON.stringify({ openapi: '3.1.0', info: { title: 'Pets', version: '1' }, paths: {} });

// These commands run until a signal, or replace the installation. They print results with the same code as the others.
const untested = ['installation import', 'integration dev', 'webhook listen', 'upgrade', 'rollback'];

/** Returns the description of a command's JSON output from its help, and the fields that the description names. */
async function describeJson(name: string) {
  const { stdout } = await octavo({}, ...name.split(' '), '--help');
  const text = /^ {2}--json +Print (JSON.+)\.$/m.exec(stdout)?.[1] ?? '';
  const fields = text.split(' with ')[1]?.split(', ') ?? [];
  return { text, isList: text.startsWith('JSON: a list'), isLines: text.includes('per line'), fields };
}

/** Creates content, and returns the arguments of each command for a successful call, in the order of the calls. */
async function makeCases() {
  const { env, organization, token } = await createCommandLine();
  const folder = await writeTree({ 'README.md': '# Home\n', 'guide.md': '# Guide\n', 'api.json': specification });
  const scratch = await createTemporaryFolder();
  const { id: space } = await json<{ id: string }>(`/v1/orgs/${organization}/spaces`, {
    token,
    body: { title: 'One' },
  });
  const changeRequest = await json<{ id: string }>(`/v1/spaces/${space}/change-requests`, { token, body: {} });
  const changes = [{ operation: 'insert_page', title: 'New', document: { markdown: 'Text.\n' } }];
  await edit({ id: space, token }, changes, changeRequest.id);
  const url = 'https://receiver.example.com/';
  const webhook = await json<{ id: string }>(`/v1/orgs/${organization}/webhooks`, {
    token,
    body: { url, events: ['space.created'] },
  });
  const name = `sample-${randomUUID().slice(0, 8)}`;
  const getScratchPath = (file: string) => path.join(scratch, file);
  const email = `${name}@example.test`;
  const cases: Record<string, string[]> = {
    login: ['--url', platform().url, '--token', token],
    spaces: [],
    import: [folder, '--space', space],
    export: [space, getScratchPath('exported')],
    sync: [folder, '--space', space, '--from', 'repository'],
    publish: [folder, '--site', 'Docs'],
    'openapi publish': [path.join(folder, 'api.json'), '--slug', name],
    'change-request create': ['--space', space, '--subject', 'A change'],
    'change-request list': ['--space', space, '--status', 'draft'],
    'change-request show': [changeRequest.id, '--space', space],
    'change-request diff': [changeRequest.id, '--space', space],
    'change-request merge': [changeRequest.id, '--space', space],
    'integration init': [getScratchPath(name)],
    'integration publish': [getScratchPath(name)],
    'integration tail': [name, '--once'],
    'integration unpublish': [name],
    'webhook list': [],
    'webhook test': [webhook.id],
    'webhook deliveries': [webhook.id],
    completion: ['bash'],
    token: ['--email', email],
    'login-link': ['--email', email],
    'admin create': ['--email', email, '--organization', name],
    health: [],
    'dead-letters': [],
    'dead-letters retry': ['--all'],
    'dead-letters delete': ['--all'],
    'installation export': [getScratchPath('installation')],
    'installation resume': [],
    jobs: [],
    'jobs replay': ['--all'],
    metrics: [],
    doctor: ['--data'],
    'search rebuild': [space],
    backup: [getScratchPath('backup')],
    restore: [getScratchPath('backup')],
  };
  const operatorEnv = { OCTAVO_DATA: platform().dataDir };
  const getEnv = (command: string) =>
    command === 'restore'
      ? { OCTAVO_DATA: getScratchPath('restored') }
      : { ...env, ...operatorEnv, OCTAVO_CONFIG: getScratchPath('config.json') };
  return { cases, getEnv };
}

test('every command prints the documented JSON to standard output, and nothing else', async () => {
  const { cases, getEnv } = await makeCases();
  expect([...Object.keys(cases), ...untested].sort()).toEqual([...(await listUsages()).keys()].sort());
  const reference = readDocument('docs/reference/cli.md').split('\n');
  for (const name of untested) expect(reference).toContain(`| \`${name}\` | ${(await describeJson(name)).text} |`);
  for (const [name, args] of Object.entries(cases)) {
    const { text, isList, isLines, fields } = await describeJson(name);
    expect(reference).toContain(`| \`${name}\` | ${text} |`);
    const { stdout, stderr } = await octavo(getEnv(name), ...name.split(' '), ...args, '--json');
    if (isLines && stdout === '') continue;
    const printed: unknown = JSON.parse(stdout === '' ? `"${name}: ${stderr}"` : stdout);
    expect(Array.isArray(printed), `${name}: ${stdout}${stderr}`).toBe(isList);
    const required = fields.filter((field) => !field.endsWith('?'));
    for (const each of [printed].flat())
      expect(Object.keys(each as object), name).toEqual(expect.arrayContaining(required));
  }
});
