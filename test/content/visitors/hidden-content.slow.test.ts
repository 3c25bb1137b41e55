import { randomUUID } from 'node:crypto';
import type { Claims } from '@octavo/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holdsSlowly } from '../../support/random.ts';
import { createFiles, createPixel } from '../files/file-client.ts';
import type { SpaceClient } from '../space-client.ts';
import { publishSite } from './visitor-client.ts';

/** Conditions with their expected results. */
const conditions: [source: string, holds: (claims: Claims) => boolean][] = [
  ['visitor.claims.staff', ({ staff }) => Boolean(staff)],
  ['!visitor.claims.staff', ({ staff }) => !staff],
  ['visitor.claims.plan == "pro"', ({ plan }) => plan === 'pro'],
  ['visitor.claims.unsigned.beta', ({ unsigned }) => Boolean((unsigned as Claims | undefined)?.beta)],
  ['"eu" in visitor.claims.regions', ({ regions }) => Array.isArray(regions) && regions.includes('eu')],
  ['visitor.claims.staff && space.vars.open', ({ staff }) => Boolean(staff)],
  ['broken(', () => false],
];

const condition = fc.nat(conditions.length - 1);
const place = fc.nat(9);

type Piece =
  | { is: 'text' }
  | { is: 'link' | 'mention' | 'card' | 'path' | 'defined' | 'html'; page: number }
  | { is: 'file' | 'image'; file: number }
  | { is: 'include'; content: number }
  | { is: 'if'; condition: number; met: Piece[]; otherwise: Piece[] };

const { pieces } = fc.letrec<{ pieces: Piece[]; piece: Piece }>((tie) => ({
  pieces: fc.array(tie('piece'), { maxLength: 4 }),
  piece: fc.oneof(
    { depthSize: 'small' },
    fc.constant<Piece>({ is: 'text' }),
    fc.record({ is: fc.constantFrom('link', 'mention', 'card', 'path', 'defined', 'html'), page: place }),
    fc.record({ is: fc.constantFrom('file', 'image'), file: place }),
    fc.record({ is: fc.constant('include'), content: place }),
    fc.record({ is: fc.constant('if'), condition, met: tie('pieces'), otherwise: tie('pieces') }),
  ) as fc.Arbitrary<Piece>,
}));

const space = fc.record({
  pages: fc.array(
    fc.record({ parent: fc.option(place, { freq: 1 }), condition: fc.option(condition, { freq: 1 }), text: pieces }),
    { minLength: 2, maxLength: 7 },
  ),
  contents: fc.array(pieces, { minLength: 1, maxLength: 3 }),
  files: fc.integer({ min: 1, max: 4 }),
  claims: fc.record(
    {
      staff: fc.boolean(),
      plan: fc.constantFrom('pro', 'free'),
      unsigned: fc.record({ beta: fc.boolean() }),
      regions: fc.subarray(['eu', 'us']),
    },
    { requiredKeys: [] },
  ),
});
type Space = typeof space extends fc.Arbitrary<infer Value> ? Value : never;

const createWord = () => `w${randomUUID().replaceAll('-', '').slice(0, 14)}`;

/** Builds the space of a case, and records all its words and IDs and those that visitors may see. */
async function build(model: Space, member: SpaceClient) {
  const shownWords = new Set<string>();
  const all = new Set<string>();
  const addVisibleId = (id: string) => {
    all.add(id);
    return id;
  };
  const used: Piece[] = [0, 1, 2, 3].flatMap((index) => [
    { is: 'file', file: index },
    { is: 'include', content: index },
  ]);
  /**
   * A page that no visitor sees uses all files and reusable content, so that visitors can see only those that another
   * page uses visibly.
   */
  const last = { parent: null, condition: conditions.length - 1, text: used };
  const pages = [...model.pages, last].map((page) => ({
    ...page,
    id: '',
    title: addVisibleId(createWord()),
    slug: addVisibleId(createWord()),
  }));
  const getAncestors = (index: number) =>
    pages[index]?.parent == null || index === 0 ? undefined : (pages[index].parent ?? 0) % index;
  const isConditionMet = (index: number): boolean => conditions[index]?.[1](model.claims) ?? false;
  const isShown = (index: number): boolean => {
    const { condition: own = null } = pages[index] ?? {};
    const parent = getAncestors(index);
    return (own === null || isConditionMet(own)) && (parent === undefined || isShown(parent));
  };
  for (const [index, page] of pages.entries()) {
    const parent = getAncestors(index);
    const into = parent === undefined ? {} : { into: pages[parent]?.id };
    const where = page.condition === null ? {} : { condition: conditions[page.condition]?.[0] };
    const { title, slug } = page;
    const insertion = { operation: 'insert_page', title, slug, document: { markdown: '' }, ...into, ...where };
    page.id = addVisibleId((await member.change([insertion]))[0] ?? '');
  }
  const files = await createFiles(
    member,
    Array.from({ length: model.files }, () => createPixel(`${addVisibleId(createWord())}.png`)),
  );
  for (const { id } of files) addVisibleId(id);
  const contents = model.contents.map((text) => ({ text, id: '', title: addVisibleId(createWord()) }));
  await member.change(
    contents.map(({ title }) => ({ operation: 'insert_reusable_content', title, document: { markdown: 'x\n' } })),
  );
  const { reusableContents } = await member.head();
  for (const content of contents)
    content.id = addVisibleId(reusableContents.find(({ title }) => title === content.title)?.id ?? '');
  const show = (...words: string[]) => {
    for (const each of words) shownWords.add(each);
  };

  const included: { content: number; isVisible: boolean; depth: number }[] = [];
  const texts = new Map<object, string>();
  /** Writes the pieces of a text with a unique word each. `isVisible` says whether visitors may see them. */
  function write(list: Piece[], isVisible: boolean, depth = 0): string {
    return list.map((piece) => writePiece(piece, isVisible, depth)).join('\n\n');
  }
  function writePiece(piece: Piece, isVisible: boolean, depth: number): string {
    const own = reuseText(piece, () => addVisibleId(createWord()));
    if (isVisible) show(own);
    if (piece.is === 'if') {
      const isMet = isVisible && isConditionMet(piece.condition);
      const met = write(piece.met, isMet, depth);
      const otherwise = write(piece.otherwise, isVisible && !isMet, depth);
      return `{% if ${conditions[piece.condition]?.[0]} %}\n${met}\n{% else %}\n${otherwise}\n{% endif %}`;
    }
    if ('page' in piece) return linkTo(piece, own);
    if (piece.is === 'include') {
      const content = piece.content % contents.length;
      included.push({ content, isVisible: isVisible, depth });
      return `{% include "/reusable-contents/${contents[content]?.id}" %}`;
    }
    if (piece.is === 'text') return `Text ${own}.`;
    const file = files[piece.file % files.length];
    if (isVisible && file !== undefined) show(file.id, file.name.replace('.png', ''));
    return piece.is === 'file' ? `{% file src="/files/${file?.id}" %}` : `![${own}](/files/${file?.id})`;
  }
  function linkTo(piece: Extract<Piece, { page: number }>, own: string): string {
    const index = piece.page % pages.length;
    const page = pages[index];
    const path = getPath(index);
    if (piece.is === 'link') return `A [${own}](/pages/${page?.id}) link.`;
    if (piece.is === 'path') return `A [${own}](/${path}) path.`;
    if (piece.is === 'mention') return `A [${page?.title}](/${path} "mention") mention.`;
    if (piece.is === 'html') return `<p><a href="/${path}">${page?.slug}</a></p>`;
    if (piece.is === 'defined') return `A [${own}][${own}] definition.\n\n[${own}]: /${path}`;
    return `{% content-ref url="/${path}" %}\n[${page?.slug}](/${path})\n{% endcontent-ref %}`;
  }
  function reuseText(piece: object, make: () => string): string {
    const text = texts.get(piece) ?? make();
    texts.set(piece, text);
    return text;
  }
  function getPath(index: number): string {
    const parent = getAncestors(index);
    return `${parent === undefined ? '' : `${getPath(parent)}/`}${pages[index]?.slug}`;
  }

  const changes: Parameters<SpaceClient['change']>[0] = [];
  for (const [index, page] of pages.entries()) {
    if (isShown(index)) show(page.id, page.title, page.slug);
    changes.push({
      operation: 'update_page',
      page: page.id,
      document: { markdown: `${write(page.text, isShown(index))}\n` },
    });
  }
  const before = included.length;
  for (const { id, text } of contents)
    changes.push({
      operation: 'update_reusable_content',
      reusableContent: id,
      document: { markdown: `${write(text, false)}\n` },
    });
  included.length = before;
  for (let next = included.shift(); next !== undefined; next = included.shift()) {
    const content = contents[next.content];
    if (!next.isVisible || content === undefined || next.depth >= 5) continue;
    show(content.id, content.title);
    write(content.text, true, next.depth + 1);
  }
  await member.change([{ operation: 'set_variables', variables: { open: true } }]);
  await member.change(changes);
  return {
    pages,
    files,
    contents,
    shown: shownWords,
    hidden: [...all].filter((each) => !shownWords.has(each)),
    pathOf: getPath,
  };
}

type Built = Awaited<ReturnType<typeof build>>;

/** Sends every content request that a visitor can make, including requests for items below hidden ones. */
async function readEverything(visitor: SpaceClient, { pages, files, contents, pathOf }: Built) {
  const { id: head } = await visitor.head();
  const paths = ['', '/content', `/revisions/${head}?metadata=true`, '/content/pages', '/content/pages?depth=0'];
  paths.push('/content/files', '/content/files?limit=2', `/revisions/${head}/files`);
  for (const [index, { id }] of pages.entries()) {
    const page = `/content/page/${id}`;
    paths.push(
      page,
      `${page}?format=document`,
      `${page}?format.markdown.refs=stable&evaluated=false`,
      `${page}/meta-links`,
    );
    paths.push(`/revisions/${head}/page/${id}/document`, `/content/path/${pathOf(index)}`);
    paths.push(`/revisions/${head}/page/${id}/document?evaluated=deterministic-only&dereferenced=reusable-contents`);
  }
  for (const { id } of files) paths.push(`/content/files/${id}`);
  for (const { id } of contents) {
    const content = `/reusable-contents/${id}`;
    paths.push(`/content${content}`, `/revisions/${head}${content}/document`);
    paths.push(`/revisions/${head}${content}/document?dereferenced=reusable-contents`);
  }
  const responses: { path: string; status: number; text: string }[] = [];
  for (const path of paths) {
    const { status, body } = await visitor.call(path);
    responses.push({ path, status, text: JSON.stringify(body) });
  }
  return responses;
}

test('no response to a visitor reveals content whose condition is false', { timeout: 300_000 }, async () => {
  const property = fc.asyncProperty(space, async (model) => {
    const { member, visit } = await publishSite();
    const built = await build(model, member);
    const responses = await readEverything(visit(model.claims), built);
    for (const { path, status, text } of responses) {
      expect([path, status]).toEqual([path, expect.toSatisfy((code) => code === 200 || code === 404)]);
      const leaks = status === 404 ? [] : built.hidden.filter((each) => text.includes(each));
      expect([path, leaks, leaks.length === 0 ? '' : text]).toEqual([path, [], '']);
    }
    const shownIds = [...built.pages, ...built.files, ...built.contents].filter(({ id }) => built.shown.has(id));
    for (const { id } of shownIds) {
      const own = responses.filter(({ path }) => path.includes(id));
      expect([id, own.map(({ status }) => status)]).toEqual([id, own.map(() => 200)]);
    }
  });
  await holdsSlowly(property, { numRuns: 25, fewest: 3, milliseconds: 120_000 });
});
