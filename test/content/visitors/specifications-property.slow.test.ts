import fc from 'fast-check';
import { expect, test } from 'vitest';
import { getSpecs, getText } from '../../publishing/openapi/spec-client.ts';
import { platform } from '../../support/platform.ts';
import { holdsSlowly } from '../../support/random.ts';
import { createLibrary, insertComputed } from '../computed/reference-space.ts';
import type { Change } from '../space-client.ts';
import { publishSite, signVisitorToken } from './visitor-client.ts';

const names = ['a', 'b', 'c'];
const slugs = ['one', 'two', 'three'];
const claim = fc.option(fc.constantFrom(...names));
const block = fc.record({
  spec: fc.constantFrom(...slugs),
  claim,
  isElse: fc.boolean(),
  inner: claim,
  isIncluded: fc.boolean(),
});
type DrawnBlock = typeof block extends fc.Arbitrary<infer Value> ? Value : never;
const page = fc.record({
  claim,
  parent: fc.nat(),
  blocks: fc.array(block, { maxLength: 3 }),
  computed: fc.option(fc.constantFrom(...slugs), { freq: 4 }),
});
type DrawnPage = typeof page extends fc.Arbitrary<infer Value> ? Value : never;

const createCondition = (name: string) => `visitor.claims.${name}`;
const wrapInCondition = (name: string | null, text: string, isElse = false) =>
  name === null
    ? text
    : [`{% if ${createCondition(name)} %}`, ...(isElse ? ['other', '{% else %}'] : []), text, '{% endif %}'].join('\n');

/** Returns the Markdown of a block with its inner condition, which may also be in a reusable content. */
const writeBlockText = ({ spec, inner }: DrawnBlock) =>
  wrapInCondition(
    inner,
    `{% openapi-operation spec="${spec}" path="/books" method="get" %}\n{% endopenapi-operation %}`,
  );

/** Returns the specifications that visitors with these claims may see. */
function findVisibleSpecifications(pages: DrawnPage[], claims: string[]): Set<string> {
  const has = (name: string | null) => name === null || claims.includes(name);
  const shown: boolean[] = [];
  const specs = new Set<string>();
  for (const [index, { claim: own, parent: at, blocks, computed }] of pages.entries()) {
    const parent = at % (index + 1);
    const isShown = has(own) && (parent === 0 || shown[parent - 1] === true);
    shown.push(isShown);
    if (!isShown) continue;
    if (computed !== null) specs.add(computed);
    for (const { spec, claim: outer, isElse, inner } of blocks)
      if ((outer === null || has(outer) !== isElse) && has(inner)) specs.add(spec);
  }
  return specs;
}

/** Returns the changes that insert the pages. Blocks stored as reusable content are included by ID. */
const getChanges = (pages: DrawnPage[], contents: Map<DrawnBlock, string>): Change[] =>
  pages.flatMap(({ claim: own, parent: at, blocks, computed }, index) => {
    const parent = at % (index + 1);
    const texts = blocks.map((each) => {
      const content = contents.get(each);
      const text = content === undefined ? writeBlockText(each) : `{% include "/reusable-contents/${content}" %}`;
      return wrapInCondition(each.claim, text, each.isElse);
    });
    const written = {
      ...{ operation: 'insert_page', title: `Page ${index}`, ref: `page${index}` },
      document: { markdown: ['Text.', ...texts].join('\n\n') },
      ...(own === null ? {} : { condition: createCondition(own) }),
      ...(parent === 0 ? {} : { into: `page${parent - 1}` }),
    };
    return [written, ...(computed === null ? [] : [insertComputed(computed, { into: `page${index}` })])];
  });

type World = Awaited<ReturnType<typeof publishSite>>;

async function addContents({ member }: World, pages: DrawnPage[]): Promise<Map<DrawnBlock, string>> {
  const drawn = pages.flatMap(({ blocks }) => blocks).filter(({ isIncluded }) => isIncluded);
  if (drawn.length === 0) return new Map();
  await member.change(
    drawn.map((each, index) => ({
      operation: 'insert_reusable_content',
      title: `Content ${index}`,
      document: { markdown: writeBlockText(each) },
    })),
  );
  const { reusableContents } = (await member.head()) as { reusableContents: { id: string; title?: string }[] };
  return new Map(
    drawn.map((each, index) => [each, reusableContents.find(({ title }) => title === `Content ${index}`)?.id ?? '']),
  );
}

test('visitors can read a specification only if they see a page or block that uses it', async () => {
  const organization = await platform().makeOrganization();
  const specs = getSpecs(platform(), organization);
  for (const slug of slugs) await specs.publish(slug, getText(createLibrary()));
  await holdsSlowly(
    fc.asyncProperty(fc.array(page, { minLength: 1, maxLength: 5 }), fc.subarray(names), async (pages, claims) => {
      const world = await publishSite(organization);
      const contents = await addContents(world, pages);
      const branch = await world.member.open();
      const changes = getChanges(pages, contents);
      await world.member.change(changes, branch);
      const held = Object.fromEntries(claims.map((name) => [name, true]));
      const preview = { user: organization.user, changeRequest: branch };
      const previewed = signVisitorToken(organization.id, world.site.id, { claims: held, preview });
      const expected = findVisibleSpecifications(pages, claims);
      const listReadable = async (token: string) => {
        const paths = slugs.map((slug) => `${specs.base}/${slug}/versions/latest/content`);
        const statuses = await Promise.all(
          paths.map(async (path) => (await platform().request(path, { token })).status),
        );
        return slugs.filter((_, index) => statuses[index] === 200);
      };
      const drawn = JSON.stringify({ pages, claims });

      expect(await listReadable(world.visit(held).token), drawn).toEqual([]);
      expect(await listReadable(previewed), drawn).toEqual(slugs.filter((slug) => expected.has(slug)));
      await world.member.change(changes);
      expect(await listReadable(world.visit(held).token), drawn).toEqual(slugs.filter((slug) => expected.has(slug)));
    }),
    { numRuns: 50, fewest: 10, milliseconds: 60_000 },
  );
});
