import { existsSync, watch } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getBlocks, readDocument, root } from '../docs/documents.ts';
import { edit, makePage } from '../support/content.ts';
import { type Finished, runScript } from '../support/own-platform.ts';
import { platform } from '../support/platform.ts';

let folder: string;

/** The user's Node.js, which can be older than the Node.js of the workspace. */
const installedNode = (process.env.PATH ?? '')
  .split(path.delimiter)
  .filter((each) => !each.includes('node_modules'))
  .map((each) => path.join(each, 'node'))
  .find(existsSync);
const programs = [process.execPath, ...(installedNode === undefined ? [] : [installedNode])];

const run = (args: string[], env: Record<string, string> = {}, program?: string): Promise<Finished> =>
  runScript(args, env, program);

async function expectSuccess(finished: Promise<Finished>): Promise<string> {
  const { code, stdout, stderr } = await finished;
  expect({ code, stderr: code === 0 ? '' : `${stdout}${stderr}` }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

// Installs offline, so the packages must contain everything that they need.
const install = ['install', '--offline', '--no-audit', '--no-fund', '--prefix'];

/** Copies the repository with links to the installed packages, to see that packing changes none of its files. */
async function copyRepository(): Promise<string> {
  const copy = await mkdtemp(path.join(tmpdir(), 'octavo-pack-'));
  const { stdout } = await run(['ls-files', '-co', '--exclude-standard'], {}, 'git');
  for (const file of stdout
    .trim()
    .split('\n')
    .filter((each) => existsSync(path.join(root, each)))) {
    await mkdir(path.dirname(path.join(copy, file)), { recursive: true });
    await copyFile(path.join(root, file), path.join(copy, file));
    const modules = path.join(path.dirname(file), 'node_modules');
    if (path.basename(file) === 'package.json' && existsSync(path.join(root, modules)))
      await symlink(path.join(root, modules), path.join(copy, modules));
  }
  return copy;
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'octavo-packages-'));
  const copy = await copyRepository();
  const folders = ['client', 'cli'].map((name) => path.join(copy, 'packages', name));
  // Packing never changes these folders, so there is nothing to restore after an interruption.
  const changes: string[] = [];
  const watchers = folders.map((each) => watch(each, (_, file) => changes.push(`${each}/${file}`)));
  const printed = await expectSuccess(run(['pack', '--silent', '--pack-destination', folder, ...folders], {}, 'npm'));
  for (const watcher of watchers) watcher.close();
  expect(changes).toEqual([]);
  await rm(copy, { recursive: true, force: true });
  const tarballs = printed
    .trim()
    .split('\n')
    .map((file) => path.join(folder, file));
  await writeFile(path.join(folder, 'package.json'), '{}');
  await expectSuccess(run([...install, folder, ...tarballs], {}, 'npm'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('the packages include all their dependencies', async () => {
  expect(await readdir(path.join(folder, 'node_modules'))).toEqual(['.bin', '.package-lock.json', '@octavo']);
  expect((await readdir(path.join(folder, 'node_modules/@octavo'))).sort()).toEqual(['cli', 'client']);
  const { dependencies } = JSON.parse(
    await readFile(path.join(folder, 'node_modules/@octavo/cli/package.json'), 'utf8'),
  );
  expect(dependencies).toBeUndefined();
});

test.each(programs)('the client and the CLI run a review cycle with %s', async (node) => {
  const { makeSpace, url } = platform();
  const space = await makeSpace();
  const page = await makePage(space, 'Names', 'Text.\n');
  const env = { OCTAVO_URL: url, OCTAVO_TOKEN: space.token };
  const file = path.join(folder, 'review.mjs');
  const guide = readDocument('docs/guides/packages.md');
  const [, , , script = '', printed] = getBlocks(guide, 'sh', 'text', 'sh', 'js', 'text');
  await writeFile(file, script);
  expect(await expectSuccess(run([file, space.id, page], env, node))).toBe(printed);
  expect(await run([file, 'spc_none', page], env, node)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("type: 'not_found'"),
  });

  const octavo = path.join(folder, 'node_modules/.bin/octavo');
  const command = async (...args: string[]) => expectSuccess(run([octavo, ...args], env, node));
  expect(await command('--version')).toBe('0.1.0\n');
  const review = (verb: string, ...args: string[]) => command('change-request', verb, ...args, '--space', space.id);
  const created = await review('create', '--subject', 'Command', '--open', '--json');
  const { id, number } = JSON.parse(created);
  await edit(space, [{ operation: 'update_page', page, document: { markdown: 'Other text.\n' } }], id);
  expect(await review('list')).toContain(`${number}  ${id}  open  Command\n`);
  expect(await review('show', id)).toContain('Created by');
  expect(await review('diff', `${number}`)).toContain('  -Text.\n  +Other text.\n');
  expect(await review('merge', `${number}`)).toContain('Merged change request');
  expect(JSON.parse(await review('show', id, '--json'))).toMatchObject({ status: 'merged' });
});

test.each(programs.slice(-1))('the CLI changes, reviews and exports a folder with %s', async (node) => {
  const { makeSpace, url } = platform();
  const space = await makeSpace();
  const env = { OCTAVO_URL: url, OCTAVO_TOKEN: space.token };
  const octavo = path.join(folder, 'node_modules/.bin/octavo');
  const command = async (...args: string[]) => expectSuccess(run([octavo, ...args], env, node));
  const onSpace = ['--space', space.id];
  const docs = await mkdtemp(path.join(folder, 'docs-'));
  await writeFile(path.join(docs, 'README.md'), '# Home\n\nOne.\n');
  expect(await command('sync', docs, ...onSpace, '--from', 'repository')).toContain('merged');
  await writeFile(path.join(docs, 'README.md'), '# Home\n\nTwo.\n');
  expect(await command('sync', docs, ...onSpace, '--review')).toContain('Change request 2: open.');
  expect(await command('change-request', 'diff', '2', ...onSpace)).toContain('  -One.\n  +Two.\n');
  expect(await command('change-request', 'merge', '2', ...onSpace)).toContain('Merged change request 2');
  expect(await command('import', docs, ...onSpace)).toContain('1 unchanged');
  const exported = path.join(docs, 'exported');
  expect(await command('export', space.id, exported)).toContain('Wrote 1 pages');
  expect(await readFile(path.join(exported, 'README.md'), 'utf8')).toBe('# Home\n\nTwo.\n');
});

test('a strict TypeScript project accepts the types of the packages', async () => {
  await writeFile(path.join(folder, 'typed.mts'), typed);
  const compilerOptions = {
    ...{ strict: true, noEmit: true, exactOptionalPropertyTypes: true, skipLibCheck: false },
    ...{ module: 'nodenext', target: 'es2023', lib: ['es2023', 'dom'], types: [] },
  };
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['typed.mts'] }));
  expect(await expectSuccess(run(['node_modules/typescript/bin/tsc', '-p', folder]))).toBe('');
});

const typed = `
import { octavo as run } from '@octavo/cli';
import { ApiError, type ChangeRequest, createClient, paginate, type ScriptEvent } from '@octavo/client';

export const code: Promise<number> = run(['spaces'], { env: {}, stdout: { write() {} }, stderr: { write() {} } });
const octavo = createClient({ url: 'https://octavo.example.com' });
const params = { spaceId: 'spc_x' };
export const made: ChangeRequest = await octavo.createChangeRequest({ params, body: { subject: 'A change' } });
for await (const { number, status } of paginate((page) => octavo.listChangeRequestsForSpace({ params, query: { page } })))
  console.log(number.toFixed(), status === 'merged');
export const conflicts = (error: unknown) => (error instanceof ApiError ? error.conflicts?.map(({ field }) => field) : []);
export const event: ScriptEvent = { eventId: 'evt_x', type: 'an_event', more: 1 };
// @ts-expect-error The path has no such parameter.
void octavo.createChangeRequest({ params: { space: 'spc_x' } });
// @ts-expect-error The body has no such operation.
void octavo.updateSpaceContent({ params, body: { changes: [{ operation: 'paint_page' }] } });
`;

test('the CLI uses only functions available in Node.js 20', async () => {
  const args = ['node_modules/typescript/bin/tsc', '-p', 'scripts/packages/tsconfig.json', '--singleThreaded'];
  expect(await expectSuccess(run(args))).toBe('');
});
