import { beforeAll, describe, expect, test } from 'vitest';
import { query, queryDatabase } from '../../support/database.ts';
import { makeMember } from '../../support/people.ts';
import { platform, type TestOrganization } from '../../support/platform.ts';
import { createMinimalBody, createUniqueName, publish, readIntegration, sendPublish } from './registry-client.ts';

let owner: TestOrganization;
beforeAll(async () => {
  owner = await platform().makeOrganization('The owner');
});

const getStored = (name: string) =>
  query<Record<string, string | null>>('SELECT * FROM integrations WHERE name = ?', name)[0];

test('publishes all fields, and returns all but secrets', async () => {
  const name = createUniqueName('Full.tool_');
  const shown = {
    title: 'A full tool',
    description: 'Does a lot.',
    summary: '# All of it\n\nWith **words**.',
    visibility: 'public',
    target: 'space',
    scopes: ['space:content:read', 'site:script:inject'],
    categories: ['analytics', 'other'],
    blocks: [
      {
        id: 'card',
        title: 'A card',
        urlUnfurl: ['https://*.cards.test/**'],
        markdown: { codeblock: 'card', body: 'text' },
      },
    ],
    contentSources: [{ id: 'pages', title: 'Pages', configuration: { componentId: 'configure' } }],
    configurations: {
      account: {
        properties: {
          key: { type: 'string', title: 'Key', secret: true },
          mode: { type: 'string', enum: ['a', 'b'], default: 'a' },
          count: { type: 'number', default: 3 },
          on: { type: 'boolean' },
          sign_in: { type: 'button', callback_url: '/oauth', button_text: 'Sign in' },
        },
        required: ['key'],
      },
      site: { componentId: 'configure' },
    },
    externalLinks: [{ url: 'https://tool.test/docs', label: 'Docs' }],
    contentSecurityPolicy: { 'script-src': "'self'" },
    events: ['space.created'],
    webhook: 'https://hooks.tool.test/in',
  };
  const definition = { script: 'export default {};', secrets: { TOKEN: 'hush-hush' }, runtime: 'v2' };

  const published = await publish(owner, { name, ...shown, ...definition });

  expect(published).toMatchObject({
    ...shown,
    object: 'integration',
    name,
    version: 1,
    verified: false,
    previewImages: [],
    owner: { id: owner.id, title: 'The owner', permissions: { admin: true } },
    permissions: { admin: true, install: true },
    urls: {
      location: `${platform().url}/v1/integrations/${name}`,
      app: `${platform().url}/app/integrations/${name}`,
      publicEndpoint: `${platform().url}/integrations/${name}`,
    },
  });
  expect(JSON.stringify(published)).not.toMatch(/hush-hush|export default/);
  expect(published).toEqual(await readIntegration(name, owner.token));
  expect(published.urls).not.toHaveProperty('icon');
});

test('has defaults for omitted fields', async () => {
  const published = await publish(owner);

  expect(published).toMatchObject({
    ...{ version: 1, visibility: 'private', target: 'all', scopes: [], categories: [], externalLinks: [] },
  });
  for (const field of ['summary', 'blocks', 'contentSources', 'configurations', 'events', 'webhook']) {
    expect(published).not.toHaveProperty(field);
  }
});

test('a new version replaces all fields, but keeps the name and owner', async () => {
  const first = await publish(owner, { summary: 'Long', categories: ['other'], visibility: 'public' });
  const before = getStored(first.name);

  const second = await publish(owner, { name: first.name, title: 'Renamed' });

  expect(second).toMatchObject({ version: 2, title: 'Renamed', visibility: 'private', categories: [] });
  expect(second).not.toHaveProperty('summary');
  const after = getStored(first.name);
  expect(after?.script).not.toBe(before?.script);
  for (const column of ['account', 'signing_secret', 'created_at', 'created_by', 'organization']) {
    expect(after?.[column]).toBe(before?.[column]);
  }
});

test('an integration has an account that shows its title', async () => {
  const { name } = await publish(owner, { title: 'First title' });
  await publish(owner, { name, title: 'Second title' });

  const accounts = query<{ id: string; kind: string; display_name: string }>(
    'SELECT id, kind, display_name FROM users WHERE id = ?',
    String(getStored(name)?.account),
  );

  expect(accounts).toEqual([{ id: expect.stringMatching(/^acc_/), kind: 'integration', display_name: 'Second title' }]);
});

test('a name is case-insensitive and keeps the case of its first version', async () => {
  const { name } = await publish(owner, { name: createUniqueName('Mixed') });

  const again = await publish(owner, { name: name.toLowerCase() });

  expect(again).toMatchObject({ name, version: 2 });
  expect((await readIntegration(name.toUpperCase(), owner.token)).name).toBe(name);
});

test('twenty concurrent publishes create twenty versions', async () => {
  const name = createUniqueName();
  const spellings = [name, name.toUpperCase()];

  const all = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      publish(owner, { name: spellings[index % 2] ?? name, secrets: { A: 'b' } }),
    ),
  );

  expect(all.map(({ version }) => version).toSorted((one, other) => one - other)).toEqual(
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
  expect(new Set(all.map(({ name }) => name)).size).toBe(1);
});

test('only one of two organizations that publish the same name concurrently gets it', async () => {
  const other = await platform().makeOrganization();
  const name = createUniqueName();

  const statuses = await Promise.all(
    Array.from({ length: 10 }, async (_, index) => {
      const response = await sendPublish(index % 2 === 0 ? owner : other, name);
      return `${index % 2} ${response.status}`;
    }),
  );

  const winners = new Set(statuses.filter((each) => each.endsWith('200')).map((each) => each[0]));
  expect(winners.size).toBe(1);
  expect(new Set(statuses.map((each) => each.slice(2)))).toEqual(new Set(['200', '403']));
});

describe('access', () => {
  test('accepts the subdomain of an organization', async () => {
    const hostname = createUniqueName('sub').slice(0, 30);
    await platform().request(`/v1/orgs/${owner.id}`, { token: owner.token, method: 'PATCH', body: { hostname } });

    const published = await publish(owner, { organization: hostname });

    expect(published.owner.id).toBe(owner.id);
  });

  test.each(['create', 'review', 'edit', 'read'])('rejects a member with the role %s', async (role) => {
    const { token } = await makeMember(owner, role);

    expect((await sendPublish(owner, createUniqueName(), {}, { token })).status).toBe(403);
  });

  test('returns 404 to non-members, for any organization', async () => {
    const { token } = await platform().makeUser();
    const errors = await Promise.all(
      [owner.id, 'org_0000000000000000000a', 'nobody-has-this'].map(async (organization) => {
        const response = await sendPublish(owner, createUniqueName(), { organization }, { token });
        return {
          status: response.status,
          message: ((await response.json()) as { error: { message: string } }).error.message,
        };
      }),
    );

    expect(new Set(errors.map(({ status, message }) => `${status} ${message}`))).toEqual(
      new Set(['404 The organization in `body.organization` was not found.']),
    );
  });

  test('rejects a name that another organization uses, ignoring case, even for a private integration', async () => {
    const { name } = await publish(owner);
    const other = await platform().makeOrganization();

    expect((await sendPublish(other, name)).status).toBe(403);
    expect((await sendPublish(other, name.toUpperCase())).status).toBe(403);
    expect(await readIntegration(name, owner.token)).toMatchObject({ version: 1, title: 'A tool' });
  });

  test('rejects tokens with other scopes', async () => {
    const { token } = await platform()
      .request('/v1/user/tokens', { token: owner.token, body: { label: 'Narrow', scopes: ['integration:read'] } })
      .then((response) => response.json() as Promise<{ token: string }>);

    expect((await sendPublish(owner, createUniqueName(), {}, { token })).status).toBe(403);
  });
});

describe('secrets', () => {
  test('are kept if omitted, replaced if set, and removed by {}', async () => {
    const { name } = await publish(owner, { secrets: { A: 'hush-one' } });
    const first = getStored(name)?.secrets;
    expect(first).toMatch(/^s1\./);

    await publish(owner, { name });
    expect(getStored(name)?.secrets).toBe(first);

    await publish(owner, { name, secrets: { B: 'hush-two' } });
    const second = getStored(name)?.secrets;
    expect(second).toMatch(/^s1\./);
    expect(second).not.toBe(first);

    await publish(owner, { name, secrets: {} });
    expect(getStored(name)?.secrets).toBeNull();
  });

  test('are stored encrypted, and never appear in an error', async () => {
    const secret = createUniqueName('hush');
    const { name } = await publish(owner, { secrets: { KEY: secret } });
    const key = { 'idempotency-key': createUniqueName('key') };
    await platform().request(`/v1/integrations/${name}`, {
      token: owner.token,
      body: { ...createMinimalBody(owner), secrets: { KEY: secret } },
      headers: key,
    });
    const response = await sendPublish(owner, name, { secrets: { [secret]: 3 }, title: secret.repeat(5) });
    const { dataDir } = platform();
    const tables = queryDatabase<{ name: string }>(dataDir, "SELECT name FROM sqlite_master WHERE type = 'table'");

    const tablesWithColumn = tables.filter(({ name }) => {
      const columns = queryDatabase<{ name: string }>(dataDir, 'SELECT name FROM pragma_table_info(?)', name);
      const parts = columns.map((column) => `COALESCE(instr("${column.name}", ?), 0)`);
      const values = parts.map(() => secret);
      if (parts.length === 0) return false;
      return queryDatabase(dataDir, `SELECT 1 FROM "${name}" WHERE ${parts.join(' + ')} > 0`, ...values).length > 0;
    });

    expect(tablesWithColumn).toEqual([]);
    expect(response.status).toBe(400);
  });
});
