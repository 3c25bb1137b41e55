import { expect, test } from 'vitest';
import { createPublishedSite } from '../publishing/resolution/site-world.ts';
import { edit, json, makePage } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { octavo as octavoAs } from './octavo.ts';

async function createChangeRequest() {
  const organization = await platform().makeOrganization();
  const space = await platform().makeSpace({ organization });
  const page = await makePage(space, 'Names', 'One.\n\nTwo.\n');
  const env = { OCTAVO_URL: platform().url, OCTAVO_TOKEN: space.token };
  const octavo = (verb: string, ...args: string[]) =>
    octavoAs(env, 'change-request', verb, ...args, '--space', space.id);
  const created = await octavo('create', '--subject', 'A better name', '--description', 'The old one is *wrong*.');
  const id = /cr_\w+/.exec(created.stdout)?.[0] ?? '';
  expect(created).toEqual({ code: 0, stdout: `1  ${id}  draft  A better name\n`, stderr: '' });
  const change = (change: object) => edit(space, [{ operation: 'update_page', page, ...change }], id);
  return { organization, space, page, octavo, id, change };
}

test('creates, lists, shows, compares and merges a change request, by number and id', async () => {
  const { octavo, id, change, page } = await createChangeRequest();
  await change({ title: 'My names', document: { markdown: 'One.\n\nThree.\n' } });

  expect((await octavo('list')).stdout).toBe('There are no change requests.\n');
  expect((await octavo('list', '--status', 'draft')).stdout).toBe(`1  ${id}  draft  A better name\n`);
  for (const name of ['1', '#1', id]) {
    const { stdout } = await octavo('show', name);
    expect(stdout).toMatch(/^1 {2}cr_\w+ {2}draft {2}A better name\nCreated by A tester at \S+Z\. 0 comments\.\n/);
    expect(stdout).toMatch(/\n\nThe old one is \*wrong\*\.\n\n$/);
  }
  expect((await octavo('diff', '#1')).stdout.split('\n')).toEqual([
    'page edited: My names (names)',
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

test('lists the conflicts and exits with 1 if a merge conflicts', async () => {
  const { octavo, space, page, change } = await createChangeRequest();
  await change({ title: 'Mine' });
  await edit(space, [{ operation: 'update_page', page, title: 'Theirs' }]);

  const { code, stdout, stderr } = await octavo('merge', '1');
  expect({ code, stdout }).toEqual({
    code: 1,
    stdout: 'Change request 1 conflicts with the live content. Nothing was merged.\n',
  });
  const [conflict, resolve, retry] = stderr.split('\n');
  expect(conflict).toMatch(/^conflict: title of Mine \(names\): .+$/);
  const url = /POST (http\S+)\/update\. Then resolve each conflict: POST \1\/content/.exec(resolve ?? '')?.[1] ?? '';
  expect(retry).toContain('Run octavo change-request merge 1 again afterwards.');

  const post = (at: string, body: object) => json(`${new URL(url).pathname}/${at}`, { token: space.token, body });
  await post('update', {});
  expect(await octavo('merge', '1')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('title of Mine (names)'),
  });
  await post('content', { changes: [{ operation: 'resolve', page, field: 'title', keep: 'mine' }] });
  expect(await octavo('merge', '#1')).toMatchObject({ code: 0, stderr: '' });
});

test('prints the preview URL of a site, and the preview shows the change', async () => {
  const { organization, space, octavo, change } = await createChangeRequest();
  await change({ document: { markdown: 'Of the preview.\n' } });
  await createPublishedSite({ organization, spaces: [space.id], visibility: 'public' });

  const { stdout } = await octavo('show', '1');
  const [, address = ''] = /^Preview, for an hour: (http\S+)$/m.exec(stdout) ?? [];
  const response = await fetch(address, { redirect: 'manual' });
  await response.body?.cancel();
  const cookie = response.headers
    .getSetCookie()
    .map((each) => each.split(';', 1)[0])
    .join('; ');
  const page = await fetch(new URL(response.headers.get('location') ?? '', address), { headers: { cookie } });

  expect(page.status).toBe(200);
  expect(await page.text()).toContain('Of the preview.');
});

test('can open a change request at creation, and reports missing and unknown options', async () => {
  const { octavo } = await createChangeRequest();
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
  expect(await octavo('show', 'cr_none')).toMatchObject({ code: 1, stderr: expect.stringContaining('cr_none') });
  const env = { OCTAVO_URL: platform().url, OCTAVO_TOKEN: 'x' };
  expect(await octavoAs(env, 'change-request', 'list')).toMatchObject({
    code: 2,
    stderr: 'octavo: --space is required. Pass the id of a space.\n',
  });
});
