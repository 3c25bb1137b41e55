import type { Access, Role, Scope } from '@octavo/schema';
import { scopes } from '@octavo/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { writeDatabase } from '../support/database.ts';
import type { Operation } from '../support/endpoints.ts';
import { getAddress, operations } from '../support/endpoints.ts';
import { platform } from '../support/platform.ts';
import { seed } from '../support/random.ts';
import type { World } from '../support/world.ts';
import { createRandomWorld, makeObjects } from '../support/world.ts';

type Rank = Role | 'guest';

const ranks: Rank[] = ['guest', 'read', 'comment', 'edit', 'review', 'create', 'admin'];

/** The least role of each right, according to permissions.md. */
const leastRoles: Record<string, Record<string, Rank>> = {
  organization: {
    view: 'guest',
    listMembers: 'read',
    listTeams: 'read',
    listIntegrations: 'read',
    createContent: 'create',
    listInstallations: 'admin',
    admin: 'admin',
  },
  space: {
    view: 'read',
    access: 'read',
    comment: 'comment',
    edit: 'edit',
    review: 'review',
    merge: 'review',
    admin: 'create',
  },
  collection: { view: 'read', admin: 'create' },
  member: { view: 'read', leave: 'admin' },
  team: { view: 'read', admin: 'admin' },
  site: { view: 'read', manage: 'create' },
  openapi: { view: 'read', edit: 'create' },
};

function getLeastRole({ endpoint }: Operation): Rank | undefined {
  // Rights on installations are tested in test/integrations/installations.
  if (typeof endpoint.access === 'string' || 'integration' in endpoint.access || 'installation' in endpoint.access) {
    return undefined;
  }
  const { otherwise } = endpoint;
  const [[target, right] = []] = Object.entries(
    otherwise === undefined ? endpoint.access : { organization: otherwise },
  );
  const least = leastRoles[target ?? '']?.[right ?? ''];
  if (least === undefined) throw new Error(`The table of least roles lacks ${target} ${right}.`);
  return least;
}

const isIn = (access: Access): access is Exclude<Access, string | { integration: unknown }> =>
  typeof access !== 'string' && !('integration' in access);

const guarded = operations.filter(({ endpoint }) => endpoint.access !== 'public');
const tenanted = guarded.filter(({ endpoint }) => isIn(endpoint.access));

const server = platform();
let world: World;
let stranger: string;
const limited = new Map<Scope, { without: string; alone: string }>();

beforeAll(async () => {
  world = await createRandomWorld(server);
  stranger = (await server.makeOrganization()).token;
  for (const scope of scopes) {
    const make = async (only: Scope[]) => {
      const body = { label: 'A limited token', scopes: only };
      const { token } = world.organization;
      return (await json<{ token: string }>('/v1/user/tokens', { token, body }, server)).token;
    };
    limited.set(scope, { without: await make(scopes.filter((each) => each !== scope)), alone: await make([scope]) });
  }
});

/** Bodies without ids of objects, for operations that require a body and check access by its contents. */
const namingNothing: Record<string, object> = { createOrganizationInvite: { role: 'read' } };

const call = ({ id, endpoint }: Operation, token: string | undefined, more: { ids?: Record<string, string> } = {}) =>
  server.request(getAddress(endpoint, more.ids ?? world.ids), {
    method: endpoint.method,
    token,
    ...(namingNothing[id] === undefined ? {} : { body: namingNothing[id] }),
  });

/**
 * Whether an operation deletes or disables its object. Such an operation gets new objects, so that other operations
 * still find theirs.
 */
const removesObject = ({ endpoint }: Operation) =>
  endpoint.method === 'DELETE' || /\/(?:disable|sso)$/.test(endpoint.path);

async function makeIds(operation: Operation): Promise<Record<string, string>> {
  if (!removesObject(operation)) return world.ids;
  const idsByName = await makeObjects(server, world.organization);
  if (!operation.endpoint.path.endsWith('/:spaceId')) return { ...world.ids, ...idsByName };
  return { ...world.ids, ...idsByName, spaceId: (await server.makeSpace({ organization: world.organization })).id };
}

const tellsByItself = new Set(['date', 'octavo-request-id', 'octavo-bookmark']);

/** Returns everything that an error response reveals, without the request id, the time and the bookmark. */
async function readError(response: Response) {
  const { error } = (await response.json()) as { error: Record<string, unknown> };
  const headers = [...response.headers].filter(([name]) => !tellsByItself.has(name));
  return {
    status: response.status,
    headers,
    hasBookmark: response.headers.has('octavo-bookmark'),
    error: { ...error, requestId: '' },
  };
}

test('only operations declared as public accept requests without a token', () => {
  expect(operations.filter(({ endpoint }) => endpoint.access === 'public').map(({ id }) => id)).toEqual([
    'getApiInformation',
    'resolvePublishedContentByUrl',
    'getPublishedContentByUrl',
  ]);
});

// All operations parse this header with the same function, so it is enough to test every malformed value on a sample of
// them.
const tryingEveryHeader = new Set(guarded.filter((_, index) => index % 20 === seed % 20));

describe.each(guarded)('$id', (operation) => {
  test('returns 401 without a valid token, whether or not the IDs exist', async () => {
    const { token } = world.organization;
    const malformed = ['Bearer', 'Bearer ', `Basic ${token}`, token, `Bearer ${token} x`, `Bearer ${token}x`].concat(
      ...[`Bearer ${token},Bearer ${token}`, "Bearer ' OR 1=1 --"],
    );
    const refused = [undefined, 'Bearer octavo_unknown', ...(tryingEveryHeader.has(operation) ? malformed : [])];
    const responses = await Promise.all(
      refused.flatMap((authorization) =>
        [world.ids, {}].map(async (ids) => {
          const options = { method: operation.endpoint.method, headers: authorization ? { authorization } : {} };
          return readError(await server.request(getAddress(operation.endpoint, ids), options));
        }),
      ),
    );

    for (const response of responses)
      expect(response).toMatchObject({ status: 401, error: { type: 'unauthenticated' } });
  });

  const { scope } = operation.endpoint;
  if (scope !== 'any')
    test("returns 403 for a token without the operation's scope, and accepts a token with it", async () => {
      const ids = await makeIds(operation);
      const tokens = limited.get(scope === 'unscoped' ? 'user:read' : scope);
      const response = await call(operation, tokens?.without, { ids });

      expect(response.status).toBe(403);
      if (scope === 'unscoped') expect((await call(operation, tokens?.alone, { ids })).status).toBe(403);
      else expect([401, 403]).not.toContain((await call(operation, tokens?.alone, { ids })).status);
    });
});

describe.each(tenanted)('$id', (operation) => {
  test('returns the same 404 to a user of another organization, whether or not the IDs exist', async () => {
    const real = await readError(await call(operation, stranger));
    const madeUp = await readError(await call(operation, stranger, { ids: {} }));

    expect(real).toMatchObject({ status: 404, error: { type: 'not_found' } });
    expect(real).toEqual(madeUp);
  });

  const least = getLeastRole(operation) ?? 'guest';
  const below = ranks[ranks.indexOf(least) - 1];
  if (below !== undefined)
    test(`rejects the role ${below} and accepts the role ${least}`, async () => {
      const { access } = operation.endpoint;
      const hidden = ['space', 'collection', 'member', 'team', 'site'].some((kind) =>
        Object.hasOwn(Object(access), kind),
      );
      const unseen = below === 'guest' && hidden;

      const ids = await makeIds(operation);

      expect((await call(operation, world.users[below].token, { ids })).status).toBe(unseen ? 404 : 403);
      expect([401, 403]).not.toContain((await call(operation, world.users[least].token, { ids })).status);
    });
});

test('every operation immediately returns 404 to a disabled or removed member', async () => {
  const { makeUser, dataDir } = server;
  const organization = world.organization.id;
  const disabled = await makeUser({ organization, role: 'admin' });
  const removed = await makeUser({ organization, role: 'admin' });
  await writeDatabase(
    { dataDir },
    'UPDATE members SET disabled = 1 WHERE organization = ? AND user = ?',
    organization,
    disabled.user,
  );
  await writeDatabase(
    { dataDir },
    'DELETE FROM members WHERE organization = ? AND user = ?',
    organization,
    removed.user,
  );

  for (const operation of tenanted.filter((_, index) => index % 3 === seed % 3)) {
    for (const { token } of [disabled, removed]) {
      expect([operation.id, (await call(operation, token)).status]).toEqual([operation.id, 404]);
    }
  }
});
