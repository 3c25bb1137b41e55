import { expect, test } from 'vitest';
import { edit, makePage } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { octavo as octavoAs } from './octavo.ts';

async function reviewed() {
  const space = await platform().makeSpace();
  const page = await makePage(space, 'Names', 'One.\n\nTwo.\n');
  const env = { OCTAVO_URL: platform().url, OCTAVO_TOKEN: space.token };
  const octavo = (verb: string, ...args: string[]) =>
    octavoAs(env, 'change-request', verb, ...args, '--space', space.id);
  const created = await octavo('create', '--subject', 'A better name', '--description', 'The old one is *wrong*.');
  const id = /cr_\w+/.exec(created.stdout)?.[0] ?? '';
  expect(created).toEqual({ code: 0, stdout: `1  ${id}  draft  A better name\n`, stderr: '' });
  const change = (change: object) => edit(space, [{ operation: 'update_page', page, ...change }], id);
  return { space, page, octavo, id, change };
}

test('creates, lists, shows, compares and merges a change request, by number and id', async () => {
  const { octavo, id, change, page } = await reviewed();
  await change({ title: 'My names', document: { markdown: 'One.\n\nThree.\n' } });

  expect((await octavo('list')).stdout).toBe('There are no change requests.\n');
  expect((await octavo('list', '--status', 'draft')).stdout).toBe(`1  ${id}  draft  A better name\n`);
  for (const name of ['1', id]) {
    const { stdout } = await octavo('show', name);
    expect(stdout).toMatch(/^1 {2}cr_\w+ {2}draft {2}A better name\nCreated by A tester at \S+Z\. 0 comments\.\n/);
    expect(stdout).toContain('\n\nThe old one is *wrong*.\n\nhttp');
  }
  expect((await octavo('diff', '1')).stdout.split('\n')).toEqual([
    expect.stringMatching(/^page edited: My names \(\S+\)$/),
    '  title: Names -> My names',
    expect.stringMatching(/^ {2}@@ .+ @@$/),
    '   One.',
    '   ',
    '  -Two.',
    '  +Three.',
    '',
  ]);
  expect(await octavo('merge', '1')).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^Merged change request 1 as revision rev_\w+\.\n$/),
    stderr: '',
  });
  const listed = JSON.parse((await octavo('list', '--status', 'merged', '--json')).stdout);
  expect(listed).toMatchObject([{ id, number: 1, status: 'merged' }]);
  expect(page).toBeTruthy();
});

test('a merge that conflicts names the conflicts and exits with 1', async () => {
  const { octavo, space, page, change } = await reviewed();
  await change({ title: 'Mine' });
  await edit(space, [{ operation: 'update_page', page, title: 'Theirs' }]);

  const { code, stdout, stderr } = await octavo('merge', '1');
  expect({ code, stdout }).toEqual({
    code: 1,
    stdout: 'Change request 1 conflicts with the live content. Nothing was merged.\n',
  });
  expect(stderr).toMatch(/^conflict: title of \w+: .+\n$/);
});

test('opens a change request at once, and says what is missing or unknown', async () => {
  const { octavo } = await reviewed();
  expect((await octavo('create', '--subject', 'Another', '--open')).stdout).toMatch(
    /^2 {2}cr_\w+ {2}open {2}Another\n$/,
  );
  expect((await octavo('list')).stdout).toContain('Another');
  expect(await octavo('create')).toMatchObject({ code: 2, stderr: 'octavo: --subject is required.\n' });
  expect(await octavo('list', '--status', 'x')).toMatchObject({
    code: 2,
    stderr: 'octavo: --status must be one of draft, open, archived, merged.\n',
  });
  expect(await octavo('show', '77')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no change request 77'),
  });
  expect(await octavo('show', 'cr_none')).toMatchObject({ code: 1, stderr: expect.stringContaining('not found') });
  const env = { OCTAVO_URL: platform().url, OCTAVO_TOKEN: 'x' };
  expect(await octavoAs(env, 'change-request', 'list')).toMatchObject({
    code: 2,
    stderr: 'octavo: --space is required. Pass the id of a space.\n',
  });
});
