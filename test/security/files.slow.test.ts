import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createFiles, createTextFile, insertFiles } from '../content/files/file-client.ts';
import type { SpaceClient, TestFile } from '../content/space-client.ts';
import { getClient } from '../content/space-client.ts';
import { query } from '../support/database.ts';
import { serveLocally } from '../support/local-server.ts';
import { readLogOfRequest } from '../support/log.ts';
import { startOwnPlatform } from '../support/own-platform.ts';
import type { TestSpace } from '../support/platform.ts';
import { platform } from '../support/platform.ts';
import { resignUrl } from '../support/signed-address.ts';

let newSpace: TestSpace;
let space: SpaceClient;
beforeEach(async () => {
  const server = platform();
  newSpace = await server.makeSpace();
  space = getClient(server, newSpace);
});

const script = '<script>alert(1)</script>';
const insertOne = async (name: string, text: string, contentType: string): Promise<TestFile> => {
  const [file] = await createFiles(space, [createTextFile(name, text, { contentType })]);
  if (file === undefined) throw new Error('The file was not inserted.');
  return file;
};

describe('content that a browser might run', () => {
  const active: [name: string, text: string, contentType: string][] = [
    ['a.html', `<!doctype html>${script}`, 'text/html'],
    ['a.php', '<?php system("id");', 'application/x-httpd-php'],
    ['noextension', `<html>${script}</html>`, 'text/html'],
    ['a.svg', `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`, 'image/svg+xml'],
    ['drawing.png', `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`, 'image/png'],
    [
      'a.xhtml',
      `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">${script}</html>`,
      'application/xhtml+xml',
    ],
    ['a.xml', `<?xml-stylesheet href="a.xsl"?><a/>`, 'application/xml'],
    ['a.js', 'alert(1)', 'text/javascript'],
    ['a.gif', `GIF89a/*${script}*/`, 'text/html'],
    ['a.pdf', `%PDF-1.7 ${script}`, 'text/html'],
  ];

  test.each(active)(
    '%s cannot run: its type is harmless, and the response has a sandbox',
    async (name, text, declared) => {
      const file = await insertOne(name, text, declared);
      const { headers } = await fetch(file.downloadURL);
      const type = headers.get('content-type') ?? '';

      expect(type).toMatch(/^(?:text\/plain|image\/(?:svg\+xml|gif)|application\/pdf)(?:;|$)/);
      expect(type.split(';')[0]).toBe(file.contentType);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-disposition')).toMatch(type.startsWith('image/gif') ? /^inline;/ : /^attachment;/);
      const policy = headers.get('content-security-policy')?.split('; ');
      expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", 'sandbox']));
      expect(headers.get('content-security-policy')).not.toMatch(/script-src|allow-/);
    },
  );

  test('is stored under its hash instead of its name', async () => {
    await insertOne('a.php', script, 'text/html');
    const key = `${newSpace.organization}/${createHash('sha256').update(script).digest('hex')}`;

    expect(query('SELECT key, content_type FROM blobs WHERE organization = ?', newSpace.organization)).toEqual([
      { key, content_type: 'text/plain' },
    ]);
  });

  test('ignores the content type that its source server sends', async () => {
    const url = await serveLocally((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<html>${script}`);
    });
    const [file] = await createFiles(space, [{ name: 'a.html', url, contentType: 'text/html' }]);

    expect(file?.contentType).toBe('text/plain');
  });
});

describe('files of another organization', () => {
  test('cannot be renamed, deleted or read by ID', async () => {
    const file = await insertOne('mine.txt', 'mine', 'text/plain');
    const server = platform();
    const sibling = await server.makeSpace({
      organization: { id: newSpace.organization, title: '', user: '', token: newSpace.token },
    });
    const other = getClient(server, sibling);
    const stranger = getClient(server, { id: newSpace.id, token: (await server.makeOrganization()).token });

    for (const client of [other, stranger]) {
      for (const change of [{ operation: 'update_file', name: 'yours.txt' }, { operation: 'delete_file' }])
        expect((await client.edit([{ ...change, file: file.id }])).status).toBe(404);
      expect((await client.call(`/content/files/${file.id}`)).status).toBe(404);
    }
    expect(await space.callJson(`/content/files/${file.id}`)).toMatchObject({ name: 'mine.txt' });
  });

  test('with the same bytes are stored separately, and cost the same as new bytes', async () => {
    const server = platform();
    const bytes = `shared ${newSpace.id}`;
    const first = await insertFiles(space, [createTextFile('a', bytes)]);
    const theirs = getClient(server, await server.makeSpace());
    const second = await insertFiles(theirs, [createTextFile('a', bytes)]);
    const hash = createHash('sha256').update(bytes).digest('hex');

    expect(second.cost).toEqual(first.cost);
    expect(query('SELECT key FROM blobs WHERE key LIKE ?', `%/${hash}`)).toHaveLength(2);
  });
});

describe('the URL of a file', () => {
  const changeUrl = (url: string, change: (address: URL) => void) => {
    const address = new URL(url);
    change(address);
    return address.href;
  };

  test('returns 404 after any change', async () => {
    const [mine, theirs] = [
      await insertOne('a.txt', 'mine', 'text/plain'),
      await insertOne('b.txt', 'theirs', 'text/plain'),
    ];
    const set = (name: string, value: string) =>
      changeUrl(mine.downloadURL, ({ searchParams }) => searchParams.set(name, value));
    const tampered = [
      changeUrl(mine.downloadURL, (address) => {
        address.pathname = new URL(theirs.downloadURL).pathname;
      }),
      mine.downloadURL.replace('a.txt', 'a.html'),
      set('type', 'text/html'),
      set('expires', '99999999999'),
      set('signature', 'a'.repeat(43)),
      set('signature', ''),
      changeUrl(mine.downloadURL, (address) => {
        address.search = '';
      }),
    ];

    expect((await fetch(mine.downloadURL)).status).toBe(200);
    for (const url of tampered) {
      const response = await fetch(url);
      expect([url, response.status]).toEqual([url, 404]);
      expect(await response.text()).not.toContain('mine');
    }
  });

  test('expires, even if its signature is valid', async () => {
    const { downloadURL } = await insertOne('a.txt', 'mine', 'text/plain');
    const signUrlFor = (expires: number) =>
      resignUrl(downloadURL, ({ searchParams }) => searchParams.set('expires', String(expires)));
    const now = Math.floor(Date.now() / 1000);

    expect((await fetch(signUrlFor(now + 600))).status).toBe(200);
    const late = await fetch(signUrlFor(now - 1));
    expect([late.status, await late.text()]).toEqual([403, expect.stringContaining('has expired')]);
  });

  test.each([
    '/files/..%2f..%2fetc%2fpasswd',
    '/files/%252e%252e/%252e%252e/etc/passwd',
    '/files/..%5c..%5cwindows/win.ini/a',
    '/files/a/b/c%00.txt',
    '/files/a/b/%',
    '/files/a/b/%ff',
    '/files/a/b/c?type=text/plain&expires=99999999999&signature=a',
    '/files/',
    '/files//',
  ])('%s without a signature returns 404', async (address) => {
    expect((await platform().request(address)).status).toBe(404);
  });

  test('does not appear in the log with its signature', async () => {
    const { downloadURL } = await insertOne('a.txt', 'mine', 'text/plain');
    const response = await fetch(downloadURL);
    const log = await readLogOfRequest(response);

    expect(log).not.toContain(new URL(downloadURL).searchParams.get('signature'));
  });
});

test('handles names that are paths or devices, or that would break a header', async () => {
  for (const name of ['../../etc/passwd', '/etc/passwd', '..\\x', 'a\r\nSet-Cookie: b', 'a\0.png'])
    expect([name, (await insertFiles(space, [createTextFile(name, 'x')])).status]).toEqual([name, 400]);
  for (const [name, saved] of [
    ['CON', '_CON'],
    ['a"; filename="b.exe', 'a_; filename=_b.exe'],
    ['a.exe. ', 'a.exe'],
  ]) {
    const { headers } = await fetch((await insertOne(name ?? '', 'x', 'text/plain')).downloadURL);
    expect(headers.get('content-disposition')).toContain(`; filename="${saved}"; `);
  }
});

test('does not fetch private addresses or URLs with credentials', async () => {
  const own = await startOwnPlatform();
  onTestFinished(() => own.remove());
  const guarded = getClient(own, await own.makeSpace());
  const reached: string[] = [];
  const base = await serveLocally(({ url = '' }, response) => {
    reached.push(url);
    response.end('x');
  });
  const urls = [base, base.replace('127.0.0.1', '0x7f.1'), 'http://[::1]/', 'http://user:secret@files.example.test/'];
  for (const url of urls) {
    const { status, body } = await insertFiles(guarded, [{ name: 'a', url }]);
    expect([url, status, body.error.issues?.[0]?.path]).toEqual([url, 400, 'body.changes.0.files.0.url']);
  }

  expect(reached).toEqual([]);
});

test('a caller who loses the right during a fetch writes nothing', async () => {
  const server = platform();
  const member = await server.makeUser({ organization: newSpace.organization, role: 'edit' });
  const [live, branch] = [getClient(server, { id: newSpace.id, token: member.token }), await space.open()];
  const setRole = (to: string) =>
    server.request(`/v1/orgs/${newSpace.organization}/members/${member.user}`, {
      token: newSpace.token,
      method: 'PATCH',
      body: { role: to },
    });
  const url = await serveLocally(async (_, response) => {
    await setRole('read');
    response.end('words');
  });
  for (const at of [undefined, branch]) {
    expect((await setRole('edit')).status).toBe(200);
    expect((await insertFiles(live, [{ name: 'a.txt', url }], at)).status).toBe(403);
  }
  expect(await space.callJson(`/content/files`)).toMatchObject({ items: [] });
  expect(await space.callJson(`/change-requests/${branch}/content/files`)).toMatchObject({ items: [] });
});
