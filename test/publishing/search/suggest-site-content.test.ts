import { beforeAll, expect, test, vi } from 'vitest';
import { json, makePage } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import type { SuggestedList } from '../../support/search.ts';
import type { SiteWorld } from '../resolution/site-world.ts';
import { createPublishedSite, resolve } from '../resolution/site-world.ts';

let world: SiteWorld;
let token: string;
let second: string;

const suggest = async (caller: string, query: string, scope: object = { mode: 'all' }, more = '') =>
  json<SuggestedList>(`${world.path}/search/suggestions${more}`, { token: caller, body: { query, scope } });

const getTitles = ({ items }: SuggestedList) => items.map(({ title }) => title);

const visit = async (unsignedClaims = {}) =>
  (await resolve(world.base, { visitor: { type: 'public', unsignedClaims } })).apiToken;

beforeAll(async () => {
  const organization = await platform().makeOrganization();
  ({ token } = organization);
  const [one, other, unlisted] = await Promise.all(
    ['One', 'Other', 'Unlisted'].map((title) => platform().makeSpace({ organization, title })),
  );
  if (one === undefined || other === undefined || unlisted === undefined) throw new Error('A space is missing.');
  const condition = 'visitor.claims.unsigned.beta';
  const hidden = `{% if ${condition} %}\n## Heron beta\n\nwords\n{% endif %}`;
  await makePage(one, 'Herons', `A text.\n\n## Grey heron\n\n${hidden}`);
  const closed = await makePage(one, 'Closed heron', '## Heron secrets', { condition });
  await makePage(one, 'Heron below', '', { into: closed });
  await makePage(one, 'Heron off', '', { noIndex: true });
  await makePage(other, 'Other heron');
  await makePage(unlisted, 'Unlisted heron', '## Herons');
  world = await createPublishedSite({ organization, spaces: [one.id] });
  const body = { spaceId: other.id };
  second = (await json<{ id: string }>(`${world.path}/site-spaces`, { token, body })).id;
  await vi.waitFor(async () => expect((await suggest(token, 'heron')).items).toHaveLength(7), 30_000);
});

test('returns titles and headings of all site spaces in one list', async () => {
  const { items } = await suggest(await visit(), 'her');

  expect(items.map(({ title, path, page, space }) => [title, path, page.title, space.title])).toEqual([
    ['Herons', 'herons', 'Herons', 'One'],
    ['Other heron', 'other-heron', 'Other heron', 'Other'],
    ['Grey heron', 'herons#grey-heron', 'Herons', 'One'],
  ]);
  expect(getTitles(await suggest(await visit(), 'her', { mode: 'all' }, '?limit=1'))).toEqual(['Herons']);
});

test('accepts the scope of a search', async () => {
  const find = async (scope: object) => getTitles(await suggest(await visit(), 'heron', scope)).toSorted();

  expect(await find({ mode: 'default' })).toEqual(['Grey heron', 'Herons']);
  expect(await find({ mode: 'specific', siteSpaceIds: [second] })).toEqual(['Other heron']);
  expect(await find({ mode: 'specific', siteSpaceIds: ['site-space_of_another'] })).toEqual([]);
});

test('returns titles and headings under conditions only to visitors who meet them', async () => {
  const [plain, beta] = [await visit(), await visit({ beta: true })];
  const closed = ['Closed heron', 'Heron below', 'Heron beta', 'Heron secrets'];

  expect(getTitles(await suggest(beta, 'heron'))).toEqual(expect.arrayContaining(closed));
  for (const query of ['heron', 'her', 'closed', 'secre', 'secrets', 'secretz ', 'bet', 'beta', 'below'])
    for (const title of getTitles(await suggest(plain, query))) expect(closed).not.toContain(title);
  expect(await suggest(plain, 'secretz ')).toEqual({ items: [] });
  expect((await suggest(beta, 'secretz ')).correctedQuery).toBe('secrets ');
});

test('rejects bodies without a scope and limits above 20', async () => {
  const send = async (body: object, more = '') =>
    (await platform().request(`${world.path}/search/suggestions${more}`, { method: 'POST', token, body })).status;

  const scope = { mode: 'all' };
  expect([await send({ query: 'a', scope }), await send({ query: 'a' }), await send({ scope })]).toEqual([
    200, 400, 400,
  ]);
  expect([await send({ query: 'a', scope }, '?limit=20'), await send({ query: 'a', scope }, '?limit=21')]).toEqual([
    200, 400,
  ]);
});
