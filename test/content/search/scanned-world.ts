import fc from 'fast-check';
import { expect } from 'vitest';
import { makeSite } from '../../publishing/sites/site-client.ts';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import type { FoundSpace } from '../../support/search.ts';
import { createHtml, importAll, serveSite } from '../imports/site.ts';
import type { Change, SpaceClient, TreePage } from '../space-client.ts';
import { flatten, getClient } from '../space-client.ts';
import { getLifecycles } from '../spaces/space-life.ts';
import { signVisitorToken } from '../visitors/visitor-client.ts';

export const words = ['otter', 'walrus', 'penguin', 'gannet', 'heron'];
const claims = ['a', 'b'];
const maxPages = 7;

const actions = [
  ...[
    'insert',
    'insert',
    'insert',
    'write',
    'write',
    'rename',
    'move',
    'delete',
    'restore',
    'merge',
    'noIndex',
    'condition',
  ],
  ...['import', 'transfer', 'grant', 'removal'],
  ...['propose', 'propose', 'propose', 'propose', 'update', 'mergeProposal'],
] as const;
/** The kinds of changes that a `propose` operation can make in a change request. */
const proposals = ['insert', 'write', 'rename', 'move', 'delete', 'noIndex'] as const;

/** A random operation. Its numbers are indexes, modulo the number of items that exist when it runs. */
const step = fc.record({
  action: fc.constantFrom(...actions),
  space: fc.nat({ max: 2 }),
  page: fc.nat({ max: 30 }),
  other: fc.nat({ max: 30 }),
  texts: fc.array(fc.subarray(words), { minLength: 3, maxLength: 3 }),
  claim: fc.constantFrom(...claims),
  isSet: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
const insertion = step.map((each) => ({ ...each, action: 'insert' as const }));
export const program = fc.tuple(
  fc.array(insertion, { minLength: 6, maxLength: 8 }),
  fc.array(fc.array(step, { minLength: 8, maxLength: 12 }), { minLength: 2, maxLength: 2 }),
);

const pick = <Item>(items: Item[], index: number): Item | undefined => items[index % Math.max(items.length, 1)];
export const createCondition = (claim: string) => `visitor.claims.unsigned.${claim}`;
const hide = (claim: string, text: string) => `{% if ${createCondition(claim)} %}\n\n${text}\n\n{% endif %}\n`;

/** Returns a text whose last part is only visible with a claim. */
const write = ({ texts: [shown = [], heading = [], hidden = []], claim }: Step): string =>
  `plain ${shown.join(' ')}\n\n## Heading ${heading.join(' ')}\n\nplain\n\n${hide(claim, `plain ${hidden.join(' ')}`)}`;

/** A page as an admin reads it. */
export interface ReadPage {
  space: string;
  id: string;
  title: string;
  path: string;
  text: string;
  /** The conditions of the page and its ancestors. */
  conditions: string[];
}

/** A search by one reader: the spaces that it covers and the reader's claims. Null claims ignore conditions. */
export interface Way {
  name: string;
  spaces: string[];
  claims: string[] | null;
  /** The change request that is searched. */
  branch?: string;
  search: (words: string) => Promise<{ count: number; correctedQuery?: string; spaces: FoundSpace[] }>;
}

interface Results<Item> {
  count: number;
  items: Item[];
  correctedQuery?: string;
}

/** Creates two organizations of the same admin, three spaces, a guest, and a site with the first two spaces. */
export async function createScannedSite() {
  const server = platform();
  const organization = await server.makeOrganization();
  const { id } = await json<{ id: string }>('/v1/orgs', { token: organization.token, body: { title: 'The other' } });
  const organizations: TestOrganization[] = [organization, { ...organization, id }];
  const spaces: SpaceClient[] = [];
  for (const title of ['First', 'Second', 'Third'])
    spaces.push(getClient(server, await server.makeSpace({ organization, title })));
  const [first = '', second = ''] = spaces.map(({ space }) => space);
  const site = await makeSite(organization, { spaces: [first, second] });
  await site.publish();
  const guest = await server.makeUser({ organization: organization.id, role: null as unknown as string });
  const lives = getLifecycles(organization);
  const owners = spaces.map(() => 0);
  const granted = new Set<string>();
  const revisions = new Map<string, string[]>(spaces.map(({ space }) => [space, []]));
  const everyPage = new Map<string, string[]>(spaces.map(({ space }) => [space, []]));
  /** The last change request of each space, by space. `merged` contains all merged change requests. */
  const branches = new Map<string, string>();
  const merged = new Set<string>();
  let [count, isThirdRemoved] = [0, false];

  const grant = async (space: string, isSet: boolean) => {
    const response = await lives.grant(`spaces/${space}`, [guest.user], isSet ? 'read' : null);
    expect(response.status).toBeLessThan(300);
    if (isSet) granted.add(space);
    else granted.delete(space);
  };

  /** Sends an edit, which may be rejected, such as a move of a page below itself. */
  const edit = async (client: SpaceClient, changes: Change[], branch?: string) => {
    const { status, body } = await client.edit(changes, branch);
    const isBelowItself = body.error?.message.includes('must not be the page itself');
    if (status !== 409 && !isBelowItself) expect([status, body.error?.message]).toEqual([200, undefined]);
  };

  async function change(client: SpaceClient, step: Step, branch?: string): Promise<void> {
    const pages = flatten(await client.pages(branch));
    const { id: page } = pick(pages, step.page) ?? {};
    const { id: into = null } = pick(pages, step.other) ?? {};
    const [title = []] = step.texts;
    const update = (more: object) =>
      page === undefined ? Promise.resolve() : edit(client, [{ operation: 'update_page', page, ...more }], branch);
    count += 1;
    if (step.action === 'write') await update({ document: { markdown: write(step) } });
    else if (step.action === 'rename') await update({ title: `Title ${count} ${title.join(' ')}` });
    else if (step.action === 'move') await update({ into: step.isSet ? into : null });
    else if (step.action === 'noIndex') await update({ noIndex: step.isSet });
    else if (step.action === 'condition') await update({ condition: step.isSet ? createCondition(step.claim) : '' });
    else if (step.action === 'delete' && page !== undefined)
      await edit(client, [{ operation: 'delete_page', page }], branch);
    else if (pages.length < maxPages)
      await edit(
        client,
        [
          {
            ...{
              operation: 'insert_page',
              title: `Title ${count} ${title.join(' ')}`,
              document: { markdown: write(step) },
            },
            ...(step.isSet && step.page % 2 === 0 ? { condition: createCondition(step.claim) } : {}),
            ...(step.other % 2 === 0 ? { into } : {}),
          },
        ],
        branch,
      );
  }

  /** Returns the open change request of a space. */
  async function getOpen(client: SpaceClient): Promise<string> {
    const last = branches.get(client.space);
    const branch = last === undefined || merged.has(last) ? await client.open() : last;
    branches.set(client.space, branch);
    return branch;
  }

  /** Changes, updates or merges the open change request of a space. */
  async function changeOpenRequest(client: SpaceClient, step: Step): Promise<void> {
    const branch = await getOpen(client);
    if (step.action === 'propose')
      return change(client, { ...step, action: proposals[step.other % proposals.length] ?? 'write' }, branch);
    const { status, body } = await (step.action === 'update' ? client.update(branch) : client.merge(branch));
    if (status !== 409) expect([status, body.error?.message]).toEqual([200, undefined]);
    if (body.result === 'merge') merged.add(branch);
  }

  async function removeOrRestore(space: string): Promise<void> {
    const response = isThirdRemoved ? await lives.restore(space) : await lives.remove(space);
    expect(response.status).toBeLessThan(300);
    isThirdRemoved = !isThirdRemoved;
  }

  async function transferSpace(space: string): Promise<void> {
    const owner = 1 - (owners[2] ?? 0);
    expect((await lives.transfer(space, organizations[owner]?.id)).status).toBe(200);
    owners[2] = owner;
    // Permissions stay in the previous organization.
    granted.delete(space);
  }

  /** Makes the second space the only one that the guest sees, and moves all spaces to the first organization. */
  async function hideSpaces(): Promise<void> {
    const [one = '', two = '', three = ''] = spaces.map(({ space }) => space);
    if (isThirdRemoved) await removeOrRestore(three);
    if (owners[2] === 1) await transferSpace(three);
    for (const space of [one, three]) await grant(space, false);
    await grant(two, true);
  }

  async function run(step: Step): Promise<void> {
    const client = spaces[step.space] as SpaceClient;
    const { space } = client;
    const third = spaces[2]?.space ?? '';
    const isForeign = space === third && (isThirdRemoved || owners[2] === 1);
    if (step.action === 'grant') return isForeign ? undefined : grant(space, step.isSet);
    if (step.action === 'removal') return removeOrRestore(third);
    if (space === third && isThirdRemoved) return;
    if (step.action === 'transfer') return isThirdRemoved ? undefined : transferSpace(third);
    if (step.action === 'propose' || step.action === 'update' || step.action === 'mergeProposal')
      return changeOpenRequest(client, step);
    const known = everyPage.get(space) ?? [];
    for (const { id: page } of flatten(await client.pages())) if (!known.includes(page)) known.push(page);
    revisions.get(space)?.push((await client.head()).id);
    if (step.action === 'restore') {
      const [page, revision] = [pick(known, step.page), pick(revisions.get(space) ?? [], step.other)];
      if (page !== undefined) {
        const { status } = await client.edit([{ operation: 'revert_page', page, revision }]);
        expect(status).toBeLessThan(500);
      }
    } else if (step.action === 'merge') {
      const branch = await client.open();
      await change(client, { ...step, action: 'write' }, branch);
      await change(client, { ...step, action: 'rename', page: step.other }, branch);
      await change(client, { ...step, action: step.isSet ? 'insert' : 'delete' }, branch);
      expect((await client.merge(branch)).status).toBe(200);
    } else if (step.action === 'import') {
      if (flatten(await client.pages()).length >= maxPages) return;
      count += 1;
      const { url } = await serveSite({
        '/': createHtml(`Import ${count}`, `<p>plain ${step.texts.flat().join(' ')}</p>`),
      });
      expect((await importAll(client, { url })).status).toBe('completed');
    } else await change(client, step);
  }

  /** Waits until no event or job of the organizations is waiting. */
  const waitUntilIndexed = () =>
    until(() => {
      const [a = '', b = ''] = organizations.map((each) => each.id);
      const waiting = query('SELECT type FROM outbox WHERE done_at IS NULL AND organization IN (?, ?)', a, b);
      return waiting.length === 0 || undefined;
    });

  /** Reads all pages of a space that can be searched. */
  async function readPages(client: SpaceClient, branch?: string): Promise<ReadPage[]> {
    if (client === spaces[2] && isThirdRemoved) return [];
    const read = async (pages: TreePage[], above: string[]): Promise<ReadPage[]> => {
      const readPages: ReadPage[] = [];
      for (const { id: page, title, pages: below = [] } of pages) {
        const { markdown = '', path = '', condition: own, noIndex } = await client.page(page, branch);
        if (noIndex) continue;
        const conditions = [...above, ...(own === undefined ? [] : [own])];
        readPages.push({ space: client.space, id: page, title, path, text: markdown, conditions });
        readPages.push(...(await read(below, conditions)));
      }
      return readPages;
    };
    return read(await client.pages(branch), []);
  }

  const createSpaceSearch = (client: SpaceClient, token: string, branch?: string) => async (text: string) => {
    const at = branch === undefined ? '' : `/change-requests/${branch}`;
    const path = `/v1/spaces/${client.space}${at}/search?limit=100&query=${encodeURIComponent(text)}`;
    const { count: total, items, ...rest } = await json<Results<FoundSpace['pages'][number]>>(path, { token });
    return { ...rest, count: total, spaces: [{ id: client.space, title: '', pages: items }] };
  };
  const createOrganizationSearch = (owner: string, token: string) => async (text: string) => {
    const path = `/v1/orgs/${owner}/search?limit=100&query=${encodeURIComponent(text)}`;
    const { items, ...rest } = await json<Results<FoundSpace>>(path, { token });
    return { ...rest, spaces: items };
  };
  const createSiteSearch = (token: string) => async (text: string) => {
    const body = { query: text, scope: { mode: 'all' } };
    const { items, ...rest } = await json<Results<FoundSpace>>(`${site.base}/search?limit=100`, { token, body });
    return { ...rest, spaces: items };
  };

  const visits = [[], ['a'], ['a', 'b']].map((held): Way => {
    const unsigned = Object.fromEntries(held.map((each) => [each, true]));
    const token = signVisitorToken(organization.id, site.id, { claims: { unsigned } });
    return { name: `visitor with ${held}`, spaces: [first, second], claims: held, search: createSiteSearch(token) };
  });

  /** Returns all searches, with the spaces that each covers. */
  function listSearches(): Way[] {
    const { token } = organization;
    const live = spaces.filter((client) => client !== spaces[2] || !isThirdRemoved);
    const getOwnedSpaces = (owner: number) =>
      live.filter((client) => owners[spaces.indexOf(client)] === owner).map(({ space }) => space);
    const ofGuest = getOwnedSpaces(0).filter((space) => granted.has(space));
    const asMember = { claims: null };
    return [
      ...live.map((client) => ({
        ...asMember,
        name: `admin in ${client.space}`,
        spaces: [client.space],
        search: createSpaceSearch(client, token),
      })),
      ...live.flatMap((client) => {
        const branch = branches.get(client.space);
        if (branch === undefined) return [];
        const name = `admin in ${branch} of ${client.space}`;
        return [
          { ...asMember, name, spaces: [client.space], branch, search: createSpaceSearch(client, token, branch) },
        ];
      }),
      ...live
        .filter(({ space }) => ofGuest.includes(space))
        .map((client) => ({
          ...asMember,
          name: `guest in ${client.space}`,
          spaces: [client.space],
          search: createSpaceSearch(client, guest.token),
        })),
      ...organizations.map(({ id: owner }, number) => ({
        ...{
          ...asMember,
          name: `admin in ${owner}`,
          spaces: getOwnedSpaces(number),
          search: createOrganizationSearch(owner, token),
        },
      })),
      {
        ...asMember,
        name: 'guest in the organization',
        spaces: ofGuest,
        search: createOrganizationSearch(organization.id, guest.token),
      },
      { ...asMember, name: 'admin in the site', spaces: [first, second], search: createSiteSearch(token) },
      ...visits,
    ];
  }

  /** Adds text that neither the visitors nor the guest may see. */
  async function addHiddenText(): Promise<void> {
    const markdown = `pengiun walrsu penguins ${words.join(' ').repeat(5)} penguinish pengus\n`;
    const page = { operation: 'insert_page', title: words.join(' '), document: { markdown } };
    await spaces[0]?.change([{ ...page, condition: createCondition('never') }]);
    await spaces[2]?.change([page]);
    const [written] = flatten((await spaces[0]?.pages()) ?? []).filter(({ title }) => title.startsWith('Title'));
    if (written === undefined) return;
    const { markdown: before = '' } = (await spaces[0]?.page(written.id)) ?? {};
    const document = { markdown: `${before}\n${hide('never', markdown)}` };
    await spaces[0]?.change([{ operation: 'update_page', page: written.id, document }]);
  }

  return {
    ...{ run, indexed: waitUntilIndexed, listWays: listSearches, visits, addHiddenText, hideSpaces },
    openChangeRequests: () => Promise.all(spaces.map(getOpen)),
    readAll: async () => (await Promise.all(spaces.map((client) => readPages(client)))).flat(),
    /** Reads the pages of a change request. */
    readBranch: (space: string, branch: string) =>
      readPages(spaces.find((client) => client.space === space) as SpaceClient, branch),
    guestWay: () => listSearches().filter(({ name }) => name === 'guest in the organization'),
    removeHiddenText: async () => {
      for (const client of spaces) {
        const hidden = flatten(await client.pages()).filter(({ title }) => title === words.join(' '));
        for (const each of hidden) await client.change([{ operation: 'delete_page', page: each.id }]);
      }
    },
  };
}
