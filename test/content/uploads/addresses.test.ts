import { beforeAll, describe, expect, test } from 'vitest';
import { writeDatabase } from '../../support/database.ts';
import type { TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { resignUrl } from '../../support/signed-address.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient } from '../space-client.ts';
import { getBytes, getMessage, patch, put, requestUpload, startUpload, uploadBytes } from './upload-client.ts';

let owner: TestSpace;
let space: SpaceClient;
beforeAll(async () => {
  owner = await platform().makeSpace();
  space = getClient(platform(), owner);
});

describe('an upload URL', () => {
  test('is not issued for a file that is too large or has an invalid name', async () => {
    for (const [size, name] of [
      [100_000_001, 'a'],
      [-1, 'a'],
      [0.5, 'a'],
      [1, 'a/b'],
    ] as const)
      expect((await requestUpload(owner, size, name)).status).toBe(400);
  });

  test('is valid for a day', async () => {
    const { url, key } = await startUpload(owner, 1);
    const bytes = getBytes(1);
    const ended = resignUrl(url, ({ searchParams }) => searchParams.set('expires', '1'));
    for (const address of [`${url}x`, url.replace('expires=', 'expires=9'), url.split('?')[0] ?? ''])
      expect((await put(address, bytes)).status).toBe(404);
    expect(await getMessage(await put(ended, bytes))).toContain('403 This URL of a file upload has expired');
    await writeDatabase(platform(), 'UPDATE uploads SET expires_at = 1 WHERE id = ?', key);
    expect((await put(url, bytes)).status).toBe(404);
  });

  test('is not issued to members of other organizations', async () => {
    const { token } = await platform().makeOrganization();
    expect((await requestUpload({ ...owner, token }, 1)).status).toBe(404);
  });

  test('is not issued if the user has too many unused uploads, not counting expired ones and those of others', async () => {
    const { id: organization, token, user } = await platform().makeOrganization();
    const wait = (by: string, count: number, expires: number) =>
      writeDatabase(
        platform(),
        `INSERT INTO uploads (id, organization, created_by, name, content_type, size, kind, created_at, expires_at)
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
          SELECT 'upl_' || ? || i, ?, ?, 'a', '', 1, 'import_file', 0, ? FROM n`,
        ...[count, organization + by, organization, by, expires],
      );
    await wait(user, 2000, 1);
    expect((await requestUpload({ organization, token }, 1)).status).toBe(201);
    await writeDatabase(platform(), 'UPDATE uploads SET expires_at = 9e15 WHERE organization = ?', organization);
    const response = await requestUpload({ organization, token }, 1);
    expect(await getMessage(response)).toContain(
      '409 You already have too many unused uploads. The limit is 2000 uploads',
    );

    const { token: other, user: otherUser } = await platform().makeUser({ organization, role: 'edit' });
    await wait('somebody', 3000, 9e15);
    expect((await requestUpload({ organization, token: other }, 1)).status).toBe(201);
    await wait(otherUser, 199, 9e15);
    expect(await getMessage(await requestUpload({ organization, token: other }, 1))).toContain(
      '409 The organization already has too many unused uploads. The limit is 5000 uploads',
    );
  });
});

test('only a complete upload of the same user in the same organization can be used', async () => {
  const whole = await uploadBytes(owner, getBytes(10));
  const begun = await startUpload(owner, 10);
  await patch(begun.url, 0, getBytes(4));
  const { organization } = owner;
  const other = await platform().makeUser({ organization, role: 'edit' });
  const theirs = await uploadBytes({ organization, token: other.token }, getBytes(10));
  const elsewhere = await platform().makeSpace();
  const foreign = await uploadBytes(elsewhere, getBytes(10));
  const over = await uploadBytes(owner, getBytes(10));
  await writeDatabase(platform(), 'UPDATE uploads SET expires_at = 1 WHERE id = ?', over.key);

  const files = [whole, begun, theirs, foreign, over].map(({ key }) => ({ name: 'a', upload: key }));
  const { status, body } = await space.edit([{ operation: 'insert_files', files }]);
  const none = 'is not one of your uploads in this organization, or has expired';
  expect(status).toBe(400);
  expect(body.error.issues).toEqual([
    { path: 'body.changes.0.files.1.upload', message: 'is incomplete: 4 of 10 bytes were uploaded' },
    ...[2, 3, 4].map((index) => ({ path: `body.changes.0.files.${index}.upload`, message: none })),
  ]);
});
