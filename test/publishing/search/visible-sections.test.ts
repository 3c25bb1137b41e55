import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { Change } from '../../content/space-client.ts';
import { getClient } from '../../content/space-client.ts';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { holdsSlowly } from '../../support/random.ts';
import type { SuggestedList } from '../../support/search.ts';
import { createPublishedSite, resolve } from '../resolution/site-world.ts';

const names = ['a', 'b', 'c'];
const claim = fc.constantFrom(...names);
/** The lines of a block, or all of it, may be in a reusable content that the page includes. */
const block = fc.record({
  ...{ claim: fc.option(claim), isElse: fc.boolean(), inner: fc.option(claim) },
  included: fc.constantFrom('none', 'lines', 'block', 'nested'),
});
const page = fc.record({ claim: fc.option(claim), parent: fc.nat(), blocks: fc.array(block, { maxLength: 3 }) });
type DrawnPage = typeof page extends fc.Arbitrary<infer Value> ? Value : never;
const held = fc.subarray(names);

interface Marked {
  word: string;
  isShown: boolean;
  /** Whether the word is in a title or heading. */
  isHeading: boolean;
}

/** Returns random pages with random conditions. Each text contains a unique word. */
function getContent(pages: DrawnPage[], claims: string[]) {
  const has = (name: string | null) => name === null || claims.includes(name);
  const createCondition = (name: string) => `visitor.claims.unsigned.${name}`;
  const marked: Marked[] = [];
  const visibilities: boolean[] = [];
  const mark = (isShown: boolean, isHeading = false) => {
    const word = `marker${marked.length}x`;
    marked.push({ word, isShown, isHeading });
    return word;
  };
  const contents: Change[] = [];
  /** Stores lines in a reusable content, and returns its include. */
  const include = (lines: string[]) => {
    const name = `content${contents.length}.md`;
    const git = { path: name };
    const document = { markdown: lines.join('\n') };
    contents.push({ operation: 'insert_reusable_content', title: name, git, document });
    return ['', `{% include "${name}" %}`, ''];
  };
  const changes = pages.map(({ claim: own, parent: at, blocks }, index) => {
    const parent = at % (index + 1);
    const isShown = has(own) && (parent === 0 || visibilities[parent - 1] === true);
    visibilities.push(isShown);
    const texts = blocks.map(({ claim: outer, isElse, inner, included }) => {
      const isOuter = isShown && (outer === null || (isElse ? !has(outer) : has(outer)));
      const nested =
        inner === null
          ? []
          : [`{% if ${createCondition(inner)} %}`, `## ${mark(isOuter && has(inner), true)}`, '{% endif %}'];
      const own = ['', `common ${mark(isOuter)}`, '', ...nested, ''];
      const lines = included === 'lines' ? include(own) : included === 'nested' ? include(include(own)) : own;
      const all =
        outer === null
          ? lines
          : [`{% if ${createCondition(outer)} %}`, ...(isElse ? ['{% else %}'] : []), ...lines, '{% endif %}'];
      return included === 'block' ? include(all) : all;
    });
    const markdown = [`common ${mark(isShown)}`, '', ...texts.flat()].join('\n');
    return {
      ...{ operation: 'insert_page', title: mark(isShown, true), document: { markdown }, ref: `page${index}` },
      git: { path: `page${index}.md` },
      ...(own === null ? {} : { condition: createCondition(own) }),
      ...(parent === 0 ? {} : { into: `page${parent - 1}` }),
    };
  });
  return { changes: [...contents, ...changes], marked };
}

test('finds and suggests all text except under conditions that are not met', async () => {
  await holdsSlowly(
    fc.asyncProperty(fc.array(page, { minLength: 1, maxLength: 5 }), held, async (pages, claims) => {
      const { changes, marked } = getContent(pages, claims);
      const organization = await platform().makeOrganization();
      const space = await platform().makeSpace({ organization });
      await getClient(platform(), space).change(changes);
      const site = await createPublishedSite({ organization, spaces: [space.id] });
      const unsignedClaims = Object.fromEntries(claims.map((name) => [name, true]));
      const { apiToken } = await resolve(site.base, { visitor: { type: 'public', unsignedClaims } });
      const search = async (token: string, query: string) => {
        const body = { query, mode: 'all' };
        const response = await platform().request(`${site.path}/search`, { method: 'POST', token, body });
        return response.text();
      };
      const suggest = async (query: string) => {
        const options = { method: 'POST', token: apiToken, body: { query, scope: { mode: 'all' } } };
        const { items } = await json<SuggestedList>(`${site.path}/search/suggestions?limit=20`, options);
        return items.map(({ title }) => title);
      };
      const last = marked.at(-1)?.word ?? '';
      await vi.waitFor(async () => expect(await search(organization.token, last)).toContain(last), 30_000);

      for (const { word, isShown, isHeading } of marked) {
        expect([word, (await suggest(word)).includes(word)]).toEqual([word, isShown && isHeading]);
        const answer = await search(apiToken, word);
        expect(answer.includes(word), `${word} ${JSON.stringify({ pages, claims })}`).toBe(isShown);
      }
      const common = await search(apiToken, 'common');
      const all = await suggest('marker');
      for (const { word, isShown, isHeading } of marked) {
        if (!isShown) expect(common).not.toContain(word);
        expect([word, all.includes(word)]).toEqual([word, isShown && isHeading]);
      }
    }),
    { numRuns: 25, fewest: 5, milliseconds: 60_000 },
  );
});
