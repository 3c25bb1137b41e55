import { beforeAll, expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { writeDatabase } from '../support/database.ts';
import type { TestOrganization } from '../support/platform.ts';
import { platform } from '../support/platform.ts';

// Rights follow whole ids along the parent chain, never prefixes of ids, titles or paths.

const server = platform();
let organization: TestOrganization;
const getIds = (items: { id: string }[]) => items.map(({ id }) => id).sort();

/** Names that share prefixes. Each one is used for a hidden collection with a space. */
const names = ['public', 'public-secret', 'publi', 'public_', 'PUBLIC'];

beforeAll(async () => {
  organization = await server.makeOrganization();
  for (const name of names) {
    const { id } = await server.makeSpace({ organization, title: name });
    await writeDatabase(
      server,
      "INSERT INTO collections (id, organization, title, default_level, created_by, created_at) VALUES (?, ?, ?, 'none', '', 1)",
      `col_${name}`,
      organization.id,
      name,
    );
    await writeDatabase(server, 'UPDATE spaces SET parent = ? WHERE id = ?', `col_${name}`, id);
  }
});

test.each(['read', null])(
  'a role on a collection gives no access to collections with a similar ID, to a member with the role %s',
  async (role) => {
    const { token, user } = await server.makeUser({ organization: organization.id, role: role as string });
    const response = await server.request('/v1/collections/col_public/permissions', {
      token: organization.token,
      body: { users: [user], role: 'edit' },
    });
    expect(response.status).toBe(204);

    const read = <Item>(path: string) => json<{ items: Item[] }>(path, { token }, server);
    const collections = await read<{ id: string }>(`/v1/orgs/${organization.id}/collections`);
    const spaces = await read<{ id: string; title: string }>(`/v1/orgs/${organization.id}/spaces`);

    expect(getIds(collections.items)).toEqual(['col_public']);
    expect(spaces.items.map(({ title }) => title)).toEqual(['public']);
    for (const name of names) {
      const { status } = await server.request(`/v1/collections/col_${name}`, { token });
      expect([name, status]).toEqual([name, name === 'public' ? 200 : 404]);
    }
  },
);

test('a domain does not match addresses whose domain only starts or ends like it', async () => {
  const { request, makeOrganization } = server;
  const { id } = await makeOrganization();
  await writeDatabase(server, 'UPDATE organizations SET email_domains = \'["public.test"]\' WHERE id = ?', id);
  for (const domain of ['public.test.evil.test', 'xpublic.test', 'sub.public.test', 'public.tes']) {
    const { token, user } = await server.makeUser();
    await writeDatabase(server, 'UPDATE users SET email = ? WHERE id = ?', `ann@${domain}`, user);

    expect([domain, (await request(`/v1/orgs/${id}/join`, { token, method: 'POST' })).status]).toEqual([domain, 404]);
  }
});
