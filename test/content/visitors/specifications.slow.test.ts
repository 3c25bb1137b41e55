import { createId } from '@octavo/schema';
import { beforeEach, describe, expect, test } from 'vitest';
import { getSpecs, getText } from '../../publishing/openapi/spec-client.ts';
import { writeDatabase } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { createLibrary, insertComputed } from '../computed/reference-space.ts';
import type { Change } from '../space-client.ts';
import { getClient, getCost, insertPage } from '../space-client.ts';
import { publishSite, signVisitorToken } from './visitor-client.ts';

// Visitors may read a specification if a visible page refers to it.

type World = Awaited<ReturnType<typeof publishSite>>;

let world: World;

beforeEach(async () => {
  world = await publishSite();
  const specs = getSpecs(platform(), world.organization);
  await specs.publish('library', getText(createLibrary()));
});

const blocks = {
  operation: '{% openapi-operation spec="library" path="/books" method="get" %}\n{% endopenapi-operation %}',
  schemas: '{% openapi-schemas spec="library" schemas="Book" %}\n{% endopenapi-schemas %}',
  webhook: '{% openapi-webhook spec="library" name="returned" method="post" %}\n{% endopenapi-webhook %}',
};
const { operation } = blocks;
const wrapForStaff = (markdown: string) => `{% if visitor.claims.staff %}\n${markdown}\n{% endif %}`;
const createPage = (markdown: string, more: Partial<Change> = {}): Change => ({
  ...insertPage('Page', { document: { markdown } }),
  ...more,
});

const readSpecification = (token: string, slug = 'library') =>
  platform().request(`/v1/orgs/${world.organization.id}/openapi/${slug}/versions/latest/content`, { token });
const readStatus = async (claims = {}) => (await readSpecification(world.visit(claims).token)).status;
const readBothStatuses = async () => [await readStatus(), await readStatus({ staff: true })];

test.each(Object.entries(blocks))('a block on a page lets visitors read its specification: %s', async (_, markdown) => {
  expect(await readStatus()).toBe(404);
  const [id = ''] = await world.member.change([createPage(`Text.\n\n${markdown}\n`)]);

  const response = await readSpecification(world.visit().token);
  expect([response.status, getCost(response).trips]).toEqual([200, 2]);
  expect((await readSpecification(world.visit().token, 'other')).status).toBe(404);
  await world.member.change([{ operation: 'update_page', page: id, document: { markdown: 'Text.' } }]);
  expect(await readStatus()).toBe(404);
});

describe('a block does not let visitors read its specification because of', () => {
  test.each([
    ['a condition of the block', () => [createPage(wrapForStaff(operation))]],
    ['a condition of the page', () => [createPage(operation, { condition: 'visitor.claims.staff' })]],
    [
      'a condition of an ancestor',
      () => [
        { ...insertPage('Above'), condition: 'visitor.claims.staff', ref: 'above' } as Change,
        createPage(operation, { into: 'above' }),
      ],
    ],
  ])('a condition: %s', async (_, changes) => {
    await world.member.change(changes());

    expect(await readBothStatuses()).toEqual([404, 200]);
  });

  test('the conditions of a site space', async () => {
    await world.member.change([createPage(operation)]);
    expect(await readBothStatuses()).toEqual([200, 200]);
    await writeDatabase(
      platform(),
      "UPDATE site_spaces SET condition = 'visitor.claims.staff' WHERE site = ?",
      world.site.id,
    );

    expect(await readBothStatuses()).toEqual([404, 200]);
  });

  test('a page that is deleted, and a block in code', async () => {
    const [id = ''] = await world.member.change([createPage(operation)]);
    expect(await readStatus()).toBe(200);
    await world.member.change([{ operation: 'delete_page', page: id }]);
    expect(await readStatus()).toBe(404);
    await world.member.change([createPage(`\`\`\`\n${operation}\n\`\`\``)]);

    expect(await readStatus()).toBe(404);
  });

  test('a change request that is not merged', async () => {
    const branch = await world.member.open();
    await world.member.change([createPage(operation)], branch);
    expect(await readStatus()).toBe(404);

    await world.member.merge(branch);
    expect(await readStatus()).toBe(200);
  });
});

describe('a block in reusable content', () => {
  async function createSharedContent(markdown: string): Promise<string> {
    const before = new Set((await world.member.head()).reusableContents.map(({ id }) => id));
    await world.member.change([
      { operation: 'insert_reusable_content', title: 'Shared', document: { markdown } } as Change,
    ]);
    const { reusableContents } = await world.member.head();
    return reusableContents.find(({ id }) => !before.has(id))?.id ?? '';
  }
  const createInclude = (id: string) => `{% include "/reusable-contents/${id}" %}\n`;

  test('lets visitors read its specification if a visible page includes the content, also indirectly', async () => {
    const inner = await createSharedContent(operation);
    expect(await readStatus()).toBe(404);
    const outer = await createSharedContent(createInclude(inner));
    expect(await readStatus()).toBe(404);
    await world.member.change([createPage(createInclude(outer))]);

    expect(await readStatus()).toBe(200);
  });

  test('requires all conditions on the include path', async () => {
    const inner = await createSharedContent(wrapForStaff(operation));
    const outer = await createSharedContent(`{% if visitor.claims.open %}\n${createInclude(inner)}\n{% endif %}`);
    await world.member.change([createPage(`{% if visitor.claims.reader %}\n${createInclude(outer)}\n{% endif %}`)]);

    const all = { staff: true, open: true, reader: true };
    expect(await readStatus(all)).toBe(200);
    for (const each of Object.keys(all)) expect(await readStatus({ ...all, [each]: false })).toBe(404);
  });
});

describe('a preview', () => {
  const createPreviewToken = (more: object, user = world.organization.user) =>
    signVisitorToken(world.organization.id, world.site.id, { preview: { user, ...more } });

  test('can read the specifications used by its change request or revision and by the live content', async () => {
    const changeRequest = await world.member.open();
    await world.member.change([createPage(operation)], changeRequest);
    expect((await readSpecification(createPreviewToken({}))).status).toBe(404);
    expect((await readSpecification(createPreviewToken({ changeRequest }))).status).toBe(200);

    const [id = ''] = await world.member.change([createPage(operation)]);
    const { id: revision } = await world.member.head();
    await world.member.change([{ operation: 'delete_page', page: id }]);
    expect((await readSpecification(createPreviewToken({ revision }))).status).toBe(200);
    expect((await readSpecification(createPreviewToken({}))).status).toBe(404);
  });

  test('cannot read specifications of a space that the member cannot view', async () => {
    await world.member.change([createPage(operation)]);
    const reader = await platform().makeUser({ organization: world.organization.id, role: 'read' });
    expect((await readSpecification(createPreviewToken({}, reader.user))).status).toBe(200);
    await writeDatabase(platform(), "UPDATE spaces SET default_level = 'none' WHERE id = ?", world.space.id);

    expect((await readSpecification(createPreviewToken({}, reader.user))).status).toBe(404);
    expect((await readSpecification(createPreviewToken({}, createId('user')))).status).toBe(404);
    expect(await readStatus()).toBe(200);
  });
});

test('a copied space gives visitors access to the specifications it inherits, until it deletes the page', async () => {
  const [id = ''] = await world.member.change([createPage(operation)]);
  const { id: copied } = await world.member.callJson<{ id: string }>('/duplicate', { method: 'POST', body: {} });
  await writeDatabase(platform(), 'UPDATE site_spaces SET space = ? WHERE site = ?', copied, world.site.id);
  expect(await readStatus()).toBe(200);
  const copy = getClient(platform(), { id: copied, token: world.organization.token });
  await copy.change([{ operation: 'delete_page', page: id }]);

  expect(await readStatus()).toBe(404);
});

test('reads rows up to the first visible use, whatever the number of pages', async () => {
  const countRowsRead = async () => getCost(await readSpecification(world.visit().token)).read;
  await world.member.change(Array.from({ length: 12 }, () => createPage(operation)));
  const few = await countRowsRead();
  await world.member.change(Array.from({ length: 40 }, () => createPage(operation)));

  expect((await countRowsRead()) - few).toBeLessThanOrEqual(5);
  await world.member.change([insertComputed('library')]);
  const response = await readSpecification(world.visit().token);
  expect([response.status, getCost(response).trips]).toEqual([200, 2]);
});

test('finds a visible page among many hidden ones', async () => {
  const hidden = { condition: 'visitor.claims.staff' };
  await world.member.change(Array.from({ length: 45 }, () => createPage(operation, hidden)));
  expect(await readStatus()).toBe(404);
  await world.member.change([createPage(operation)]);

  expect(await readStatus()).toBe(200);
});

test('reads the variables of a space once, however many of its pages use the specification', async () => {
  const hidden = { condition: 'space.vars.v0 == "open"' };
  const countRowsRead = async () => {
    const response = await readSpecification(world.visit().token);
    expect(response.status).toBe(200);
    return getCost(response).read;
  };
  await world.member.change(Array.from({ length: 40 }, () => createPage(operation, hidden)));
  await world.member.change([createPage(operation, { condition: '!space.vars.v0 || space.vars.v0 == "a"' })]);
  const before = await countRowsRead();
  const variables = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`v${index}`, 'a']));
  await world.member.change([{ operation: 'set_variables', variables } as Change]);

  expect((await countRowsRead()) - before).toBeLessThan(50 * 2 * 4);
  await world.member.change([{ operation: 'set_variables', variables: { v0: 'closed' } } as Change]);
  expect(await readStatus()).toBe(404);
});
