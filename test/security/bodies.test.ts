import { beforeAll, describe, expect, test } from 'vitest';
import { json, makeChangeRequest } from '../support/content.ts';
import { query } from '../support/database.ts';
import type { TestOrganization, TestSpace } from '../support/platform.ts';
import { platform } from '../support/platform.ts';

const mebibyte = 1024 * 1024;
const bytes = (text: string) => new TextEncoder().encode(text);
/** The text with a byte in place of its question mark. */
const withByte = (text: string, byte: number) => bytes(text).map((each) => (each === 0x3f ? byte : each));
const type = (value: string) => ({ 'content-type': value });

let organization: TestOrganization;
let space: TestSpace;
let changeRequest: string;
beforeAll(async () => {
  organization = await platform().makeOrganization();
  space = await platform().makeSpace({ organization });
  changeRequest = (await makeChangeRequest(space)).id;
});

interface Target {
  name: string;
  path(): string;
  method: string;
  /** A body that would be taken, with `more` inside. */
  body(more: string): string;
  limit: number;
}

const targets: Target[] = [
  {
    name: 'createSpace',
    path: () => `/v1/orgs/${organization.id}/spaces`,
    method: 'POST',
    body: (more) => `{"title":"Sent"${more}}`,
    limit: mebibyte,
  },
  {
    name: 'updateSpaceById',
    path: () => `/v1/spaces/${space.id}`,
    method: 'PATCH',
    body: (more) => `{"title":"Sent"${more}}`,
    limit: mebibyte,
  },
  {
    name: 'createChangeRequest',
    path: () => `/v1/spaces/${space.id}/change-requests`,
    method: 'POST',
    body: (more) => `{"subject":"Sent"${more}}`,
    limit: mebibyte,
  },
  {
    name: 'createUserToken',
    path: () => '/v1/user/tokens',
    method: 'POST',
    body: (more) => `{"label":"Sent"${more}}`,
    limit: mebibyte,
  },
  {
    name: 'updateSpaceContent',
    path: () => `/v1/spaces/${space.id}/content`,
    method: 'POST',
    body: (more) => `{"changes":[{"operation":"insert_page","title":"Sent","document":{"markdown":"x"}}]${more}}`,
    limit: 16 * mebibyte,
  },
  {
    name: 'updateChangeRequestContent',
    path: () => `/v1/spaces/${space.id}/change-requests/${changeRequest}/content`,
    method: 'POST',
    body: (more) => `{"changes":[{"operation":"insert_page","title":"Sent","document":{"markdown":"x"}}]${more}}`,
    limit: 16 * mebibyte,
  },
];

type Sent = { body: string | Uint8Array<ArrayBuffer>; headers?: Record<string, string>; status: number };

/** Each of them would be taken but for the one thing that is wrong about it. */
const wrong: Record<string, (target: Target) => Sent> = {
  'no Content-Type': ({ body }) => ({ body: bytes(body('')), headers: type(''), status: 415 }),
  'text/plain': ({ body }) => ({ body: body(''), headers: type('text/plain;charset=UTF-8'), status: 415 }),
  'a form': ({ body }) => ({ body: body(''), headers: type('application/x-www-form-urlencoded'), status: 415 }),
  'a type that only starts like JSON': ({ body }) => ({
    body: body(''),
    headers: type('application/jsonp'),
    status: 415,
  }),
  'a duplicate key': ({ body }) => ({ body: body(',"extra":1,"extra":2'), status: 400 }),
  'a duplicate key behind an escape': ({ body }) => ({ body: body(',"extra":1,"e\\u0078tra":2'), status: 400 }),
  'a duplicate key deep inside': ({ body }) => ({ body: body(',"x":[{"y":{"a":1,"b":[],"a":2}}]'), status: 400 }),
  __proto__: ({ body }) => ({ body: body(',"__proto__":{"admin":true}'), status: 400 }),
  '__proto__ behind an escape': ({ body }) => ({ body: body(',"\\u005f_proto__":{}'), status: 400 }),
  'a BOM': ({ body }) => ({ body: `\ufeff${body('')}`, status: 400 }),
  'a lone surrogate': ({ body }) => ({ body: body(',"x":"\\ud800"'), status: 400 }),
  'a lone surrogate in a key': ({ body }) => ({ body: body(',"\\udc00":1'), status: 400 }),
  'bytes that are not UTF-8': ({ body }) => ({ body: withByte(body(',"x":"?"'), 0xff), status: 400 }),
  'arrays 100,000 deep': ({ body }) => ({ body: body(`,"x":${'['.repeat(1e5)}${']'.repeat(1e5)}`), status: 400 }),
  'objects 100,000 deep': ({ body }) => ({ body: body(`,"x":${'{"a":'.repeat(1e5)}1${'}'.repeat(1e5)}`), status: 400 }),
  'a comma too many': ({ body }) => ({ body: body(','), status: 400 }),
  'a comment': ({ body }) => ({ body: `${body('')} // x`, status: 400 }),
  'two values': ({ body }) => ({ body: `${body('')}${body('')}`, status: 400 }),
  NaN: ({ body }) => ({ body: body(',"x":NaN'), status: 400 }),
  'a raw line break in a string': ({ body }) => ({ body: body(',"x":"a\nb"'), status: 400 }),
  'the end missing': ({ body }) => ({ body: body('').slice(0, -1), status: 400 }),
  'one byte over the limit': ({ body, limit }) => ({ body: body('').padEnd(limit + 1), status: 413 }),
};

const tables = ['spaces', 'revisions', 'versions', 'change_requests', 'outbox'];
const kept = () => ({
  rows: tables.map((table) =>
    query(
      `SELECT COUNT(*) AS rows FROM ${table} WHERE ${table === 'versions' ? 'branch' : table === 'spaces' ? 'organization' : 'space'} IN (?, ?, ?)`,
      space.id,
      organization.id,
      changeRequest,
    ),
  ),
  spaces: query('SELECT title FROM spaces WHERE organization = ?', organization.id),
  tokens: query('SELECT COUNT(*) AS rows FROM tokens WHERE user = ?', organization.user),
});

describe.each(targets)('$name', (target) => {
  test.each(Object.entries(wrong))('42: refuses a body with %s, and writes nothing', async (_, make) => {
    const { body, headers, status } = make(target);
    const before = kept();

    const answer = await platform().request(target.path(), {
      token: space.token,
      method: target.method,
      body,
      ...(headers === undefined ? {} : { headers }),
    });

    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ error: { code: status, message: expect.any(String) } });
    expect(kept()).toEqual(before);
  });

  test('42: refuses a body that grows over the limit while it is sent, without a length', async () => {
    const before = kept();
    const chunk = new Uint8Array(mebibyte / 4).fill(0x20);
    let left = target.limit / chunk.length + 1;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (left-- > 0) controller.enqueue(chunk);
        else controller.close();
      },
    });

    const answer = await fetch(new URL(target.path(), platform().url), {
      method: target.method,
      body,
      duplex: 'half',
      headers: { authorization: `Bearer ${space.token}`, 'content-type': 'application/json' },
    });

    expect(answer.status).toBe(413);
    expect(kept()).toEqual(before);
  });
});

test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])(
  'a body of the type %s is taken',
  async (name) => {
    const answer = await platform().request(`/v1/spaces/${space.id}`, {
      token: space.token,
      method: 'PATCH',
      body: JSON.stringify({ title: 'Taken', constructor: { prototype: { admin: true } } }),
      headers: type(name),
    });

    expect(answer.status).toBe(200);
  },
);

test('a body just at the limit is taken', async () => {
  const body = '{"title":"At the limit"}'.padEnd(mebibyte);

  expect(await json(`/v1/spaces/${space.id}`, { token: space.token, method: 'PATCH', body })).toMatchObject({
    title: 'At the limit',
  });
});

test('31: a string of 15 MiB, of quotes or of plain text, is refused in time and not as a fault', async () => {
  for (const filler of ['x', '\\"', '\\\\', 'é']) {
    const markdown = filler.repeat(Math.floor((15 * mebibyte) / Buffer.byteLength(filler)));
    const body = `{"changes":[{"operation":"insert_page","title":"x","document":{"markdown":"${markdown}"}}]}`;
    const started = Date.now();
    const answer = await platform().request(`/v1/spaces/${space.id}/content`, { token: space.token, body });

    expect([filler, answer.status]).toEqual([filler, 400]);
    expect(Date.now() - started).toBeLessThan(10_000);
  }
});
