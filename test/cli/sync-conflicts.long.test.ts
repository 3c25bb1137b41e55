import { expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { serveLocally } from '../support/local-server.ts';
import { isOfAll } from '../support/random.ts';
import { GitSide } from './git-side.ts';
import { octavo } from './octavo.ts';
import { relayRequest } from './relay.ts';
import { createSyncedRepository } from './synced-repository.ts';

const home = '# Home\n\nOne.\n\nTwo.\n\nThree.\n';

/** Numbers of write requests after which a sync is interrupted. */
const stops = isOfAll ? [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] : [4, 8];

test('the next sync continues one that was interrupted while it created a change request for a conflict', async () => {
  const { space, env, at, page, write, held } = await createSyncedRepository({ 'README.md': home });
  const git = await GitSide.make(new Map([['README.md', Buffer.from(home)]]));
  const sync = (url = env.OCTAVO_URL) => octavo({ ...env, OCTAVO_URL: url }, 'sync', git.folder, '--space', space.id);
  await sync();
  let left = 0;
  const url = await serveLocally(async (request, response) => {
    if (request.method !== 'GET') left -= 1;
    if (left < 0) request.socket.destroy();
    else await relayRequest(request, response);
  });
  for (const writes of stops) {
    const [theirs, ours] = [`Two of git ${writes}.`, `Two of Octavo ${writes}.`];
    await write('README', home.replace('Two.', ours));
    await git.commit(new Map([['README.md', Buffer.from(home.replace('Two.', theirs))]]), `Commit ${writes}`);
    left = writes;
    await sync(url);
    // A complete sync makes ten writes, so only the last value does not interrupt it.
    expect({ writes, isBroken: left < 0 }).toEqual({ writes, isBroken: writes < 10 });
    const { code, stderr } = await sync();
    expect({ writes, code, stderr }).toEqual({
      writes,
      code: 1,
      stderr: expect.stringContaining('page Home: document'),
    });
    expect((await page('README')).markdown).toBe(home.replace('Two.', ours));
    expect((await git.read()).get('README.md')?.toString()).toBe(home.replace('Two.', ours));
    const open = await held();
    expect(open).toHaveLength(1);
    expect((await page('README', `/change-requests/${open[0]?.id}`)).markdown).toContain(theirs);
    await json(at(`/change-requests/${open[0]?.id}`), { ...space, method: 'PATCH', body: { status: 'archived' } });
  }
  expect(await sync()).toMatchObject({ code: 0, stdout: 'No changes.\n' });
});

test('the next sync continues one that was interrupted while it updated a change request in review', async () => {
  const { env, repository, sync, page, at, space } = await createSyncedRepository({
    'README.md': home,
    '.gitbook/vars.yaml': 'a: 1\n',
  });
  await sync();
  await repository.commit({ 'README.md': home.replace('One', 'First') }, 'First');
  const { stdout } = await sync(undefined, '--review');
  const both = { 'README.md': home.replace('One', 'Second'), '.gitbook/vars.yaml': 'a: 2\n' };
  await repository.commit(both, 'Second');
  let left = 1;
  const url = await serveLocally(async (request, response) => {
    if (request.method !== 'GET') left -= 1;
    if (left < 0) request.socket.destroy();
    else await relayRequest(request, response);
  });
  const broken = await octavo({ ...env, OCTAVO_URL: url }, 'sync', repository.bare, '--space', space.id, '--review');
  expect({ code: broken.code, left }).toEqual({ code: 1, left: -1 });
  expect(await sync(undefined, '--review')).toMatchObject({ code: 0, stdout });
  expect((await page('README', `/change-requests/${/\d+/.exec(stdout)?.[0]}`)).markdown).toBe(both['README.md']);
  expect(await sync()).toMatchObject({ code: 0 });
  expect(await json(at('/content'), space)).toMatchObject({ variables: { a: 2 } });
  expect(await repository.readFiles()).toEqual(both);
});

const listed = `# Table of contents

* [Home](README.md)
* [A](a.md)
* [B](b.md)
* [C](c.md)

## Group

* [D](d.md)

## Other

* [E](e.md)
`;

test('moves conflicts of all kinds into a change request and lists them, and syncs everything else', async () => {
  const { space, repository, sync, page, at, held } = await createSyncedRepository({
    'SUMMARY.md': listed,
    'README.md': home,
    'a.md': '# A\n',
    'b.md': '# B\n\nText.\n',
    'c.md': '# C\n\nText.\n',
    'd.md': '# D\n',
    'e.md': '# E\n',
    'i.png': Buffer.from('image'),
    '.gitbook/vars.yaml': 'name: both\n',
    '.gitbook/includes/x.md': 'Included.\n',
  });
  await sync();
  interface Content {
    pages: { id: string; title: string }[];
    files: { id: string; git: { path: string } }[];
    reusableContents: { id: string }[];
    variables: object;
  }
  const readContent = () => json<Content>(at('/content'), space);
  const { pages, files, reusableContents } = await readContent();
  const getId = (title: string) => pages.find((each) => each.title === title)?.id ?? '';
  const image = files.find(({ git }) => git.path === 'i.png')?.id ?? '';
  const base64 = Buffer.from('image of Octavo').toString('base64');
  const changes = [
    { operation: 'update_page', page: getId('A'), at: 3 },
    { operation: 'delete_page', page: getId('B') },
    { operation: 'update_page', page: getId('C'), document: { markdown: '# C\n\nText of Octavo.\n' } },
    { operation: 'update_page', page: getId('Group'), title: 'Group of Octavo' },
    { operation: 'delete_page', page: getId('Other') },
    { operation: 'set_variables', variables: { name: 'octavo' } },
    { operation: 'update_file', file: image, base64, contentType: 'image/png' },
    {
      operation: 'update_reusable_content',
      reusableContent: reusableContents[0]?.id,
      document: { markdown: 'Included by Octavo.\n' },
    },
  ];
  await json(at('/content'), { ...space, body: { changes } });
  const order = '* [A](a.md)\n* [Home](README.md)\n* [B](b.md)\n';
  await repository.commit(
    {
      'SUMMARY.md': `# Table of contents\n\n${order}\n## Group of git\n\n* [D](d.md)\n\n## Other\n\n* [E](e.md)\n* [F](f.md)\n  * [G](g.md)\n`,
      'README.md': home.replace('One.', 'One of git.'),
      'b.md': '# B\n\nText of git.\n',
      'c.md': null,
      'd.md': '# D\n\nOf git.\n',
      'f.md': '# F\n\nNew.\n',
      'g.md': '# G\n\nNew below.\n',
      'i.png': Buffer.from('image of git'),
      '.gitbook/vars.yaml': 'name: git\n',
      '.gitbook/includes/x.md': 'Included by git.\n',
    },
    'All kinds',
  );
  const both = await sync(undefined, '--json');
  const report = JSON.parse(both.stdout) as {
    changeRequests: { status: string; conflicts: { title: string; field: string; path?: string }[] }[];
    waits?: string;
  };
  expect(both.code).toBe(1);
  expect(report.waits).toBeUndefined();
  expect(report.changeRequests.map(({ status }) => status)).toEqual(['merged', 'conflicts']);
  const named = report.changeRequests[1]?.conflicts
    .map(({ title, field, path }) => [title, field, path ?? 'without a path'].join(' '))
    .sort();
  expect(named).toEqual([
    'A place a.md',
    'B node b.md',
    'C node c.md',
    'F parent f.md',
    'G parent g.md',
    'Group of git title without a path',
    'i.png bytes i.png',
    'name value without a path',
    'x document .gitbook/includes/x.md',
  ]);
  expect(await repository.readFiles()).toEqual({
    'SUMMARY.md': expect.stringMatching(/Home[\s\S]*C\]\(c.md[\s\S]*Group of Octavo[\s\S]*D\]\(d.md/),
    'README.md': home.replace('One.', 'One of git.'),
    'a.md': '# A\n',
    'c.md': '# C\n\nText of Octavo.\n',
    'd.md': '# D\n\nOf git.\n',
    'f.md': '# F\n\nNew.\n',
    'g.md': '# G\n\nNew below.\n',
    'i.png': 'image of Octavo',
    '.gitbook/vars.yaml': 'name: octavo\n',
    '.gitbook/includes/x.md': 'Included by Octavo.\n',
  });
  expect((await readContent()).variables).toEqual({ name: 'octavo' });
  const [conflict] = await held();
  const said = `/change-requests/${conflict?.id}`;
  expect((await page('b', said)).markdown).toContain('Text of git.');
  expect(await sync()).toMatchObject({
    stdout: 'No changes.\n',
    stderr: expect.stringContaining('conflict: file i.png: bytes'),
  });
});
