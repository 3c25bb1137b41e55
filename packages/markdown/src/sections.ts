import type { Labels, SourceBlock } from './blocks.ts';
import { getBlocks } from './blocks.ts';
import { readFrontmatter } from './frontmatter.ts';
import { createGitBookIds } from './gitbook-ids.ts';
import { isAnchorsOnly } from './headings.ts';
import { getHero } from './hero.ts';
import { type DocumentPart, getPartsWithIncludes, noIncludes } from './included-parts.ts';
import { findPieceEnd, getBlockText, htmlToPlainText } from './plain-text.ts';
import type { NamedHeading } from './slug.ts';
import { assignHeadingIds, createGitHubIds } from './slug.ts';
import { splitByConditions } from './split-conditions.ts';
import { getResult, type TreeSteps } from './tree/steps.ts';

/**
 * A heading of level 1 to 3 with the plain text up to the next one. The text before the first heading is a section of
 * level 0, without anchor and title. Content under different `conditions` (see `splitByConditions`) becomes separate
 * sections.
 */
export type Section = { anchor: string; level: 0 | 1 | 2 | 3; title: string; text: string; conditions?: string[] };

/** A section under construction. The heading of the section `parent` also applies to it. */
type Draft = {
  anchor: string;
  level: Section['level'];
  title: string;
  texts: string[];
  conditions: string[];
  parent?: Draft;
};

/**
 * Splits a document at top-level headings of level 1 to 3. Anchors are the same as in `getAnchors`. `text` is for
 * search: it includes code, but no markup, targets, HTML tags or names of targets, and its whitespace is collapsed.
 * Included texts are part of the sections. They are under the conditions of the include and their own conditions.
 */
export const getSections = (markdown: string, includes = noIncludes): Section[] =>
  getResult(getSectionsInSteps(markdown, includes));

/** Like `getSections`, but works in steps. */
export function* getSectionsInSteps(markdown: string, includes = noIncludes): TreeSteps<Section[]> {
  const drafts = yield* getDrafts(yield* getPartsWithIncludes(markdown, includes));
  drafts[0]?.texts.unshift(...getHeroTexts(markdown));
  return drafts.flatMap(toSections);
}

/** Returns the texts of the hero in the frontmatter. */
function getHeroTexts(markdown: string): string[] {
  const { title, lines = [], actions = [], features = [] } = getHero(markdown) ?? {};
  const texts = [title ?? '', ...lines, ...actions.map(({ text }) => text)];
  return [...texts, ...features.flatMap((each) => [each.title, each.details])].filter((text) => text !== '');
}

function* getDrafts(parts: DocumentPart[]): TreeSteps<Draft[]> {
  const drafts: Draft[] = [{ anchor: '', level: 0, title: '', texts: [], conditions: [] }];
  const anchors = findAnchors(parts);
  for (const { blocks, labels, conditions } of parts) {
    for (const block of blocks) {
      const level = block.kind === 'heading' ? toSectionLevel(block.level) : undefined;
      const text = getBlockText(block, labels);
      if (level) drafts.push({ anchor: anchors.get(block) ?? '', level, title: text, texts: [], conditions });
      else if (text) getDraft(drafts, conditions).texts.push(text);
    }
    yield;
  }
  return drafts;
}

/**
 * Returns the section for conditional content: the section of the last heading that is visible whenever the conditions
 * are met.
 */
function getDraft(drafts: Draft[], conditions: string[]): Draft {
  const parent = drafts.findLast((draft) => draft.conditions.every((each) => conditions.includes(each)));
  if (parent?.conditions.length === conditions.length) return parent;
  const draft: Draft = {
    anchor: '',
    level: parent?.level ?? 0,
    title: '',
    texts: [],
    conditions,
    ...(parent && { parent }),
  };
  drafts.push(draft);
  return draft;
}

function findAnchors(parts: DocumentPart[]): Map<SourceBlock, string> {
  const namedHeadings = parts.flatMap(({ blocks, labels, conditions }) =>
    findNamedHeadings(blocks, labels).map((each) => ({ ...each, isFree: conditions.length === 0 })),
  );
  const ids = assignHeadingIds(namedHeadings);
  return new Map(namedHeadings.map(({ block }, index) => [block, ids[index] ?? '']));
}

function toSections({ level, title, texts, conditions, parent, ...draft }: Draft): Section[] {
  const text = texts.join(' ');
  if (text === '' && (level === 0 || parent !== undefined)) return [];
  const { anchor } = parent ?? draft;
  return [{ anchor, level, title, text, ...(conditions.length === 0 ? {} : { conditions }) }];
}

function toSectionLevel(level: number): 1 | 2 | 3 | undefined {
  return level === 1 || level === 2 || level === 3 ? level : undefined;
}

/**
 * Maximum length of a document that is parsed for anchors, and maximum number of its anchors. They bound the cost of
 * hostile input.
 */
const maxAnchoredLength = 256 * 1024;
const maxAnchors = 5_000;

/**
 * A location that URLs can link to by fragment: a heading of level 1 to 6, or another element with an id (level 0).
 * `aliases` also link to it: further ids, its slug, and the ids of GitHub and other documentation generators.
 */
export interface Anchor {
  id: string;
  level: number;
  text: string;
  aliases: string[];
}

/** An anchor with the markdown between its heading and the next one. */
export interface AnchoredText extends Anchor {
  textBelow: string;
}

/** Returns the anchors of a document in order. Only the first part of a very long document is parsed. */
export const getAnchors = (markdown: string): Anchor[] =>
  placeHeadings(getNamedHeadings(markdown)).map(({ anchor }) => anchor);

/** Like `getAnchors`, with the text below each heading. */
export const getAnchoredTexts = (markdown: string): AnchoredText[] =>
  placeHeadings(getNamedHeadings(markdown)).map(({ anchor, textsBelow }) => ({
    ...anchor,
    textBelow: textsBelow.join('\n'),
  }));

function getNamedHeadings(markdown: string): HeadingWithIds[] {
  const { bodyOffset } = readFrontmatter(markdown);
  const body = markdown.slice(bodyOffset);
  const end = findPieceEnd(body, maxAnchoredLength);
  const parts = splitByConditions(body.slice(0, end)).map(({ text, conditions }) => ({
    ...getBlocks(text),
    conditions,
  }));
  const labels = new Map(parts.flatMap((part) => [...part.labels]));
  const headingsBelow = getIdsBelow(parts.flatMap(({ blocks }) => blocks));
  const namedHeadings = parts.flatMap(({ blocks, conditions }) =>
    findNamedHeadings(blocks, labels).map((each) => ({
      ...each,
      isFree: conditions.length === 0,
      textsBelow: headingsBelow.get(each.block) ?? [],
    })),
  );
  return namedHeadings.slice(0, maxAnchors);
}

type HeadingWithIds = NamedHeading & { textsBelow: string[] };

function getIdsBelow(blocks: SourceBlock[]): Map<SourceBlock, string[]> {
  const idsByBlock = new Map<SourceBlock, string[]>();
  let idsBelow: string[] = [];
  for (const block of blocks) {
    if (block.kind !== 'heading') idsBelow.push(block.source);
    else {
      idsBelow = [];
      idsByBlock.set(block, idsBelow);
    }
  }
  return idsByBlock;
}

/**
 * Returns the headings with all of their explicit ids, including the ids directly before and after a heading, and the
 * ids of other elements.
 */
function findNamedHeadings(blocks: readonly SourceBlock[], labels: Labels): (NamedHeading & { block: SourceBlock })[] {
  const namedHeadings: (NamedHeading & { block: SourceBlock; ids: string[] })[] = [];
  let pendingHeading: (typeof namedHeadings)[number] | undefined;
  let previous: SourceBlock | undefined;
  for (const block of blocks) {
    if (block.kind === 'heading') {
      const ids = [...block.ids, ...(pendingHeading?.ids ?? [])];
      if (pendingHeading !== undefined) namedHeadings.pop();
      namedHeadings.push({ block, text: getBlockText(block, labels), level: block.level, ids: [...new Set(ids)] });
      pendingHeading = undefined;
    } else {
      const heading = previous?.kind === 'heading' && block.source.startsWith('{:') ? namedHeadings.at(-1) : undefined;
      pendingHeading = undefined;
      if (block.ids.length === 0) continue;
      if (heading !== undefined) heading.ids.push(...block.ids);
      else {
        const other = { block, text: '', level: 0, ids: block.ids };
        namedHeadings.push(other);
        if (isSeparateBlock(block)) pendingHeading = other;
      }
    }
    previous = block;
  }
  return namedHeadings;
}

const isSeparateBlock = ({ kind, source }: SourceBlock): boolean =>
  kind === 'html' ? htmlToPlainText(source) === '' : isAnchorsOnly(source);

function placeHeadings(headingsWithIds: HeadingWithIds[]): { anchor: Anchor; textsBelow: string[] }[] {
  const headings = headingsWithIds.filter(({ level }) => level > 0);
  const ids = assignHeadingIds(headingsWithIds);
  const slugs = indexIds(headings, assignHeadingIds(headings.map((each) => ({ ...each, ids: [] }))));
  const texts = headings.map(({ text }) => text);
  const [github, family] = [createGitHubIds(texts), createGitBookIds(texts)];
  const others = new Map(headings.map((each, index) => [each, [github[index] ?? '', ...(family[index] ?? [])]]));
  return headingsWithIds.flatMap((each, index) => {
    const id = ids[index] ?? '';
    const all = new Set([...each.ids, slugs.get(each) ?? '', ...(others.get(each) ?? [])]);
    const aliases = [...all].filter((alias) => alias !== '' && alias !== id);
    const anchor = { id, level: each.level, text: each.text, aliases };
    return id === '' ? [] : [{ anchor, textsBelow: each.textsBelow }];
  });
}

const indexIds = (headings: NamedHeading[], ids: string[]): Map<NamedHeading, string> =>
  new Map(headings.map((heading, index) => [heading, ids[index] ?? '']));

/** Maximum length of a document's stored anchors, in characters. Longer lists are not stored. */
const maxStoredLength = 65_536;

/** Syntax that inserts headings and ids that are not in the text itself. */
const externalContent = new RegExp(
  [
    // GitBook blocks, Jekyll tags, expressions, mdBook, Hugo shortcodes, markdown-include, MkDocs snippets.
    /\{%-?[ \t]{0,9}(?:include|openapi|swagger)|\{\{|\{!|--8<--/,
    // VitePress and other comments, DocFX, MyST directives, mkdocstrings, embedded notes.
    /<!--[ \t]{0,9}[@#]?(?:include|snippet)|\[!(?:INCLUDE|include)|\{(?:include|eval-rst|auto\w{1,20})\}|^:::[ \t]{1,9}\w{1,99}\.\w|!\[\[/,
    // Components without content (`<Part />`, `<Part></Part>`, `<a-part/>`) and imported pages.
    /<(?:[A-Z][\w.]{0,99}|[a-z]\w{0,99}-[\w-]{0,99})(?=[\s/>])(?:[^<]{0,999}\/>|[^<]{0,999}>\s{0,99}<\/[A-Za-z])/,
    /^(?:import[ \t]|\}[ \t]{0,9}from[ \t]).{0,500}\.mdx?['"]/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'm',
);
const dates = /\{%-?[ \t]{0,9}update[ \t][^%]{0,200}?date="([^"\s]{1,40})"/g;

/**
 * Returns the anchors of a text as they are stored, separated by newlines. A site scrolls to each of these anchors. If
 * the text may have other anchors, returns '', so that no working link is reported as broken.
 */
export function toStoredAnchors(markdown: string): string {
  if (markdown.length > maxAnchoredLength || externalContent.test(markdown)) return '';
  const anchors = getAnchors(markdown);
  if (anchors.length >= maxAnchors) return '';
  const anchorIds = new Set(anchors.flatMap(({ id, aliases }) => [id, ...aliases]));
  for (const [, date = ''] of markdown.matchAll(dates)) anchorIds.add(`update-${date.replace(/T.*$/, '')}`);
  const storedIds = `\n${[...anchorIds].filter((id) => !/\s/.test(id)).join('\n')}\n`;
  return storedIds.length <= maxStoredLength && storedIds.isWellFormed() ? storedIds : '';
}
