import type { SiteSection, SiteSpace } from '@octavo/schema';
import fc from 'fast-check';
import { getClient } from '../../content/space-client.ts';
import { platform } from '../../support/platform.ts';
import { drawValues } from '../../support/random.ts';
import type { SiteClient } from '../sites/site-client.ts';
import { createTestSite } from '../sites/site-client.ts';

const names = ['staff', 'beta', 'unsigned.staff', 'unsigned.trial'] as const;
type Name = (typeof names)[number];

/** The names of the claims that are true for a visitor. All others are false or missing. */
export type Held = ReadonlySet<Name>;

export const getPlanClaims = (held: Held) => {
  const selectNames = (unsigned: boolean) =>
    names.filter((name) => held.has(name) && name.startsWith('unsigned.') === unsigned);
  const toTrueFields = (which: Name[]) =>
    Object.fromEntries(which.map((name) => [name.replace('unsigned.', ''), true]));
  return { ...toTrueFields(selectNames(false)), unsigned: toTrueFields(selectNames(true)) };
};

export const someHeld = fc.subarray([...names]).map((each): Held => new Set(each));
export const nobody: Held = new Set<Name>();

interface Condition {
  name: Name;
  negated: boolean;
}

const someCondition: fc.Arbitrary<Condition | undefined> = fc.option(
  fc.record({ name: fc.constantFrom(...names), negated: fc.boolean() }),
  { nil: undefined },
);

const getSource = ({ name, negated }: Condition) => `${negated ? '!' : ''}visitor.claims.${name}`;
const isMet = (condition: Condition | undefined, held: Held) =>
  condition === undefined || held.has(condition.name) !== condition.negated;

/** An item of a site, with the words that reveal it and the conditions under which it is shown. */
export interface Thing {
  kind: string;
  markers: string[];
  conditions: (Condition | undefined)[];
}

export const isShown = ({ conditions }: Thing, held: Held) => conditions.every((condition) => isMet(condition, held));

export interface RandomSite {
  site: SiteClient;
  things: Thing[];
  spaces: {
    ids: Record<string, string>;
    pages: { id: string; path: string; oldPath: string; title: string }[];
    files: string[];
    contents: string[];
  }[];
}

class Dice {
  #count = 0;
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  draw<Value>(arbitrary: fc.Arbitrary<Value>): Value {
    this.#count += 1;
    const [value] = drawValues(arbitrary, 1, this.#seed * 1000 + this.#count);
    return value as Value;
  }

  condition = () => this.draw(someCondition);

  /** Returns a word that occurs nowhere else. */
  createMarker(): string {
    this.#count += 1;
    const letters = Array.from({ length: 12 }, () => this.draw(fc.constantFrom(...'bcdfghjklmnpqrstvwxz')));
    return `mark${letters.join('')}`;
  }
}

const wrapInCondition = (condition: Condition | undefined, text: string) =>
  condition === undefined ? text : `{% if ${getSource(condition)} %}\n\n${text}\n\n{% endif %}`;
const toCondition = (condition: Condition | undefined) =>
  condition === undefined ? {} : { condition: getSource(condition) };

type Place = Pick<RandomSite, 'things'> & { dice: Dice; above: (Condition | undefined)[] };

/**
 * Creates a published site with sections, site spaces, pages, texts, files and reusable contents, each with a random
 * condition.
 */
export async function makeRandomSite(seed: number): Promise<RandomSite> {
  const dice = new Dice(seed);
  const site = await createTestSite();
  const randomSite: RandomSite = { site, things: [], spaces: [] };
  for (const _ of [1, 2, 3]) {
    const title = dice.createMarker();
    const space = await makeSpace(site, dice.createMarker());
    const section = await site.callJson<SiteSection>('/sections', { body: { spaceId: space.id, title } });
    const condition = dice.condition();
    await site.patch(`/sections/${section.id}`, { path: title, condition: condition && getSource(condition) });
    randomSite.things.push({ kind: 'section', markers: [title, section.id], conditions: [condition] });
    const variant = await makeSpace(site, dice.createMarker());
    const body = { spaceId: variant.id, sectionId: section.id };
    const other = await site.callJson<SiteSpace>('/site-spaces', { body });
    const [first] = section.siteSpaces ?? [];
    for (const [shown, siteSpace] of [
      [space, first?.id ?? ''],
      [variant, other.id],
    ] as const)
      await fill(randomSite, shown, { dice, section: section.id, path: title, siteSpace, above: [condition] });
  }
  await site.publish();
  return randomSite;
}

async function makeSpace(site: SiteClient, title: string) {
  return { ...(await platform().makeSpace({ organization: site.organization, title })), title };
}

interface Within {
  dice: Dice;
  section: string;
  path: string;
  siteSpace: string;
  above: (Condition | undefined)[];
}

async function fill(randomSite: RandomSite, space: Awaited<ReturnType<typeof makeSpace>>, within: Within) {
  const { dice, siteSpace, section } = within;
  const [condition, path] = [dice.condition(), dice.createMarker()];
  await randomSite.site.patch(`/site-spaces/${siteSpace}`, { path, condition: condition && getSource(condition) });
  const above = [...within.above, condition];
  randomSite.things.push({ kind: 'site space', markers: [path, siteSpace], conditions: above });
  randomSite.things.push({ kind: 'space', markers: [space.id, space.title], conditions: above });
  const client = getClient(platform(), space);
  const place: Place = { things: randomSite.things, dice, above };
  const pages = [{ id: '', path: '', oldPath: '', title: '', above }];
  const base = `/${within.path}/${path}`;
  const [files, contents]: [string[], string[]] = [[], []];
  for (const _ of [1, 2, 3, 4, 5]) {
    const into = dice.draw(fc.constantFrom(...pages));
    const [title, slug, onPage] = [dice.createMarker(), dice.createMarker(), dice.condition()];
    const blocks = { ...place, above: [...into.above, onPage] };
    const block = await makeBlock(client, blocks, pages.at(-1)?.path ?? '');
    const elsewhere = dice.draw(fc.constantFrom(undefined, ...getPages(randomSite)));
    const [id = ''] = await client.change([
      {
        ...{
          operation: 'insert_page',
          title,
          document: { markdown: `${block.markdown}${createReferenceTo(elsewhere)}` },
        },
        ...(into.id === '' ? {} : { into: into.id }),
        ...toCondition(onPage),
      },
    ]);
    await client.change([{ operation: 'update_page', page: id, slug }]);
    randomSite.things.push({ kind: 'page', markers: [id, slug, title], conditions: blocks.above });
    const getPathInside = (last: string) => (into.path === '' ? last : `${into.path}/${last}`);
    pages.push({
      id,
      path: getPathInside(slug),
      oldPath: `${base}/${getPathInside(title)}`,
      title,
      above: blocks.above,
    });
    files.push(block.file);
    contents.push(block.content);
  }
  const same = await addAlternatePage(randomSite, client, place);
  const ids = { siteSpaceId: siteSpace, siteSectionId: section, spaceId: space.id };
  randomSite.spaces.push({ ids, pages: [...pages.slice(1), same], files, contents });
}

interface Elsewhere {
  space: string;
  id: string;
  title: string;
}

const getPages = ({ spaces }: RandomSite): Elsewhere[] =>
  spaces.flatMap(({ ids, pages }) => pages.map(({ id, title }) => ({ space: ids.spaceId ?? '', id, title })));

/** Returns every kind of reference to a page of another space. */
function createReferenceTo(page: Elsewhere | undefined): string {
  if (page === undefined) return '';
  const { space, id, title } = page;
  const address = `${platform().url}/app/spaces/${space}/content/page/${id}`;
  return [
    '',
    `Elsewhere [there](${address}), [there](${address}#part) and [${title}](${address} "mention").`,
    `{% content-ref url="${address}" %}\n[${title}](${address})\n{% endcontent-ref %}`,
    `<p><a href="${address}">there</a></p>`,
    `![](https://a.example/a.png "[there](${address})")`,
    '',
  ].join('\n\n');
}

/** Adds a page and a link page to a space. The page has the same path in each space, so these pages are alternates. */
async function addAlternatePage(randomSite: RandomSite, client: Client, { dice, above }: Place) {
  const [title, condition] = [dice.createMarker(), dice.condition()];
  const [elsewhere] = getPages(randomSite);
  const target = { kind: 'page', page: elsewhere?.id, space: elsewhere?.space };
  const page = {
    operation: 'insert_page',
    title,
    slug: 'same',
    document: { markdown: '' },
    ...toCondition(condition),
  };
  const link = { operation: 'insert_link', title: 'Elsewhere', target };
  const [id = ''] = await client.change([page, ...(elsewhere === undefined ? [] : [link])]);
  randomSite.things.push({ kind: 'page', markers: [id, title], conditions: [...above, condition] });
  return { id, path: 'same', oldPath: '/made-up', title, above };
}

type Client = ReturnType<typeof getClient>;

/**
 * Returns the text of a page: an unconditional part, and a conditional part with a file, reusable content and a link.
 */
async function makeBlock(client: Client, { things, dice, above }: Place, link: string) {
  const [open, hidden, condition] = [dice.createMarker(), dice.createMarker(), dice.condition()];
  const [name, title, text] = [dice.createMarker(), dice.createMarker(), dice.createMarker()];
  const base64 = Buffer.from(name).toString('base64');
  const edit = await client.callJson<{ insertedFiles?: { id: string }[]; changes: { reusableContent?: string }[] }>(
    '/content?compat=false',
    {
      method: 'POST',
      body: {
        changes: [
          { operation: 'insert_files', files: [{ name: `${name}.txt`, contentType: 'text/plain', base64 }] },
          { operation: 'insert_reusable_content', title, document: { markdown: `${text}\n` } },
        ],
      },
    },
  );
  const file = edit.insertedFiles?.[0]?.id ?? '';
  const content = edit.changes.find((each) => each.reusableContent)?.reusableContent ?? '';
  const shown = `${hidden} [here](/files/${file})\n\n{% include "/reusable-contents/${content}" %}`;
  const within = [...above, condition];
  things.push({ kind: 'text', markers: [open], conditions: above });
  things.push({ kind: 'text of a block', markers: [hidden], conditions: within });
  things.push({ kind: 'file', markers: [file, name], conditions: within });
  things.push({ kind: 'content', markers: [content, text], conditions: within });
  return { markdown: `${open} [there](${link})\n\n${wrapInCondition(condition, shown)}\n`, file, content };
}
