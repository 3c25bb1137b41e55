import { expect, test } from 'vitest';
import { edit, json, makePage } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { createTemporaryFolder, octavo, readMarkdown } from './octavo.ts';
import { SyncedRepository } from './synced-repository.ts';

const summary = '# Table of contents\n\n* [Home](README.md)\n* [Guide](guide.md)\n';
const files = {
  'SUMMARY.md': summary,
  'README.md': '# Home\n\nOne.\n\nTwo.\n\nThree.\n',
  'guide.md': '# Guide\n\nGuided.\n',
  'src/program.js': 'not of the docs\n',
};

async function createSyncedSpace() {
  const space = await platform().makeSpace();
  const env = { OCTAVO_URL: platform().url, OCTAVO_TOKEN: space.token };
  const repository = await SyncedRepository.make(files);
  const command = (...args: string[]) => octavo(env, ...args);
  const sync = (...args: string[]) => command('sync', repository.bare, '--space', space.id, ...args);
  const exportFolder = async () => {
    const out = await createTemporaryFolder();
    expect(await command('export', space.id, out)).toMatchObject({ code: 0 });
    return readMarkdown(out);
  };
  const readPage = (at: string) =>
    json<{ id: string; markdown: string }>(`/v1/spaces/${space.id}/content/path/${at}`, { token: space.token });
  const write = async (at: string, markdown: string) =>
    edit(space, [{ operation: 'update_page', page: (await readPage(at)).id, document: { markdown } }]);
  const first = await sync();
  expect(first, first.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('merged') });
  return { space, repository, sync, exported: exportFolder, pageAt: readPage, write };
}

test('syncs commits and edits in both directions, and preserves unchanged files byte for byte', async () => {
  const { space, repository, sync, exported, pageAt, write } = await createSyncedSpace();
  expect(await repository.readFiles()).toEqual(files);
  expect((await sync()).stdout).toBe('No changes.\n');

  const home = await pageAt('README');
  await write('README', '# Home\n\nOne.\n\nTwo.\n\nThree of Octavo.\n');
  await makePage(space, 'New page', 'Made in Octavo.\n');
  await repository.git('mv', 'guide.md', 'handbook.md');
  await repository.commit(
    {
      'README.md': '# Home\n\nOne of git.\n\nTwo.\n\nThree.\n',
      'SUMMARY.md': summary.replace('guide.md', 'handbook.md'),
    },
    'Rename the guide',
  );
  const guide = await pageAt('guide');
  const both = await sync();
  expect(both, both.stderr).toMatchObject({ code: 0 });
  const now = await repository.readFiles();
  expect(now).toMatchObject({
    'README.md': '# Home\n\nOne of git.\n\nTwo.\n\nThree of Octavo.\n',
    'handbook.md': '# Guide\n\nGuided.\n',
    'new-page.md': '# New page\n\nMade in Octavo.\n',
    'SUMMARY.md': `${summary.replace('guide.md', 'handbook.md')}* [New page](new-page.md)\n`,
    'src/program.js': 'not of the docs\n',
  });
  expect(now).not.toHaveProperty('guide.md');
  expect((await pageAt('guide')).id).toBe(guide.id);
  expect((await pageAt('README')).id).toBe(home.id);
  const { 'src/program.js': _, ...docs } = now;
  expect(await exported()).toEqual(docs);

  await repository.commit({ 'new-page.md': null, 'SUMMARY.md': summary.replace('guide.md', 'handbook.md') }, 'Remove');
  expect(await sync()).toMatchObject({ code: 0 });
  expect(Object.keys(await exported()).sort()).toEqual(['README.md', 'SUMMARY.md', 'handbook.md']);
});

test('conflicting changes become a change request, and the rest is synced', async () => {
  const { space, repository, sync, exported, write } = await createSyncedSpace();
  await write('README', '# Home\n\nOne.\n\nTwo of Octavo.\n\nThree.\n');
  await repository.commit(
    { 'README.md': '# Home\n\nOne.\n\nTwo of git.\n\nThree.\n', 'guide.md': '# Guide\n\nGuided by git.\n' },
    'Both',
  );
  const { code, stdout, stderr } = await sync();
  const said =
    'conflict: page Home: document: changed in Octavo and in the repository in 1 location(s) (README.md, in Octavo /README)';
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(said) });
  const number = /Change request (\d+): conflicts/.exec(stdout)?.[1];
  const now = await repository.readFiles();
  expect(now['README.md']).toContain('Two of Octavo.');
  expect(now['guide.md']).toContain('Guided by git.');
  expect((await exported())['guide.md']).toContain('Guided by git.');
  const held = `/v1/spaces/${space.id}/change-requests/${number}`;
  const page = await json<{ id: string; markdown: string }>(`${held}/content/path/README`, { token: space.token });
  expect(page.markdown).toMatch(/Two of git\.[\s\S]*Two of Octavo\./);
  expect((await sync()).stdout).toBe('No changes.\n');

  const changes = [{ operation: 'update_page', page: page.id, document: { markdown: '# Home\n\nBoth.\n' } }];
  await json(`${held}/content`, { token: space.token, body: { changes } });
  await json(`${held}/merge`, { token: space.token, method: 'POST' });
  expect(await sync()).toMatchObject({ code: 0, stdout: expect.stringContaining('Commit') });
  expect((await repository.readFiles())['README.md']).toBe('# Home\n\nBoth.\n');

  // Changes on both sides produce one commit, with a subject that describes the changes in Octavo.
  const getSubject = async () => {
    expect(await sync()).toMatchObject({ code: 0, stderr: '' });
    await repository.pull();
    return (await repository.git('log', '-1', '--format=%s')).trim();
  };
  await repository.commit({ 'guide.md': '# Guide\n\nMore of git.\n' }, 'More');
  await write('README', '# Home\n\nLive.\n');
  expect(await getSubject()).toBe('Octavo: 1 page changed');
  await repository.commit({ 'guide.md': '# Guide\n\nMost of git.\n' }, 'Most');
  const path = `/v1/spaces/${space.id}/change-requests`;
  const { id, number: own } = await json<{ id: string; number: number }>(path, {
    ...space,
    body: { subject: 'Say it' },
  });
  const edits = [{ operation: 'update_page', page: page.id, document: { markdown: '# Home\n\nSaid.\n' } }];
  await json(`${path}/${id}/content`, { ...space, body: { changes: edits } });
  await json(`${path}/${id}/merge`, { ...space, method: 'POST' });
  expect(await getSubject()).toBe(`Say it (${own})`);
});

test('a link by path in Git and by ID in Octavo does not count as a change', async () => {
  const { space, repository, sync, pageAt, write } = await createSyncedSpace();
  const { id } = await pageAt('guide');
  await makePage(space, 'Linked', `See [it](/pages/${id}).\n\nMore.\n`);
  await sync();
  expect((await repository.readFiles())['linked.md']).toBe('# Linked\n\nSee [it](guide.md).\n\nMore.\n');
  await repository.commit(
    { 'linked.md': '# Linked\n\nSee [it](guide.md).\n\nMore of git, see [it](guide.md).\n' },
    'More',
  );
  await write('linked', `See [it](/pages/${id}) now.\n\nMore.\n`);
  const both = await sync();
  expect(both, both.stderr).toMatchObject({ code: 0 });
  const text = '# Linked\n\nSee [it](guide.md) now.\n\nMore of git, see [it](guide.md).\n';
  expect((await repository.readFiles())['linked.md']).toBe(text);
  expect((await pageAt('linked')).markdown).toBe(
    text.replace('# Linked\n\n', '').replaceAll('guide.md', `/pages/${id}`),
  );
});

test('writes fields and titles from Octavo into the files, and removes them if a commit removes them', async () => {
  const { space, repository, sync, pageAt, write } = await createSyncedSpace();
  const set = async (at: string, change: object) =>
    edit(space, [{ operation: 'update_page', page: (await pageAt(at)).id, ...change }]);
  await set('guide', { description: 'Of Octavo', icon: 'book', title: 'Manual' });
  await set('README', { description: 'Homely' });
  expect(await sync()).toMatchObject({ code: 0 });
  const written = '---\nicon: book\ndescription: Of Octavo\n---\n\n# Manual\n\nGuided.\n';
  expect(await repository.readFiles()).toMatchObject({
    'guide.md': written,
    'README.md': `---\ndescription: Homely\n---\n\n${files['README.md']}`,
    'SUMMARY.md': summary.replace('[Guide]', '[Manual]'),
  });
  expect((await sync()).stdout).toBe('No changes.\n');

  await repository.commit({ 'guide.md': written.replace('icon: book\n', '').replace('Guided', 'Of git') }, 'No icon');
  await write('README', files['README.md'].replace('Two', 'Two of Octavo'));
  await set('README', { description: 'Homelier' });
  expect(await sync()).toMatchObject({ code: 0 });
  const guide = await pageAt('guide');
  expect(guide).toMatchObject({ title: 'Manual', description: 'Of Octavo' });
  expect(guide).not.toHaveProperty('icon');
  expect(await repository.readFiles()).toMatchObject({
    'guide.md': '---\ndescription: Of Octavo\n---\n\n# Manual\n\nOf git.\n',
    'README.md': `---\ndescription: Homelier\n---\n\n${files['README.md'].replace('Two', 'Two of Octavo')}`,
  });
  expect((await sync()).stdout).toBe('No changes.\n');
});

test('links to deleted content keep its former path, whether it was deleted in Octavo or in Git', async () => {
  const { space, repository, sync, pageAt, write } = await createSyncedSpace();
  const at = `/v1/spaces/${space.id}/content`;
  const change = (...changes: object[]) => json(at, { ...space, body: { changes } });
  const png = { contentType: 'image/png', base64: 'iVBORw0KGgo=' };
  await change(
    { operation: 'insert_files', files: [{ ref: 'pic', name: 'pic.png', ...png }] },
    { operation: 'insert_files', files: [{ ref: 'other', name: 'other.png', ...png }] },
    { operation: 'insert_page', ref: 'former', title: 'Old', slug: 'old', document: { markdown: '# Old\n' } },
    {
      operation: 'insert_page',
      title: 'Linked',
      slug: 'linked',
      document: { markdown: '![a](./pic) ![b](./other)\n\n[c](./former#x)\n\nEnd.\n' },
    },
  );
  await sync();
  const text = '# Linked\n\n![a](files/pic.png) ![b](files/other.png)\n\n[c](old.md#x)\n\nEnd.\n';
  expect((await repository.readFiles())['linked.md']).toBe(text);

  const { files: held } = await json<{ files: { id: string; name: string }[] }>(
    `/v1/spaces/${space.id}/content`,
    space,
  );
  await change(
    { operation: 'delete_file', file: held.find(({ name }) => name === 'pic.png')?.id ?? '' },
    { operation: 'delete_page', page: (await pageAt('old')).id },
  );
  await repository.commit({ 'files/other.png': null }, 'Without');
  expect(await sync()).toMatchObject({ code: 0, stdout: expect.stringContaining('removed') });
  const left = await repository.readFiles();
  expect([left['linked.md'], ...Object.keys(left).filter((each) => /png|old/.test(each))]).toEqual([text]);
  expect(await sync()).toMatchObject({ code: 0, stdout: 'No changes.\n' });

  await repository.commit({ 'linked.md': text.replace('End', 'End of git') }, 'Edit');
  expect(await sync()).toMatchObject({ code: 0 });
  const { markdown } = await pageAt('linked');
  expect(markdown).toBe('![a](./pic) ![b](./other)\n\n[c](./former#x)\n\nEnd of git.\n');
  await write('linked', markdown.replace('End', 'The end'));
  expect(await sync()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Commit .*\(1 written, 0 removed\)/) });
  expect((await repository.readFiles())['linked.md']).toBe(text.replace('End', 'The end of git'));
});

test('with --review, changes of the repository wait in a change request, which also gets later commits', async () => {
  const { space, repository, sync, exported, write } = await createSyncedSpace();
  await repository.commit({ 'README.md': '# Home\n\nReviewed.\n' }, 'To be reviewed');
  const { stdout } = await sync('--review');
  const number = /Change request (\d+): open/.exec(stdout)?.[1];
  await repository.commit({ 'README.md': '# Home\n\nReviewed twice.\n' }, 'More');
  expect((await sync('--review')).stdout).toContain(`Change request ${number}: open`);
  expect((await exported())['README.md']).toBe(files['README.md']);
  await write('guide', '# Guide\n\nOf Octavo.\n');
  await json(`/v1/spaces/${space.id}/change-requests/${number}/merge`, { token: space.token, method: 'POST' });
  expect(await sync('--review')).toMatchObject({ code: 0 });
  expect(await repository.readFiles()).toMatchObject({
    'README.md': '# Home\n\nReviewed twice.\n',
    'guide.md': '# Guide\n\nOf Octavo.\n',
  });

  await repository.commit({ 'README.md': '# Home\n\nRefused.\n' }, 'Refused');
  const refused = /Change request (\d+): open/.exec((await sync('--review')).stdout)?.[1];
  await json(`/v1/spaces/${space.id}/change-requests/${refused}`, {
    token: space.token,
    method: 'PATCH',
    body: { status: 'archived' },
  });
  expect(await sync('--review')).toMatchObject({ code: 0 });
  expect((await repository.readFiles())['README.md']).toBe('# Home\n\nReviewed twice.\n');
});
