import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readDocument } from '../docs/documents.ts';
import { platform } from '../support/platform.ts';
import { createCommandLine, createTemporaryFolder, listUsages, octavo, writeTree } from './octavo.ts';

/** Returns an environment without a configured server. */
async function createEmptyEnvironment(): Promise<Record<string, string>> {
  const folder = await createTemporaryFolder();
  const OCTAVO_CONFIG = path.join(folder, 'config', 'config.json');
  return { OCTAVO_URL: '', OCTAVO_TOKEN: '', OCTAVO_DATA: path.join(folder, 'data'), OCTAVO_CONFIG };
}

test.each([
  ['the command is unknown', ['frobnicate'], 'Unknown command frobnicate'],
  ['the command has the name of an object method', ['toString'], 'Unknown command toString'],
  ['an option is unknown', ['spaces', '--nope'], "Unknown option '--nope'"],
  ['an option lacks its value', ['import', 'x', '--space'], "Option '--space <value>' argument missing"],
  ['an argument is missing', ['export', 'spc_x'], 'Usage: octavo export <space> <folder>'],
  ['there is an additional argument', ['spaces', 'x'], 'Usage: octavo spaces'],
  ['the space is missing', ['import', 'x'], '--space is required'],
  [
    'a role is given without an organization',
    ['token', '--email', 'a@example.test', '--role', 'edit'],
    '--organization and --role must be used together',
  ],
  ['the user of a token is missing', ['token'], '--email is required'],
  ['a login lacks its token', ['login', '--url', 'http://127.0.0.1:1'], '--url and --token are required'],
])('prints one sentence and exits with 2 if %s', async (_, args, sentence) => {
  const { code, stdout, stderr } = await octavo(await createEmptyEnvironment(), ...args);
  expect(stderr).toContain(`octavo: ${sentence}`);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
});

test('help lists every command on standard output', async () => {
  const { code, stdout, stderr } = await octavo(await createEmptyEnvironment(), '--help');
  for (const name of ['login', 'spaces', 'import', 'export', 'token']) expect(stdout).toContain(`octavo ${name} `);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const one = await octavo(await createEmptyEnvironment(), 'import', '--help');
  expect(one).toMatchObject({ code: 0, stdout: expect.stringContaining('--space <id|new>'), stderr: '' });
});

test('the help of each command explains every option, and the reference contains its usage', async () => {
  const usages = await listUsages();
  expect([...usages.keys()]).toEqual(expect.arrayContaining(['login', 'webhook list', 'search rebuild']));
  const reference = readDocument('docs/reference/cli.md').split('\n');
  for (const [name, usage] of usages) {
    const { code, stdout, stderr } = await octavo(await createEmptyEnvironment(), ...name.split(' '), '--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`\n  ${usage}\n`);
    const options = [...usage.matchAll(/--[a-z-]+/g), ['--help']].map(([option]) => option);
    const explained = [...stdout.matchAll(/^ {2}(--[a-z-]+).*? {2}[A-Z].+\.$/gm)].map(([, option]) => option);
    expect(explained).toEqual(options);
    expect(reference).toContain(usage);
  }
});

test('prints the version', async () => {
  const { version } = JSON.parse(readDocument('packages/cli/package.json'));
  expect(await octavo(await createEmptyEnvironment(), '--version')).toEqual({
    code: 0,
    stdout: `${version}\n`,
    stderr: '',
  });
});

test('without a server, explains how to name one', async () => {
  const { code, stderr } = await octavo(await createEmptyEnvironment(), 'spaces');
  expect(stderr).toMatch(/^octavo: You are not logged in\. Run `octavo login [^\n]+\n$/);
  expect(code).toBe(1);
});

test.each([{ OCTAVO_URL: 'http://127.0.0.1:1' }, { OCTAVO_TOKEN: 'x' }])(
  'reports the missing setting if only %o is set',
  async (half) => {
    const { code, stdout, stderr } = await octavo({ ...(await createEmptyEnvironment()), ...half }, 'spaces');
    expect(stderr).toBe('octavo: OCTAVO_URL and OCTAVO_TOKEN must be set together.\n');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  },
);

test('reports an unknown token', async () => {
  const { code, stderr } = await octavo({ OCTAVO_URL: platform().url, OCTAVO_TOKEN: 'oct_made_up' }, 'spaces');
  expect(stderr).toMatch(/^octavo: The server rejected the request: [^\n]+\(request \S+\)\n$/);
  expect(code).toBe(1);
});

test('reports a missing folder, and a folder without markdown', async () => {
  const { octavo } = await createCommandLine();
  const empty = await writeTree({ 'a.txt': 'a' });
  for (const [folder, sentence] of [
    [path.join(empty, 'missing'), 'The folder or archive'],
    [empty, 'contains no markdown files'],
    [path.join(empty, 'a.txt'), 'is not a readable zip archive'],
  ] as const) {
    const { code, stderr } = await octavo('import', folder, '--space', 'new');
    expect(stderr).toContain(sentence);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(code).toBe(1);
  }
});

test('spaces lists organizations with their spaces, as text and as JSON', async () => {
  const { octavo, organization } = await createCommandLine();
  const folder = await writeTree({ 'a.md': 'a' });
  await octavo('import', folder, '--space', 'new', '--title', 'First "one"');
  await octavo('import', folder, '--space', 'new', '--title', 'Second', '--organization', organization);
  const json = await octavo('spaces', '--json');
  const [only, ...others] = JSON.parse(json.stdout);
  expect(others).toEqual([]);
  expect(only).toMatchObject({ id: organization, title: 'An organization' });
  const spaces: { id: string; title: string }[] = only.spaces;
  expect(spaces.map(({ title }) => title).sort()).toEqual(['First "one"', 'Second']);
  const text = await octavo('spaces');
  expect(text).toMatchObject({ code: 0, stderr: '' });
  for (const { id, title } of spaces) expect(text.stdout).toContain(`  ${id}  ${title}\n`);
});

test('stores a login for later commands, readable only by its owner', async () => {
  const { token } = await createCommandLine();
  const env = await createEmptyEnvironment();
  const { code, stdout } = await octavo(env, 'login', '--url', `${platform().url}/v1/`, '--token', token);
  expect(stdout).toContain('as A tester');
  expect(stdout).not.toContain(token);
  expect(code).toBe(0);
  expect((await stat(env.OCTAVO_CONFIG ?? '')).mode & 0o777).toBe(0o600);
  expect((await octavo(env, 'spaces')).stdout).toContain('An organization');

  const refused = await octavo(env, 'login', '--url', platform().url, '--token', 'wrong');
  expect(refused.code).toBe(1);
  expect(await readFile(env.OCTAVO_CONFIG ?? '', 'utf8')).toContain(token);
  await writeFile(env.OCTAVO_CONFIG ?? '', '{');
  expect((await octavo(env, 'spaces')).stderr).toMatch(
    /^octavo: The file \S+ must contain a url and a token\. Log in again\.\n$/,
  );
});
