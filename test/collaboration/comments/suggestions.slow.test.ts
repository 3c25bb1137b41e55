import { parseTree } from '@octavo/markdown';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ApiFailure, getClient, insertPage, type SpaceClient, writePage } from '../../content/space-client.ts';
import { query } from '../../support/database.ts';
import { makeMember } from '../../support/people.ts';
import type { TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import type { ShownComment } from './comment-client.ts';

type Suggested = ShownComment & { suggestion?: { before: string; markdown: string; revision?: string } };

const text = '## Start\n\nFirst  *block*.\n\n- one\n- two\n\nLast block.\n';
let space: TestSpace;
let client: SpaceClient;
let page: string;
let branch: string;
let path: string;

beforeAll(async () => {
  space = await platform().makeSpace();
  client = getClient(platform(), space);
  [page = ''] = await client.change([insertPage('Guide', { document: { markdown: text } })]);
});

/** Opens a change request for each test. */
async function open(): Promise<void> {
  branch = await client.open();
  path = `/change-requests/${branch}`;
}

interface KeyedBlock {
  key: string;
  nodes: KeyedBlock[];
}

const readBlocks = async (): Promise<KeyedBlock[]> =>
  (await client.callJson<{ document: { nodes: KeyedBlock[] } }>(`${path}/content/page/${page}?format=document`))
    .document.nodes;

const readText = async () => (await client.page(page, branch)).markdown;

const send = (node: string, markdown: string) =>
  client.call<Suggested & ApiFailure>(`${path}/comments`, {
    method: 'POST',
    body: { page, node, body: { markdown: 'Better so.' }, suggestion: { markdown } },
  });

/** Suggests a text for the block with this index. */
async function suggest(index: number, markdown: string): Promise<Suggested> {
  const { status, body } = await send((await readBlocks())[index]?.key ?? '', markdown);
  expect(status).toBe(200);
  return body;
}

const apply = ({ id }: { id: string }) =>
  client.call<{ revision: string } & ApiFailure>(`${path}/comments/${id}/apply`, { method: 'POST' });

const read = ({ id }: { id: string }) => client.callJson<Suggested>(`${path}/comments/${id}`);

describe('a suggestion', () => {
  test('replaces its block as a revision, and resolves its comment', async () => {
    await open();
    const posted = await suggest(1, 'Second *block*.');
    expect(posted.suggestion).toEqual({ before: 'First  *block*.', markdown: 'Second *block*.' });
    const { status, body } = await apply(posted);

    expect([status, body]).toMatchObject([200, { object: 'change-request', id: branch }]);
    expect(await readText()).toBe(text.replace('First  *block*.', 'Second *block*.'));
    const comment = await read(posted);
    expect(comment).toMatchObject({ status: 'resolved', resolvedBy: { object: 'user' } });
    expect(query("SELECT type FROM outbox WHERE data->>'comment' = ? ORDER BY type", posted.id)).toEqual([
      { type: 'comment.created' },
      { type: 'comment.resolved' },
    ]);
    expect(comment.suggestion?.revision).toBe(body.revision);
    expect((await client.head(branch)).id).toBe(body.revision);
  });

  test('can be applied after others of the page, in any order', async () => {
    await open();
    const suggestions = [await suggest(3, 'The end.'), await suggest(1, 'A\n\nB'), await suggest(2, '')];
    for (const each of suggestions.toReversed()) expect((await apply(each)).status).toBe(200);

    expect(await readText()).toBe('## Start\n\nA\n\nB\n\nThe end.\n');
  });

  test('follows its block when the block is moved', async () => {
    await open();
    const posted = await suggest(1, 'Moved and changed.');
    await client.change([writePage(page, '## Start\n\n- one\n- two\n\nLast block.\n\nFirst  *block*.\n')], branch);

    expect((await apply(posted)).status).toBe(200);
    expect(await readText()).toBe('## Start\n\n- one\n- two\n\nLast block.\n\nMoved and changed.\n');
  });

  test.each([
    ['was changed', text.replace('First', 'Former')],
    ['was deleted', text.replace('First  *block*.\n\n', '')],
    ['moved into another block', text.replace('First', '> First')],
  ])('is refused if its block %s', async (_, changed) => {
    await open();
    const posted = await suggest(1, 'Second block.');
    await client.change([writePage(page, changed)], branch);
    const { status, body } = await apply(posted);

    expect([status, body.error.message]).toEqual([409, expect.stringMatching(/block has changed since/)]);
    expect([await readText(), (await read(posted)).status]).toEqual([changed, 'open']);
  });

  test('is refused if the page was deleted, the comment is resolved, or the comment has no suggestion', async () => {
    await open();
    const [applied, other] = [await suggest(1, 'One.'), await suggest(3, 'Two.')];
    await apply(applied);
    const { id } = await client.callJson<{ id: string }>(`${path}/comments`, {
      method: 'POST',
      body: { page, body: { markdown: 'Hm' } },
    });
    expect((await apply(applied)).body.error).toMatchObject({ code: 409, message: expect.stringMatching(/resolved/) });
    expect((await apply({ id })).body.error).toMatchObject({
      code: 409,
      message: expect.stringMatching(/no suggestion/),
    });
    expect((await apply({ id: 'cmt_none' })).status).toBe(404);
    await client.change([{ operation: 'delete_page', page }], branch);
    expect((await apply(other)).status).toBe(409);
  });

  test('is refused if the change request is archived, or has another revision than If-Match names', async () => {
    await open();
    const posted = await suggest(1, 'One.');
    const send = (revision: string) =>
      platform().request(`/v1/spaces/${space.id}${path}/comments/${posted.id}/apply`, {
        token: space.token,
        method: 'POST',
        headers: { 'if-match': `"${revision}"` },
      });
    expect((await send('rev_other')).status).toBe(412);
    await client.callJson(path, { method: 'PATCH', body: { status: 'archived' } });
    expect((await apply(posted)).body.error).toMatchObject({ code: 409, message: expect.stringMatching(/archived/) });
  });

  test('needs a top-level block, and another text than that of the block', async () => {
    await open();
    const [, first, list] = await readBlocks();
    const refuse = async (node: string | undefined, markdown: string) => {
      const { status, body } = await send(node ?? '', markdown);
      return [status, body.error.issues?.[0]?.message];
    };
    expect(await refuse(list?.nodes[0]?.key, 'x')).toEqual([400, expect.stringMatching(/inside another block/)]);
    expect(await refuse(first?.key, 'First  *block*.\n')).toEqual([400, expect.stringMatching(/must differ/)]);
    const { status } = await client.call(`${path}/comments`, {
      method: 'POST',
      body: { page, body: { markdown: 'Hm' }, suggestion: { markdown: 'x' } },
    });
    expect(status).toBe(400);
  });

  test.each([
    ['sets fields of the page', 0, '---\ntitle: Hacked\nhidden: true\n---\n\nFirst'],
    ['opens a comment', 1, '<!--'],
    ['opens a code block', 1, '```'],
    ['joins another block', 1, '- zero'],
  ])('is refused when it is posted if its text %s', async (_, index, markdown) => {
    await open();
    const { status, body } = await send((await readBlocks())[index]?.key ?? '', markdown);

    expect([status, body.error.issues?.[0]]).toMatchObject([
      400,
      { path: 'body.suggestion', message: expect.stringMatching(/would change more than the block/) },
    ]);
  });

  test('is refused when it is applied if it would change a block that was added meanwhile', async () => {
    await open();
    const posted = await suggest(3, 'See [it].\n\n[it]: https://example.com');
    const changed = `${text}\nLater, see [it].\n`;
    await client.change([writePage(page, changed)], branch);
    const { status, body } = await apply(posted);

    expect([status, body.error.message]).toEqual([409, expect.stringMatching(/would change more than its block/)]);
    expect([await readText(), (await read(posted)).status]).toEqual([changed, 'open']);
  });

  test('changes no field of the page', async () => {
    await open();
    const markdown = '---\nemoji: 😀\n---\n\n# Guide\n\nText.\n';
    await client.change([writePage(page, markdown)], branch);
    const readFields = async () => {
      const { title, emoji, slug } = (await client.page(page, branch)) as {
        title: string;
        emoji?: string;
        slug: string;
      };
      return { title, emoji, slug };
    };
    const before = await readFields();
    // The document of a page does not contain the heading that is its title.
    const { body } = await send(parseTree(markdown).nodes[0]?.key ?? '', '# Another title');

    expect((await apply(body)).status).toBe(200);
    expect(await readText()).toBe(markdown.replace('# Guide', '# Another title'));
    expect(await readFields()).toEqual(before);
  });

  test('is applied once when two users apply it at the same time, even if its block stays', async () => {
    await open();
    const posted = await suggest(1, 'First  *block*.\n\nMore.');
    const statuses = (await Promise.all([apply(posted), apply(posted)])).map(({ status }) => status);

    expect(statuses.sort()).toEqual([200, 409]);
    expect(await readText()).toBe(text.replace('First  *block*.', 'First  *block*.\n\nMore.'));
  });

  test('is applied once when two users apply it at the same time', async () => {
    await open();
    const posted = await suggest(1, 'Once.');
    const statuses = (await Promise.all([apply(posted), apply(posted)])).map(({ status }) => status);

    expect(statuses.sort()).toEqual([200, 409]);
    expect(await readText()).toBe(text.replace('First  *block*.', 'Once.'));
  });

  test('can be posted by commenters, and applied only by editors', async () => {
    await open();
    const [, first] = await readBlocks();
    const commenter = await makeMember({ id: space.organization, token: space.token }, 'comment');
    const request = (address: string, body: object) =>
      platform().request(`/v1/spaces/${space.id}${path}/comments${address}`, {
        token: commenter.token,
        method: 'POST',
        body,
      });
    const posted = await request('', {
      page,
      node: first?.key,
      body: { markdown: 'x' },
      suggestion: { markdown: 'y' },
    });
    expect(posted.status).toBe(200);
    const { id } = (await posted.json()) as { id: string };
    expect((await request(`/${id}/apply`, {})).status).toBe(403);
    expect((await apply({ id })).status).toBe(200);
  });
});
