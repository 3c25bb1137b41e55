import { beforeAll, describe, expect, test } from 'vitest';
import { json, makeChangeRequest } from '../support/content.ts';
import { query } from '../support/database.ts';
import type { TestOrganization, TestSpace } from '../support/platform.ts';
import { platform } from '../support/platform.ts';
import type { Target } from './wrong-bodies.ts';
import { wrongBodies } from './wrong-bodies.ts';

const mebibyte = 1024 * 1024;
const createTypeHeader = (value: string) => ({ 'content-type': value });

let organization: TestOrganization;
let space: TestSpace;
let changeRequest: string;
beforeAll(async () => {
  organization = await platform().makeOrganization();
  space = await platform().makeSpace({ organization });
  changeRequest = (await makeChangeRequest(space)).id;
});

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

const tables = ['spaces', 'revisions', 'versions', 'change_requests', 'outbox'];
const readState = () => ({
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
  test.each(Object.entries(wrongBodies))('rejects a body with %s, and writes nothing', async (_, make) => {
    const { body, headers, status } = make(target);
    const before = readState();

    const response = await platform().request(target.path(), {
      token: space.token,
      method: target.method,
      body,
      ...(headers === undefined ? {} : { headers }),
    });

    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code: status, message: expect.any(String) } });
    expect(readState()).toEqual(before);
  });

  test('rejects a body without a declared length as soon as it exceeds the limit', async () => {
    const before = readState();
    const chunk = new Uint8Array(mebibyte / 4).fill(0x20);
    let left = target.limit / chunk.length + 1;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (left-- > 0) controller.enqueue(chunk);
        else controller.close();
      },
    });

    const response = await fetch(new URL(target.path(), platform().url), {
      method: target.method,
      body,
      duplex: 'half',
      headers: { authorization: `Bearer ${space.token}`, 'content-type': 'application/json' },
    });

    expect(response.status).toBe(413);
    expect(readState()).toEqual(before);
  });
});

test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])(
  'accepts a body of the type %s',
  async (name) => {
    const response = await platform().request(`/v1/spaces/${space.id}`, {
      token: space.token,
      method: 'PATCH',
      body: JSON.stringify({ title: 'Taken' }),
      headers: createTypeHeader(name),
    });

    expect(response.status).toBe(200);
  },
);

test('accepts a body at the limit', async () => {
  const body = '{"title":"At the limit"}'.padEnd(mebibyte);

  expect(await json(`/v1/spaces/${space.id}`, { token: space.token, method: 'PATCH', body })).toMatchObject({
    title: 'At the limit',
  });
});

test('rejects a string of 15 MiB, of quotes or plain text, within the time limit and without a server error', async () => {
  for (const filler of ['x', '\\"', '\\\\', 'é']) {
    const markdown = filler.repeat(Math.floor((15 * mebibyte) / Buffer.byteLength(filler)));
    const body = `{"changes":[{"operation":"insert_page","title":"x","document":{"markdown":"${markdown}"}}]}`;
    const started = Date.now();
    const response = await platform().request(`/v1/spaces/${space.id}/content`, { token: space.token, body });

    expect([filler, response.status]).toEqual([filler, 400]);
    expect(Date.now() - started).toBeLessThan(30_000);
  }
});
