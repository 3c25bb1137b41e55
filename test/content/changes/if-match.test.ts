import { expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { getClient, insertPage } from '../space-client.ts';

async function setUp() {
  const newSpace = await platform().makeSpace();
  const space = getClient(platform(), newSpace);
  await space.change([insertPage('A page')]);
  const send = (path: string, match: string, body?: object) =>
    platform().request(`/v1/spaces/${newSpace.id}${path}`, {
      token: newSpace.token,
      method: 'POST',
      body,
      headers: { 'if-match': match },
    });
  const readEtag = async (path: string) => {
    const response = await platform().request(`/v1/spaces/${newSpace.id}${path}`, { token: newSpace.token });
    return response.headers.get('etag') ?? '';
  };
  const edit = (match: string, title: string, branch = '') =>
    send(`${branch}/content`, match, { changes: [insertPage(title)] });
  return { space, send, tagAt: readEtag, edit };
}

test('applies an edit only if the content is at the given revision', async () => {
  const { space, edit, tagAt } = await setUp();
  const tag = await tagAt('/content/pages');

  expect((await edit(tag, 'First')).status).toBe(200);
  const late = await edit(tag, 'Late');

  expect(late.status).toBe(412);
  expect(await late.json()).toMatchObject({
    error: {
      type: 'precondition_failed',
      message: `The content changed. Its current revision is ${(await space.head()).id}. Read it again.`,
    },
  });
  expect((await space.pages()).map(({ title }) => title)).toEqual(['A page', 'First']);
});

test('applies only one of several concurrent edits based on the same revision', async () => {
  const { space, edit, tagAt } = await setUp();
  const tag = await tagAt('/content/pages');

  const responses = await Promise.all(Array.from({ length: 10 }, (_, at) => edit(tag, `Edit ${at}`)));

  expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 412)]);
  expect(await space.pages()).toHaveLength(2);
});

test('accepts one of several tags, a quoted revision ID, or *, but no weak tag', async () => {
  const { space, edit, tagAt } = await setUp();

  expect((await edit(`W/${await tagAt('/content/pages')}`, 'Weak')).status).toBe(412);
  expect((await edit(`"other", ${await tagAt('/content/pages')}`, 'One of two')).status).toBe(200);
  expect((await edit(`"${(await space.head()).id}"`, 'Bare')).status).toBe(200);
  expect((await edit('*', 'Any')).status).toBe(200);
  for (const match of ['rev_1', '"one" "two"', '"']) {
    const response = await edit(match, 'Bad');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { issues: [{ path: 'headers.if-match' }] } });
  }
});

test('edits, updates and merges a change request only from the given head', async () => {
  const { space, edit, send, tagAt } = await setUp();
  const id = await space.open();
  const branch = `/change-requests/${id}`;
  const first = await tagAt(`${branch}/content/pages`);
  expect((await edit(first, 'Mine', branch)).status).toBe(200);
  await space.change([insertPage('Of main')]);

  expect((await edit(first, 'Late', branch)).status).toBe(412);
  expect((await send(`${branch}/update`, first)).status).toBe(412);
  expect((await send(`${branch}/merge`, first)).status).toBe(412);
  const second = await tagAt(`${branch}/content/pages`);
  expect((await send(`${branch}/update`, second)).status).toBe(200);
  expect((await send(`${branch}/merge`, second)).status).toBe(412);
  expect((await send(`${branch}/merge`, await tagAt(`${branch}/content/pages`))).status).toBe(200);
  expect((await space.pages()).map(({ title }) => title).sort()).toEqual(['A page', 'Mine', 'Of main']);
});
