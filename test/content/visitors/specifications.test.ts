import { createId } from '@octavo/schema';
import { beforeEach, describe, expect, test } from 'vitest';
import { getSpecs, getText } from '../../publishing/openapi/spec-client.ts';
import { writePast } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { insertComputed, library } from '../computed/reference-space.ts';
import type { Change } from '../space-client.ts';
import { getClient, getCost, insertPage } from '../space-client.ts';
import { published, visitorToken } from './visitor-client.ts';

// Visitors may read a specification if a visible page refers to it.

type World = Awaited<ReturnType<typeof published>>;

let world: World;

beforeEach(async () => {
  world = await published();
  const specs = getSpecs(platform(), world.organization);
  await specs.publish('library', getText(library()));
});

const blocks = {
  operation: '{% openapi-operation spec="library" path="/books" method="get" %}\n{% endopenapi-operation %}',
  schemas: '{% openapi-schemas spec="library" schemas="Book" %}\n{% endopenapi-schemas %}',
  webhook: '{% openapi-webhook spec="library" name="returned" method="post" %}\n{% endopenapi-webhook %}',
};
const { operation } = blocks;
const staffOnly = (markdown: string) => `{% if visitor.claims.staff %}\n${markdown}\n{% endif %}`;
const page = (markdown: string, more: Partial<Change> = {}): Change => ({
  ...insertPage('Page', { document: { markdown } }),
  ...more,
});

const readWith = (token: string, slug = 'library') =>
  platform().request(`/v1/orgs/${world.organization.id}/openapi/${slug}/versions/latest/content`, { token });
const status = async (claims = {}) => (await readWith(world.visit(claims).token)).status;
const both = async () => [await status(), await status({ staff: true })];

test.each(Object.entries(blocks))('a block on a page lets visitors read its specification: %s', async (_, markdown) => {
  expect(await status()).toBe(404);
  const [id = ''] = await world.member.change([page(`Text.\n\n${markdown}\n`)]);

  const answer = await readWith(world.visit().token);
  expect([answer.status, getCost(answer).trips]).toEqual([200, 2]);
  expect((await readWith(world.visit().token, 'other')).status).toBe(404);
  await world.member.change([{ operation: 'update_page', page: id, document: { markdown: 'Text.' } }]);
  expect(await status()).toBe(404);
});

describe('a block does not let visitors read its specification because of', () => {
  test.each([
    ['a condition of the block', () => [page(staffOnly(operation))]],
    ['a condition of the page', () => [page(operation, { condition: 'visitor.claims.staff' })]],
    [
      'a condition above the page',
      () => [
        { ...insertPage('Above'), condition: 'visitor.claims.staff', ref: 'above' } as Change,
        page(operation, { into: 'above' }),
      ],
    ],
  ])('a condition: %s', async (_, changes) => {
    await world.member.change(changes());

    expect(await both()).toEqual([404, 200]);
  });

  test('the conditions of a site space', async () => {
    await world.member.change([page(operation)]);
    expect(await both()).toEqual([200, 200]);
    await writePast(
      platform(),
      "UPDATE site_spaces SET condition = 'visitor.claims.staff' WHERE site = ?",
      world.site.id,
    );

    expect(await both()).toEqual([404, 200]);
  });

  test('a page that is deleted, and a block in code', async () => {
    const [id = ''] = await world.member.change([page(operation)]);
    expect(await status()).toBe(200);
    await world.member.change([{ operation: 'delete_page', page: id }]);
    expect(await status()).toBe(404);
    await world.member.change([page(`\`\`\`\n${operation}\n\`\`\``)]);

    expect(await status()).toBe(404);
  });

  test('a change request that is not merged', async () => {
    const branch = await world.member.open();
    await world.member.change([page(operation)], branch);
    expect(await status()).toBe(404);

    await world.member.merge(branch);
    expect(await status()).toBe(200);
  });
});

describe('a block in reusable content', () => {
  async function shared(markdown: string): Promise<string> {
    const before = new Set((await world.member.head()).reusableContents.map(({ id }) => id));
    await world.member.change([
      { operation: 'insert_reusable_content', title: 'Shared', document: { markdown } } as Change,
    ]);
    const { reusableContents } = await world.member.head();
    return reusableContents.find(({ id }) => !before.has(id))?.id ?? '';
  }
  const including = (id: string) => `{% include "/reusable-contents/${id}" %}\n`;

  test('lets visitors read its specification if a visible page includes the content, also indirectly', async () => {
    const inner = await shared(operation);
    expect(await status()).toBe(404);
    const outer = await shared(including(inner));
    expect(await status()).toBe(404);
    await world.member.change([page(including(outer))]);

    expect(await status()).toBe(200);
  });

  test('requires all conditions on the include path', async () => {
    const inner = await shared(staffOnly(operation));
    const outer = await shared(`{% if visitor.claims.open %}\n${including(inner)}\n{% endif %}`);
    await world.member.change([page(`{% if visitor.claims.reader %}\n${including(outer)}\n{% endif %}`)]);

    const all = { staff: true, open: true, reader: true };
    expect(await status(all)).toBe(200);
    for (const each of Object.keys(all)) expect(await status({ ...all, [each]: false })).toBe(404);
  });
});

describe('a preview', () => {
  const preview = (more: object, user = world.organization.user) =>
    visitorToken(world.organization.id, world.site.id, { preview: { user, ...more } });

  test('can read the specifications used by its change request or revision and by the live content', async () => {
    const changeRequest = await world.member.open();
    await world.member.change([page(operation)], changeRequest);
    expect((await readWith(preview({}))).status).toBe(404);
    expect((await readWith(preview({ changeRequest }))).status).toBe(200);

    const [id = ''] = await world.member.change([page(operation)]);
    const { id: revision } = await world.member.head();
    await world.member.change([{ operation: 'delete_page', page: id }]);
    expect((await readWith(preview({ revision }))).status).toBe(200);
    expect((await readWith(preview({}))).status).toBe(404);
  });

  test('cannot read specifications of a space that the member cannot view', async () => {
    await world.member.change([page(operation)]);
    const reader = await platform().makeUser({ organization: world.organization.id, role: 'read' });
    expect((await readWith(preview({}, reader.user))).status).toBe(200);
    await writePast(platform(), "UPDATE spaces SET default_level = 'none' WHERE id = ?", world.space.id);

    expect((await readWith(preview({}, reader.user))).status).toBe(404);
    expect((await readWith(preview({}, createId('user')))).status).toBe(404);
    expect(await status()).toBe(200);
  });
});

test('a copied space gives visitors access to the specifications it inherits, until it deletes the page', async () => {
  const [id = ''] = await world.member.change([page(operation)]);
  const { id: copied } = await world.member.ok<{ id: string }>('/duplicate', { method: 'POST', body: {} });
  await writePast(platform(), 'UPDATE site_spaces SET space = ? WHERE site = ?', copied, world.site.id);
  expect(await status()).toBe(200);
  const copy = getClient(platform(), { id: copied, token: world.organization.token });
  await copy.change([{ operation: 'delete_page', page: id }]);

  expect(await status()).toBe(404);
});

test('reads rows up to the first visible use, whatever the number of pages', async () => {
  const rowsRead = async () => getCost(await readWith(world.visit().token)).read;
  await world.member.change(Array.from({ length: 12 }, () => page(operation)));
  const few = await rowsRead();
  await world.member.change(Array.from({ length: 40 }, () => page(operation)));

  expect((await rowsRead()) - few).toBeLessThanOrEqual(5);
  await world.member.change([insertComputed('library')]);
  const answer = await readWith(world.visit().token);
  expect([answer.status, getCost(answer).trips]).toEqual([200, 2]);
});

test('finds a visible page among many hidden ones', async () => {
  const hidden = { condition: 'visitor.claims.staff' };
  await world.member.change(Array.from({ length: 45 }, () => page(operation, hidden)));
  expect(await status()).toBe(404);
  await world.member.change([page(operation)]);

  expect(await status()).toBe(200);
});

test('reads the variables of a space once, however many of its pages use the specification', async () => {
  const hidden = { condition: 'space.vars.v0 == "open"' };
  const rowsRead = async () => {
    const answer = await readWith(world.visit().token);
    expect(answer.status).toBe(200);
    return getCost(answer).read;
  };
  await world.member.change(Array.from({ length: 40 }, () => page(operation, hidden)));
  await world.member.change([page(operation, { condition: '!space.vars.v0 || space.vars.v0 == "a"' })]);
  const before = await rowsRead();
  const variables = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`v${index}`, 'a']));
  await world.member.change([{ operation: 'set_variables', variables } as Change]);

  expect((await rowsRead()) - before).toBeLessThan(50 * 2 * 4);
  await world.member.change([{ operation: 'set_variables', variables: { v0: 'closed' } } as Change]);
  expect(await status()).toBe(404);
});
