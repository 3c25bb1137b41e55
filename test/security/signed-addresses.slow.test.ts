import { describe, expect, test } from 'vitest';
import { createFiles, createTextFile, insertFiles } from '../content/files/file-client.ts';
import type { SpaceClient } from '../content/space-client.ts';
import { getClient, insertPage } from '../content/space-client.ts';
import { waitForPdf } from '../publishing/pdf/pdf-client.ts';
import { json } from '../support/content.ts';
import type { TestSpace } from '../support/platform.ts';
import { platform } from '../support/platform.ts';

interface Read {
  space: TestSpace;
  client: SpaceClient;
  file: string;
  changeRequest: string;
}

interface Changed {
  changes: { file: { downloadURL: string } }[];
}

interface Linked {
  items: { targetReference: Changed['changes'][number] }[];
}

interface Listed {
  items: { downloadURL: string }[];
  files: { downloadURL: string }[];
}

/** Each way to get a signed URL. `ends` says which deletion of the file makes the URL invalid. */
const ways: Record<string, { ends?: 'live' | 'branch'; find(read: Read): Promise<string | undefined> }> = {
  'a file that was inserted': {
    ends: 'live',
    async find({ client }) {
      return (await createFiles(client, [createTextFile('b.txt', 'b')]))[0]?.downloadURL;
    },
  },
  'a file of live content': {
    ends: 'live',
    find: async ({ client, file }) =>
      (await client.callJson<{ downloadURL: string }>(`/content/files/${file}`)).downloadURL,
  },
  'a file in a list': {
    ends: 'live',
    find: async ({ client }) => (await client.callJson<Listed>('/content/files')).items[0]?.downloadURL,
  },
  'a file of the current revision': {
    ends: 'live',
    find: async ({ client }) => (await client.callJson<Listed>('/content')).files[0]?.downloadURL,
  },
  'a file of a change request': {
    ends: 'branch',
    find: async ({ client, changeRequest }) =>
      (await client.callJson<Listed>(`/change-requests/${changeRequest}/content/files`)).items[0]?.downloadURL,
  },
  'a file that a change request inserted': {
    ends: 'branch',
    async find({ client, changeRequest }) {
      await insertFiles(client, [createTextFile('c.txt', 'c')], changeRequest);
      const { changes } = await client.callJson<Changed>(`/change-requests/${changeRequest}/changes`);
      return changes[0]?.file.downloadURL;
    },
  },
  'a file that a page links to': {
    ends: 'live',
    async find({ client, file }) {
      await client.change([insertPage('Q', { document: { markdown: `[it](/files/${file})\n` } })]);
      const { items } = await client.callJson<Linked>('/links');
      return items[0]?.targetReference.file.downloadURL;
    },
  },
  'a file of a revision': {
    async find({ client }) {
      const { id } = await client.callJson<{ id: string }>('/content');
      return (await client.callJson<Listed>(`/revisions/${id}/files`)).items[0]?.downloadURL;
    },
  },
  'a PDF': { find: async ({ client }) => (await client.callJson<{ url: string }>('/pdf')).url },
};

async function createRead(): Promise<Read> {
  const space = await platform().makeSpace();
  const client = getClient(platform(), space);
  await client.change([insertPage('P')]);
  const [file] = await createFiles(client, [createTextFile('a.txt', `a ${space.id}`)]);
  return { space, client, file: file?.id ?? '', changeRequest: await client.open() };
}

const findStatus = async ({ find }: (typeof ways)[string], read: Read): Promise<string> => (await find(read)) ?? 'none';
const getStatus = async (url: string): Promise<number> => (await waitForPdf(url)).status;

describe.each(Object.entries(ways))('the signed URL of %s', (_, way) => {
  test('is valid only as issued, without any change', async () => {
    const url = await findStatus(way, await createRead());
    const expires = new URL(url).searchParams.get('expires');
    const others = [
      url.replace(`expires=${expires}`, `expires=0${expires}`),
      url.replace(`expires=${expires}`, `expires=${expires}.0`),
      url.replace(`expires=${expires}`, `expires=${expires}&expires=${expires}`),
      url.replace('?', '?a=b&'),
      `${url}&expires=${expires}`,
      `${url}=`,
      url.replace(/(\?)(.*)(&signature=)(.*)/, '$1signature=$4&$2'),
      url.replace(/\/(?=[^/]*\?)./, (name) => `/%${name.charCodeAt(1).toString(16)}`),
    ];

    expect(await getStatus(url)).toBe(200);
    for (const other of others) expect([other, (await fetch(other)).status]).toEqual([other, 404]);
  });

  test('is invalid while the space is deleted', async () => {
    const read = await createRead();
    const url = await findStatus(way, read);
    const of = `/v1/spaces/${read.space.id}`;

    expect(await getStatus(url)).toBe(200);
    await platform().request(of, { token: read.space.token, method: 'DELETE' });
    expect([404, 410]).toContain((await fetch(url)).status);
    await json(`${of}/restore`, { token: read.space.token, method: 'POST' });
    expect((await fetch(url)).status).toBe(200);
  });

  test(`${way.ends === undefined ? 'stays valid when' : 'is invalid after'} the file is deleted`, async () => {
    const read = await createRead();
    const url = await findStatus(way, read);
    const branch = read.changeRequest;
    const listDeletableFiles = async (prefix: string) => {
      const { items } = await read.client.callJson<{ items: { id: string }[] }>(`${prefix}/content/files`);
      return items.map(({ id }) => ({ operation: 'delete_file', file: id }));
    };

    expect(await getStatus(url)).toBe(200);
    await read.client.change(await listDeletableFiles(''));
    expect(await getStatus(url)).toBe(way.ends === 'live' ? 404 : 200);
    await read.client.change(await listDeletableFiles(`/change-requests/${branch}`), branch);
    expect(await getStatus(url)).toBe(way.ends === undefined ? 200 : 404);
  });
});
