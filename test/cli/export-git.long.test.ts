import { execFile } from 'node:child_process';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { edit, json, makePage } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { octavo } from './octavo.ts';
import { SyncedRepository } from './synced-repository.ts';

const run = promisify(execFile);
const summary = '# Table of contents\n\n* [Home](README.md)\n* [Guide](guide.md)\n* [Old](old.md)\n';
const docs = {
  'docs/SUMMARY.md': summary,
  'docs/README.md': '# Home\n',
  'docs/guide.md': '# Guide\r\n',
  'docs/old.md': '# Old\n\n![p](p.svg)\n',
  'docs/p.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>\n',
};
const others = { 'src/program.js': 'not of the docs\n', 'docs/notes.txt': 'nor this\n' };

async function importBook() {
  const space = await platform().makeSpace();
  const env = { OCTAVO_URL: platform().url, OCTAVO_TOKEN: space.token };
  const repository = await SyncedRepository.make({ ...docs, ...others });
  const folder = path.join(repository.clone, 'docs');
  await octavo(env, 'import', folder, '--space', space.id);
  const exportTo = (at: string) => octavo(env, 'export', space.id, at, '--git');
  const findPageId = async (at: string) =>
    (await json<{ id: string }>(`/v1/spaces/${space.id}/content/path/${at}`, { token: space.token })).id;
  const setVariables = (variables: object) =>
    json(`/v1/spaces/${space.id}/content`, {
      token: space.token,
      body: { changes: [{ operation: 'set_variables', variables }] },
    });
  const countCommits = async () => Number(await repository.git('rev-list', '--count', 'HEAD'));
  const showLastCommit = () => repository.git('show', '--name-status', '--format=%an <%ae>%n%B', 'HEAD');
  return {
    space,
    env,
    repository,
    folder,
    exportTo,
    pageAt: findPageId,
    setVariables,
    commits: countCommits,
    committed: showLastCommit,
  };
}

test('an export creates one commit with the differences, including deletions, and leaves files that were never imported', async () => {
  const { space, repository, folder, exportTo, pageAt, setVariables, commits, committed } = await importBook();
  const hook = path.join(repository.clone, '.git/hooks/post-merge');
  await writeFile(hook, '#!/bin/sh\ntouch hooked\n');
  await chmod(hook, 0o755);
  expect(await exportTo(folder)).toMatchObject({ code: 0, stdout: 'No changes.\n' });
  expect(await commits()).toBe(1);

  await edit(space, [
    { operation: 'update_page', page: await pageAt('guide'), document: { markdown: '# Guide\n\nEdited.\n' } },
    { operation: 'delete_page', page: await pageAt('old') },
  ]);
  await setVariables({ product: 'Kettle' });
  await makePage(space, 'New', '# New\n');
  const first = await exportTo(folder);
  expect(first, first.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/ \(4 written, 1 removed\)\n$/) });
  const log = await committed();
  expect(log).toMatch(
    /^Ann <ann@example\.com>\n.+: revision rev_\w+\n\nOctavo-Space: spc_\w+\nOctavo-Revision: rev_\w+$/m,
  );
  expect(log.split('\n').filter((line) => /^[AMD]\t/.test(line))).toEqual([
    'A\tdocs/.gitbook/vars.yaml',
    'M\tdocs/SUMMARY.md',
    'M\tdocs/guide.md',
    'A\tdocs/new.md',
    'D\tdocs/old.md',
  ]);
  expect(await repository.git('status', '--porcelain')).toBe('');
  expect(await repository.git('for-each-ref', 'refs/sync')).toBe('');
  expect(await readFile(path.join(folder, 'SUMMARY.md'), 'utf8')).toBe(
    `${summary.replace('* [Old](old.md)\n', '')}* [New](new.md)\n`,
  );
  expect((await exportTo(folder)).stdout).toBe('No changes.\n');

  await writeFile(path.join(folder, 'new.md'), '# New\n\nOf git.\n');
  await repository.git('commit', '-qam', 'Edit');
  await edit(space, [
    { operation: 'delete_page', page: await pageAt('new') },
    { operation: 'delete_page', page: await pageAt('guide') },
  ]);
  await setVariables({ product: null });
  const second = await exportTo(folder);
  expect(second.stderr).toContain(
    'warning: new.md: Kept, because it was deleted in the space but changed in the repository',
  );
  expect((await committed()).split('\n').filter((line) => /^[AMD]\t/.test(line))).toEqual([
    'M\tdocs/.gitbook/vars.yaml',
    'M\tdocs/SUMMARY.md',
    'D\tdocs/guide.md',
  ]);
});

test('merges changes of the repository, keeps them, or reports conflicts', async () => {
  const { space, repository, folder, exportTo, pageAt, commits } = await importBook();
  const createLines = (...some: string[]) => `${some.join('\n\n')}\n`;
  const write = async (files: Record<string, string>) => {
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
    await repository.git('commit', '-qam', 'Edit');
  };
  const set = async (at: string, change: object) =>
    edit(space, [{ operation: 'update_page', page: await pageAt(at), ...change }]);
  await set('README', { description: 'Said' });
  await set('guide', { document: { markdown: createLines('# Guide', 'Of Octavo.') } });
  await write({
    'README.md': createLines('# Home', 'Of git.'),
    'old.md': createLines('# Old', '![p](p.svg)', 'Of git.'),
  });
  const first = await exportTo(folder);
  expect(first, first.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('(2 written, 0 removed)') });
  expect(first.stderr).toContain(
    'warning: README.md: Changed in both the repository and the space, and merged by git.',
  );
  expect(first.stderr).toContain('warning: old.md: Kept, because it changed in the repository but not in the space.');
  const home = `---\ndescription: Said\n---\n\n${createLines('# Home', 'Of git.')}`;
  expect(await readFile(path.join(folder, 'README.md'), 'utf8')).toBe(home);

  await write({ 'guide.md': createLines('# Guide', 'Of git.') });
  await set('guide', { document: { markdown: createLines('# Guide', 'Of Octavo again.') } });
  await set('old', { document: { markdown: createLines('# Older', '![p](p.svg)') } });
  const second = await exportTo(folder);
  expect(second).toMatchObject({ code: 1, stdout: expect.stringContaining('(2 written, 0 removed)') });
  expect(second.stderr).toContain(
    'failed: guide.md: Not written, because it changed in both the repository and the space',
  );
  expect(await readFile(path.join(folder, 'old.md'), 'utf8')).toBe(createLines('# Older', '![p](p.svg)', 'Of git.'));
  expect(await readFile(path.join(folder, 'guide.md'), 'utf8')).toBe(createLines('# Guide', 'Of git.'));
  expect(await readFile(path.join(folder, 'README.md'), 'utf8')).toBe(home);
  const count = await commits();
  expect(await exportTo(folder)).toMatchObject({ code: 1, stdout: 'No changes.\n' });
  expect(await commits()).toBe(count);
});

test('an import after an export makes both sides equal, and a text reverted in the repository stays reverted', async () => {
  const { space, env, repository, folder, exportTo, pageAt } = await importBook();
  const file = path.join(folder, 'guide.md');
  const former = '# Guide\n\nEdited.\n';
  await edit(space, [{ operation: 'update_page', page: await pageAt('guide'), document: { markdown: former } }]);
  expect((await exportTo(folder)).code).toBe(0);
  await writeFile(file, '# Guide\n\nEdited anew.\n');
  await repository.git('commit', '-qam', 'Anew');
  expect((await octavo(env, 'import', folder, '--space', space.id)).code).toBe(0);
  await writeFile(file, former);
  await repository.git('commit', '-qam', 'Back');

  expect(await exportTo(folder)).toMatchObject({ stderr: expect.stringContaining('guide.md') });

  expect(await readFile(file, 'utf8')).toBe(former);
});

test('refuses a dirty work tree or detached head, and commits to a bare repository', async () => {
  const { space, env, repository, folder, exportTo, commits } = await importBook();
  await makePage(space, 'Loose', '# Loose\n');
  await writeFile(path.join(folder, 'loose.md'), 'not committed\n');
  expect(await exportTo(folder)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/octavo: docs\/loose\.md exists but is not committed\. Nothing was written\.\n$/),
  });
  await rm(path.join(folder, 'loose.md'));
  await writeFile(path.join(folder, 'guide.md'), 'not committed\n');
  expect(await exportTo(folder)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('uncommitted changes: M docs/guide.md'),
  });
  await repository.git('checkout', '-q', '--', '.');
  await repository.git('checkout', '-q', '--detach');
  expect(await exportTo(folder)).toMatchObject({ code: 1, stderr: expect.stringContaining('is not on a branch') });
  await repository.git('checkout', '-q', 'main');
  expect(await commits()).toBe(1);
  for (const [at, why] of [
    [path.join(folder, 'none'), 'does not exist'],
    [path.dirname(repository.clone), 'is not in a git repository'],
  ] as const)
    expect(await exportTo(at)).toMatchObject({ code: 1, stderr: expect.stringContaining(why) });
  expect(await octavo(env, 'export', space.id, folder, '--git', '--force')).toMatchObject({ code: 2 });

  const { bare } = await SyncedRepository.make({ 'SUMMARY.md': '* [T](taken.md)\n', 'taken.md': '# Taken\n' });
  const whole = await platform().makeSpace();
  await makePage(whole, 'Taken', '# Of Octavo\n');
  await makePage(whole, 'Own', '# Own\n');
  const token = { OCTAVO_URL: platform().url, OCTAVO_TOKEN: whole.token };
  const { code, stdout, stderr } = await octavo(token, 'export', whole.id, bare, '--git');
  expect({ code, stdout }).toMatchObject({ code: 1, stdout: expect.stringContaining('(1 written, 0 removed)') });
  for (const each of ['taken.md', 'SUMMARY.md'])
    expect(stderr).toContain(`failed: ${each}: Not written, because ${each} exists and is not from this space.`);
  const { stdout: files } = await run('git', ['-C', bare, 'ls-tree', '-r', '--name-only', 'main']);
  expect(files).toBe('SUMMARY.md\nown.md\ntaken.md\n');
});
