import { createRandomString } from '@octavo/schema';
import { beforeAll, expect, test } from 'vitest';
import { type Cost, getCost } from '../../content/space-client.ts';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import type { TestInstallation, TestIntegration } from '../../support/integrations.ts';
import { actAs, change, getPath, install, installOn, makeIntegration } from '../../support/integrations.ts';
import { multiply } from '../../support/multiply.ts';
import { until } from '../../support/own-platform.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const server = platform({ countsRows: true });

/** Tolerance in rows read, because an index search may read rows at the ends of a range. */
const fewRows = 4;
/** An organization can have at most 100 installations. */
const maxInOrganization = 90;

/** An installed integration. The API creates exactly the objects that a page of three items returns. */
interface World {
  owner: TestOrganization;
  home: TestOrganization;
  integration: TestIntegration;
  installation: TestInstallation;
  path: string;
  token: string;
  /**
   * Spaces of the organization. The integration is installed on all but the last. `sites` are created in the same way.
   */
  spaces: string[];
  sites: string[];
  title: string;
}

async function createTargets(home: TestOrganization, path: string): Promise<Pick<World, 'spaces' | 'sites'>> {
  const spaces: string[] = [];
  const sites: string[] = [];
  for (let index = 0; index < 5; index += 1) {
    spaces.push((await server.makeSpace({ organization: home })).id);
    const site = await json<{ id: string }>(`/v1/orgs/${home.id}/sites`, { token: home.token, body: {} });
    sites.push(site.id);
    if (index === 4) continue;
    await installOn(path, home, { space: spaces[index] ?? '' });
    await installOn(path, home, { site: sites[index] ?? '' });
  }
  return { spaces, sites };
}

async function createInstallations(count: number): Promise<World> {
  const owner = await server.makeOrganization();
  const home = await server.makeOrganization();
  const title = `Tool ${createRandomString(6)}`;
  const scopes = ['space:content:read', 'space:metadata:read', 'site:metadata:read'];
  const integration = await makeIntegration(owner, { scopes, title });
  for (let index = 0; index < 3; index += 1) {
    await install(integration, await server.makeOrganization());
    await install(await makeIntegration(owner, { title: `Other ${title}` }), home);
  }
  const installation = await install(integration, home);
  const path = getPath(integration, installation);
  await change(path, home.token, { externalIds: ['outside'] });
  const places = await createTargets(home, path);
  await insertInstallations(count, { home, integration, installation, ...places });
  return {
    owner,
    home,
    integration,
    installation,
    path,
    title,
    ...places,
    token: await actAs(integration, installation),
  };
}

type Filled = Pick<World, 'home' | 'integration' | 'installation' | 'spaces' | 'sites'>;

/**
 * Writes integrations of the owner, installations of this and other integrations, and spaces and sites with
 * installations directly to the database.
 */
async function insertInstallations(
  count: number,
  { home, integration, installation, spaces, sites }: Filled,
): Promise<void> {
  const tag = createRandomString(8);
  const name = `'${tag}-' || i`;
  const createId = (prefix: string) => `'${prefix}_${tag}' || i`;
  const old = { created_at: 'i' };
  await multiply('integrations', count, `x.name = '${integration.name}'`, { name, ...old });
  await multiply('organizations', count, `x.id = '${home.id}'`, { id: createId('org'), hostname: 'NULL' });
  await multiply('installations', count, `x.id = '${installation.id}'`, {
    id: createId('ins'),
    organization: createId('org'),
    ...old,
  });
  const others = { id: createId('inso'), integration: name, ...old };
  await multiply('installations', Math.min(count, maxInOrganization), `x.id = '${installation.id}'`, others);
  await multiply('spaces', count, `x.id = '${spaces[0]}'`, { id: createId('spc') });
  const site = { id: createId('site'), basename: `'${tag}' || i`, stamp: createId('site') };
  await multiply('sites', count, `x.id = '${sites[0]}'`, site);
  for (const [kind, first] of [
    ['space', spaces[0]],
    ['site', sites[0]],
  ] as const) {
    const like = `x.installation = '${installation.id}' AND x.${kind} = '${first}'`;
    const external = { external_ids: `'["outside"]'` };
    await multiply(`${kind}_installations`, count, like, {
      [kind]: createId(kind === 'space' ? 'spc' : 'site'),
      ...external,
      ...old,
    });
  }
}

type RequestInput = [path: string, token: string, options?: { method?: string; body?: unknown } | undefined];
type Operation = (world: World) => RequestInput;

const createAdminOperation =
  (path: (world: World) => string, options?: RequestInput[2]): Operation =>
  (world) => [path(world), world.home.token, options];

/** The operations on the spaces and sites of an installation. */
const onPlaces = (['space', 'site'] as const).flatMap((kind): [string, Operation][] => {
  const list = ({ path }: World) => `${path}/${kind}s`;
  const getLastTarget = (world: World) => world[`${kind}s`].at(-1);
  const createBody = (world: World) =>
    kind === 'space' ? { space: getLastTarget(world) } : { siteId: getLastTarget(world) };
  const getTargetPath = (world: World) => `${list(world)}/${getLastTarget(world)}`;
  const getAllTargetsPath = ({ integration }: World) => `/v1/integrations/${integration.name}/${kind}s?limit=`;
  const createOwnOperation =
    (more: string): Operation =>
    (world) => [`${getAllTargetsPath(world)}${more}`, world.integration.token];
  return [
    [`installing on a ${kind}`, (world) => [list(world), world.home.token, { body: createBody(world) }]],
    [`a ${kind} of it`, createAdminOperation((world) => `${getTargetPath(world)}?extended=true`)],
    [
      `changing it on a ${kind}`,
      createAdminOperation(getTargetPath, { method: 'PATCH', body: { externalIds: ['outside'] } }),
    ],
    [`its ${kind}s`, createAdminOperation((world) => `${list(world)}?limit=3`)],
    [`its ${kind}s, whole`, createAdminOperation((world) => `${list(world)}?limit=3&extended=true`)],
    [`the ${kind}s of an integration`, createOwnOperation('3')],
    [`the ${kind}s of an integration, whole`, createOwnOperation('3&extended=true')],
    [`the ${kind}s of an integration by an id of its own`, createOwnOperation('1&externalId=outside')],
    [
      `the installations on a ${kind}`,
      createAdminOperation((world) => `${getObjectPath(kind, world, getLastTarget(world))}/integrations?limit=3`),
    ],
    [`the statuses on ${kind}s`, createStatusOperation(`target=${kind}`)],
    [
      `the statuses on a ${kind}`,
      (world) => createStatusOperation(`target=${kind}&${kind}=${getLastTarget(world)}`)(world),
    ],
    [`removing the installation from a ${kind}`, createAdminOperation(getTargetPath, { method: 'DELETE' })],
  ];
});

const getObjectPath = (kind: 'space' | 'site', { home }: World, place = '') =>
  kind === 'space' ? `/v1/spaces/${place}` : `/v1/orgs/${home.id}/sites/${place}`;

function createStatusOperation(filter: string): Operation {
  return createAdminOperation(({ home }) => `/v1/orgs/${home.id}/integrations/installations-status?limit=3&${filter}`);
}

const getInstallationsPath = ({ integration }: World) => `/v1/integrations/${integration.name}/installations`;

/** The order matters: operations use objects that earlier ones create. */
const all: [string, Operation][] = [
  ['an installation', createAdminOperation(({ path }) => path)],
  [
    'changing it',
    createAdminOperation(({ path }) => path, { method: 'PATCH', body: { externalIds: ['outside', 'more'] } }),
  ],
  ['pausing it', createAdminOperation(({ path }) => path, { method: 'PATCH', body: { status: 'paused' } })],
  ['letting it go on', createAdminOperation(({ path }) => path, { method: 'PATCH', body: { status: 'active' } })],
  ['where an integration is', (world) => [`${getInstallationsPath(world)}?limit=3`, world.integration.token]],
  [
    'where an integration is by an id of its own',
    (world) => [`${getInstallationsPath(world)}?limit=1&externalId=more`, world.integration.token],
  ],
  ['a token of it', ({ path, integration }) => [`${path}/tokens`, integration.token, { method: 'POST' }]],
  ['a space that it reaches', ({ spaces, token }) => [`/v1/spaces/${spaces[0]}`, token]],
  ['a site that it reaches', ({ home, sites, token }) => [`/v1/orgs/${home.id}/sites/${sites[0]}`, token]],
  [
    'the installations of an organization',
    createAdminOperation(({ home }) => `/v1/orgs/${home.id}/installations?limit=3`),
  ],
  [
    'those with a title',
    createAdminOperation(
      ({ home, title }) => `/v1/orgs/${home.id}/installations?limit=1&search=${encodeURIComponent(title)}`,
    ),
  ],
  ['the statuses of an organization', createStatusOperation('target=organization')],
  [
    'the status of one',
    createAdminOperation(
      ({ home, integration }) => `/v1/orgs/${home.id}/integrations/${integration.name}/installation_status`,
    ),
  ],
  ['the blocks on a space', createAdminOperation(({ spaces }) => `/v1/spaces/${spaces[0]}/integration-blocks`)],
  ...onPlaces,
  ['the integrations of an owner', ({ owner }) => [`/v1/orgs/${owner.id}/integrations?limit=3`, owner.token]],
  ['an integration', ({ integration, home }) => [`/v1/integrations/${integration.name}`, home.token]],
  [
    'installing it',
    (world) => [getInstallationsPath(world), world.owner.token, { body: { organization: world.owner.id } }],
  ],
  [
    'publishing its next version',
    ({ integration, owner, title }) => [
      `/v1/integrations/${integration.name}`,
      owner.token,
      { body: { title, description: '', script: 'export default {}', visibility: 'public', organization: owner.id } },
    ],
  ],
];

async function measureEachCost(world: World): Promise<Map<string, Cost>> {
  const costs = new Map<string, Cost>();
  for (const [name, operation] of all) {
    const [path, token, options] = operation(world);
    // While the feed contains events, a status change also stores the position in the feed, so wait until the feed is
    // empty.
    await until(() =>
      query('SELECT 1 FROM feed WHERE organization = ?', world.home.id).length === 0 ? true : undefined,
    );
    // The first request of a token after a while also reads its user.
    if (options === undefined) await server.request(path, { token });
    const response = await server.request(path, { token, ...options });
    expect([name, response.status < 300, response.ok ? '' : await response.text()]).toEqual([name, true, '']);
    costs.set(name, getCost(response));
  }
  return costs;
}

const uninstall = async ({ path, home }: World): Promise<Cost> =>
  getCost(await server.request(path, { token: home.token, method: 'DELETE' }));

const sizes = { none: 1, few: 10, many: 990 };
const worlds = new Map<keyof typeof sizes, World>();
let [few, many] = [new Map<string, Cost>(), new Map<string, Cost>()];
beforeAll(async () => {
  for (const size of ['none', 'few', 'many'] as const) worlds.set(size, await createInstallations(sizes[size]));
  const measureCosts = (size: keyof typeof sizes) => measureEachCost(worlds.get(size) as World);
  await measureCosts('none');
  few = await measureCosts('few');
  many = await measureCosts('many');
});

test.each(all.map(([name]) => name))('%s costs the same at 10 and at 1,000', (name) => {
  const [one, other] = [few.get(name), many.get(name)];
  if (one === undefined || other === undefined) throw new Error('It was not measured.');
  expect(one.read + one.trips).toBeGreaterThan(0);
  expect([other.trips, other.written]).toEqual([one.trips, one.written]);
  expect(other.read - one.read).toSatisfy((more: number) => Math.abs(more) <= fewRows);
});

test('uninstalling takes three round trips, and writes a number of rows that depends on the spaces and sites', async () => {
  const [none, one, other] = await Promise.all(
    (['none', 'few', 'many'] as const).map((size) => uninstall(worlds.get(size) as World)),
  );
  if (none === undefined || one === undefined || other === undefined) throw new Error('It was not measured.');
  const [more, most] = [2 * (sizes.few - sizes.none), 2 * (sizes.many - sizes.none)];

  expect([none.trips, one.trips, other.trips]).toEqual([3, 3, 3]);
  expect((other.written - none.written) / most).toBeLessThanOrEqual((one.written - none.written) / more + 1);
  expect((other.read - none.read) / most).toBeLessThanOrEqual((one.read - none.read) / more + 1);
});
