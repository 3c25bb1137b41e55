import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, test } from 'vitest';
import { edit, json } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { createCommandLine, findSpaceId, getOutline, octavo, writeTree } from './octavo.ts';
import { startRelay } from './relay.ts';

const bin = path.resolve(import.meta.dirname, '../../packages/cli/bin/octavo.mjs');
const getRevision = async (space: string, token: string) =>
  (await json<{ revision: string }>(`/v1/spaces/${space}`, { token })).revision;

const getDrafts = async (space: string, token: string) => {
  const path = `/v1/spaces/${space}/change-requests?status=draft`;
  const { items } = await json<{ items: { subject: string; description: string }[] }>(path, { token });
  return items.map(({ subject, description }) => ({ subject, description }));
};

/** A path that exceeds the server's limit. */
const refused = `${`${'long'.repeat(52)}/`.repeat(5)}bad.md`;

test('children of a rejected page move to the nearest parent', async () => {
  const { octavo, token } = await createCommandLine();
  const folder = await writeTree({
    'SUMMARY.md': `- [Top](top.md)\n  - [Bad](${refused})\n    - [One](one.md)\n    - [Two](two.md)\n  - [Last](last.md)\n`,
    'top.md': '# Top\n',
    [refused]: 'bad\n',
    'one.md': 'one\n',
    'two.md': 'two\n',
    'last.md': 'last\n',
  });
  const { code, stdout, stderr } = await octavo('import', folder, '--space', 'new');
  expect(stderr).toMatch(/bad\.md: git\.path: .+$/m);
  expect(stdout).toContain('4 created, 0 updated, 0 unchanged, 1 failed');
  expect(code).toBe(1);
  expect(await getOutline({ token }, findSpaceId(stdout))).toEqual(['Top', '  One', '  Two', '  Last']);
});

test('a folder in which every file fails leaves the space unchanged', async () => {
  const { octavo, token } = await createCommandLine();
  const files = { 'SUMMARY.md': `- [Bad](${refused})\n`, [refused]: 'bad\n', 'binary.md': Uint8Array.of(0xc3, 0x28) };
  const folder = await writeTree(files);
  const { code, stdout, stderr } = await octavo('import', folder, '--space', 'new');
  expect(stderr).toContain('binary.md: The file is not valid UTF-8.');
  expect(stdout).toContain('0 created, 0 updated, 0 unchanged, 2 failed');
  expect(code).toBe(1);
  const space = findSpaceId(stdout);
  expect(await getOutline({ token }, space)).toEqual([]);
  const { items } = await json<{ items: unknown[] }>(`/v1/spaces/${space}/change-requests?status=draft`, { token });
  expect(items).toEqual([]);
});

test('an import that conflicts with a concurrent edit names the page and leaves the space unchanged', async () => {
  const { octavo: run, token } = await createCommandLine();
  const createText = (words: string) => `# Page\n\n${words}\n`;
  const folder = await writeTree({ 'page.md': createText('first') });
  const space = findSpaceId((await run('import', folder, '--space', 'new')).stdout);
  const { pages } = await json<{ pages: { id: string }[] }>(`/v1/spaces/${space}/content/pages`, { token });
  const page = pages[0]?.id;
  const url = await startRelay(async (request) => {
    if (!request.path.endsWith('/merge')) return;
    await edit({ id: space, token }, [
      { operation: 'update_page', page, document: { markdown: createText('theirs') } },
    ]);
  });

  const changed = await writeTree({ 'page.md': createText('ours') });
  const { code, stdout, stderr } = await octavo(
    { OCTAVO_URL: url, OCTAVO_TOKEN: token },
    'import',
    changed,
    '--space',
    space,
  );

  expect(stderr).toMatch(/^Page \(document\): .+$/m);
  expect(stderr).toMatch(
    /^The import conflicts with the space spc_\w+, which was not changed. See change request \w+\.$/m,
  );
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(await json(`/v1/spaces/${space}/content/page/${page}`, { token })).toMatchObject({
    markdown: createText('theirs'),
  });
  // A change request with unresolved conflicts does not belong to the import, so the next import does not change it.
  await run('import', changed, '--space', space);
  expect(await getDrafts(space, token)).toEqual([{ subject: expect.any(String) }]);
});

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'an import interrupted by %s between two batches leaves the space unchanged',
  async (signal) => {
    const { octavo: run, token } = await createCommandLine();
    const space = findSpaceId((await run('import', await writeTree({ 'a.md': 'a' }), '--space', 'new')).stdout);
    const before = await getRevision(space, token);
    const files = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`page-${index}.md`, 'words\n']));
    const folder = await writeTree(files);
    const passed: string[] = [];
    const ended = Promise.withResolvers<void>();
    const url = await startRelay(async ({ path }) => {
      passed.push(path);
      if (passed.filter((each) => each.includes('/content?')).length < 2) return;
      child.kill(signal);
      await ended.promise;
    });
    const child = spawn(process.execPath, [bin, 'import', folder, '--space', space], {
      env: { ...process.env, OCTAVO_URL: url, OCTAVO_TOKEN: token },
      stdio: 'ignore',
    });
    expect(await once(child, 'exit')).toEqual([null, signal]);
    ended.resolve();

    expect(passed.some((path) => path.endsWith('/merge'))).toBe(false);
    expect(await getRevision(space, token)).toBe(before);
    expect(await getOutline({ token }, space)).toEqual(['a']);
    const drafts = await getDrafts(space, token);
    expect(drafts).toHaveLength(1);
    await json(`/v1/spaces/${space}/change-requests`, { token, body: { ...drafts[0], subject: 'Mine' } });
    const again = await run('import', folder, '--space', space);
    expect(again.stdout).toContain('60 created, 0 updated, 0 unchanged, 0 failed');
    expect(again.stderr).toMatch(
      /^warning: change request 2: Archived, because it was left by an interrupted import\.$/m,
    );
    expect((await getDrafts(space, token)).map(({ subject }) => subject)).toEqual(['Mine']);
  },
);

test('reports a missing space', async () => {
  const { octavo } = await createCommandLine();
  const { code, stdout, stderr } = await octavo('import', await writeTree({ 'a.md': '' }), '--space', 'spc_madeup');
  expect(stderr).toMatch(/^octavo: The server rejected the request: Space not found\. \(request \S+\)\n$/);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
});

test('reports a read-only space and creates nothing', async () => {
  const { octavo: run, organization, token } = await createCommandLine();
  const space = findSpaceId((await run('import', await writeTree({ 'a.md': 'a' }), '--space', 'new')).stdout);
  const reader = await platform().makeUser({ organization, role: 'read' });
  const env = { OCTAVO_URL: platform().url, OCTAVO_TOKEN: reader.token };
  const { code, stderr } = await octavo(env, 'import', await writeTree({ 'b.md': 'b' }), '--space', space);
  expect(stderr).toMatch(/^octavo: The server rejected the request: .+\n$/);
  expect(code).toBe(1);
  expect(await getOutline({ token }, space)).toEqual(['a']);
});

test('imports pages whose frontmatter requests the slug of another new page', async () => {
  const { octavo, token } = await createCommandLine();
  const createPage = (slug: string) => `---\nslug: ${slug}\n---\n# ${slug}\n`;
  const first = await octavo('import', await writeTree({ 'a.md': '# a\n', 'x/m.md': '# m\n' }), '--space', 'new');
  const space = findSpaceId(first.stdout);
  const files = {
    'a.md': createPage('b'),
    'b.md': '# b\n',
    'c.md': createPage('b'),
    'd.md': createPage('b-3'),
    'm.md': createPage('b'),
  };
  const { code, stdout, stderr } = await octavo('import', await writeTree(files), '--space', space);
  expect({ code, stdout }, stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('0 failed') });
  const { pages } = await json<{ pages: { slug: string }[] }>(`/v1/spaces/${space}/content/pages`, { token });
  const slugs = pages.map(({ slug }) => slug).filter((slug) => slug !== 'x');
  expect(slugs).toHaveLength(5);
  expect(new Set(slugs).size).toBe(5);
});
