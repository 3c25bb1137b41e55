import type { Labels, SourceBlock } from './blocks.ts';
import { getBlocks } from './blocks.ts';
import { familyIds } from './family-ids.ts';
import { readFrontmatter } from './frontmatter.ts';
import { isAnchorsOnly } from './headings.ts';
import { getHero } from './hero.ts';
import { withoutCaptions } from './links/target-names.ts';
import { endOfPiece, plainHtml, textOfBlock } from './plain-text.ts';
import type { NamedHeading } from './slug.ts';
import { githubIds, placeIds } from './slug.ts';
import { isConditional, mayBeConditional } from './tree/conditions.ts';
import type { Extent } from './tree/extents.ts';
import { fenceOfLine, readExtents, tagOfLine } from './tree/extents.ts';

/**
 * A heading of level 1 to 3 with the plain text up to the next one; before the first heading the level is 0 without
 * anchor and title. Content under different `conditions` (see `conditionalParts`) becomes separate sections.
 */
export type Section = { anchor: string; level: 0 | 1 | 2 | 3; title: string; text: string; conditions?: string[] };

/**
 * Only this much of a document is split at headings; the rest belongs to the last section. Bounds the cost of hostile
 * input.
 */
const MAX_CUT_LENGTH = 256 * 1024;

/** A section under construction. `above` is the section whose heading also applies to it. */
type Draft = {
  anchor: string;
  level: Section['level'];
  title: string;
  texts: string[];
  conditions: string[];
  above?: Draft;
};

/**
 * Splits a document at top-level headings of level 1 to 3. Anchors are those of `getAnchors`; `text` is for search:
 * without markup, targets, HTML tags and names of targets, with code, whitespace collapsed.
 */
export function getSections(markdown: string): Section[] {
  const { bodyOffset } = readFrontmatter(markdown);
  const body = withoutCaptions(markdown.slice(bodyOffset));
  const end = endOfPiece(body, MAX_CUT_LENGTH);
  const parts = conditionalParts(body.slice(0, end)).map(({ text, conditions }) => ({
    ...getBlocks(text),
    conditions,
  }));
  const labels = new Map(parts.flatMap((part) => [...part.labels]));
  const drafts = getDrafts(parts, labels);
  drafts[0]?.texts.unshift(...heroTexts(markdown));
  if (body.length > end) {
    const conditions = isConditional(body) ? [never] : [];
    draftFor(drafts, conditions).texts.push(textOfBlock({ kind: 'text', source: body.slice(end) }, labels));
  }
  return drafts.flatMap(getSection);
}

/** The text of the hero in the frontmatter. */
function heroTexts(markdown: string): string[] {
  const { title, lines = [], actions = [], features = [] } = getHero(markdown) ?? {};
  const texts = [title ?? '', ...lines, ...actions.map(({ text }) => text)];
  return [...texts, ...features.flatMap((each) => [each.title, each.details])].filter((text) => text !== '');
}

type Part = { blocks: SourceBlock[]; conditions: string[] };

function getDrafts(parts: Part[], labels: Labels): Draft[] {
  const drafts: Draft[] = [{ anchor: '', level: 0, title: '', texts: [], conditions: [] }];
  const anchors = anchorsIn(parts, labels);
  for (const { blocks, conditions } of parts)
    for (const block of blocks) {
      const level = block.kind === 'heading' ? sectionLevel(block.level) : undefined;
      const text = textOfBlock(block, labels);
      if (level) drafts.push({ anchor: anchors.get(block) ?? '', level, title: text, texts: [], conditions });
      else if (text) draftFor(drafts, conditions).texts.push(text);
    }
  return drafts;
}

/**
 * Returns the section for conditional content: the section of the last heading that is visible whenever the conditions
 * are met.
 */
function draftFor(drafts: Draft[], conditions: string[]): Draft {
  const above = drafts.findLast((draft) => draft.conditions.every((each) => conditions.includes(each)));
  if (above?.conditions.length === conditions.length) return above;
  const draft: Draft = {
    anchor: '',
    level: above?.level ?? 0,
    title: '',
    texts: [],
    conditions,
    ...(above && { above }),
  };
  drafts.push(draft);
  return draft;
}

function anchorsIn(parts: Part[], labels: Labels): Map<SourceBlock, string> {
  const named = parts.flatMap(({ blocks, conditions }) =>
    namedIn(blocks, labels).map((each) => ({ ...each, isFree: conditions.length === 0 })),
  );
  const ids = placeIds(named);
  return new Map(named.map(({ block }, index) => [block, ids[index] ?? '']));
}

function getSection({ level, title, texts, conditions, above, ...draft }: Draft): Section[] {
  const text = texts.join(' ');
  if (text === '' && (level === 0 || above !== undefined)) return [];
  const { anchor } = above ?? draft;
  return [{ anchor, level, title, text, ...(conditions.length === 0 ? {} : { conditions }) }];
}

function sectionLevel(level: number): 1 | 2 | 3 | undefined {
  return level === 1 || level === 2 || level === 3 ? level : undefined;
}

/** Limits of parsing a document for anchors, and of their number. Bound the cost of hostile input. */
export const maxAnchoredLength = 256 * 1024;
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
  below: string;
}

/** Returns the anchors of a document in order. Only the first part of a very long document is parsed. */
export const getAnchors = (markdown: string): Anchor[] => placed(getNamed(markdown)).map(({ anchor }) => anchor);

/** The same, with the text below each heading. */
export const anchoredTexts = (markdown: string): AnchoredText[] =>
  placed(getNamed(markdown)).map(({ anchor, below }) => ({ ...anchor, below: below.join('\n') }));

function getNamed(markdown: string): HeadingWithIds[] {
  const { bodyOffset } = readFrontmatter(markdown);
  const body = markdown.slice(bodyOffset);
  const end = endOfPiece(body, maxAnchoredLength);
  const parts = conditionalParts(body.slice(0, end)).map(({ text, conditions }) => ({
    ...getBlocks(text),
    conditions,
  }));
  const labels = new Map(parts.flatMap((part) => [...part.labels]));
  const belows = getBelow(parts.flatMap(({ blocks }) => blocks));
  const named = parts.flatMap(({ blocks, conditions }) =>
    namedIn(blocks, labels).map((each) => ({
      ...each,
      isFree: conditions.length === 0,
      below: belows.get(each.block) ?? [],
    })),
  );
  return named.slice(0, maxAnchors);
}

type HeadingWithIds = NamedHeading & { below: string[] };

function getBelow(blocks: SourceBlock[]): Map<SourceBlock, string[]> {
  const belows = new Map<SourceBlock, string[]>();
  let below: string[] = [];
  for (const block of blocks) {
    if (block.kind !== 'heading') below.push(block.source);
    else {
      below = [];
      belows.set(block, below);
    }
  }
  return belows;
}

/**
 * Returns the headings with all of their explicit ids, including the ids directly before and after a heading, and the
 * ids of other elements.
 */
function namedIn(blocks: readonly SourceBlock[], labels: Labels): (NamedHeading & { block: SourceBlock })[] {
  const named: (NamedHeading & { block: SourceBlock; ids: string[] })[] = [];
  let waiting: (typeof named)[number] | undefined;
  let previous: SourceBlock | undefined;
  for (const block of blocks) {
    if (block.kind === 'heading') {
      const ids = [...block.ids, ...(waiting?.ids ?? [])];
      if (waiting !== undefined) named.pop();
      named.push({ block, text: textOfBlock(block, labels), level: block.level, ids: [...new Set(ids)] });
      waiting = undefined;
    } else {
      const heading = previous?.kind === 'heading' && block.source.startsWith('{:') ? named.at(-1) : undefined;
      waiting = undefined;
      if (block.ids.length === 0) continue;
      if (heading !== undefined) heading.ids.push(...block.ids);
      else {
        const other = { block, text: '', level: 0, ids: block.ids };
        named.push(other);
        if (isAlone(block)) waiting = other;
      }
    }
    previous = block;
  }
  return named;
}

const isAlone = ({ kind, source }: SourceBlock): boolean =>
  kind === 'html' ? plainHtml(source) === '' : isAnchorsOnly(source);

function placed(named: HeadingWithIds[]): { anchor: Anchor; below: string[] }[] {
  const headings = named.filter(({ level }) => level > 0);
  const ids = placeIds(named);
  const slugs = idsBy(headings, placeIds(headings.map((each) => ({ ...each, ids: [] }))));
  const texts = headings.map(({ text }) => text);
  const [github, family] = [githubIds(texts), familyIds(texts)];
  const others = new Map(headings.map((each, index) => [each, [github[index] ?? '', ...(family[index] ?? [])]]));
  return named.flatMap((each, index) => {
    const id = ids[index] ?? '';
    const all = new Set([...each.ids, slugs.get(each) ?? '', ...(others.get(each) ?? [])]);
    const aliases = [...all].filter((alias) => alias !== '' && alias !== id);
    const anchor = { id, level: each.level, text: each.text, aliases };
    return id === '' ? [] : [{ anchor, below: each.below }];
  });
}

const idsBy = (named: NamedHeading[], ids: string[]): Map<NamedHeading, string> =>
  new Map(named.map((each, index) => [each, ids[index] ?? '']));

/** Lines under the same conditions: those with `+` must be met, those with `-` must not. `!` is never met. */
interface ConditionalPart {
  text: string;
  conditions: string[];
}

export const never = '!';

const CODE_SPAN = /(`+)[^`]+\1/g;

/**
 * Splits a document at the tags of its conditions. Content after a malformed tag is under a condition that is never
 * met.
 */
function conditionalParts(markdown: string): ConditionalPart[] {
  if (!isConditional(markdown)) return [{ text: markdown, conditions: [] }];
  const lines = markdown.split('\n');
  const cutter = new Cutter(lines);
  for (const line of lines) cutter.read(line);
  return cutter.parts.map(({ lines: ofPart, conditions }) => ({ text: ofPart.join('\n'), conditions }));
}

/** An open condition with its branches so far. */
interface OpenCondition {
  extent: Extent;
  failed: string[];
  current: string[];
  hasElse: boolean;
}

class Cutter {
  readonly parts: { lines: string[]; conditions: string[] }[] = [{ lines: [], conditions: [] }];
  readonly #lines: string[];
  readonly #extents: Map<number, Extent>;
  readonly #open: OpenCondition[] = [];
  #line = 0;
  #fence = '';
  #isCut = false;

  constructor(lines: string[]) {
    this.#lines = lines;
    this.#extents = readExtents(lines).extents;
  }

  read(line: string): void {
    const at = this.#line++;
    if (this.#isCut || this.#isCode(line)) this.#put(line);
    else if (this.#tag(line, at)) this.#begin();
    else if (mayBeConditional(line.replace(CODE_SPAN, ''))) this.#cut(line);
    else this.#put(line);
  }

  #isCode(line: string): boolean {
    const { marker, isBare } = fenceOfLine(line);
    if (this.#fence === '') {
      this.#fence = marker;
      return marker !== '';
    }
    if (isBare && marker.startsWith(this.#fence)) this.#fence = '';
    return true;
  }

  /** Whether a line is a well-formed tag of a condition. */
  #tag(line: string, at: number): boolean {
    const tag = tagOfLine(line);
    const top = this.#open.at(-1);
    if (tag === undefined) return false;
    if (top !== undefined && top.extent.end === at) return this.#open.pop() !== undefined;
    if (top?.extent.parts.includes(at) === true) return continueBranch(top, tag);
    const extent = this.#extents.get(at);
    if (tag.name !== 'if' || tag.rest === '' || extent === undefined || !this.#isInOnePlace(at, extent)) return false;
    this.#open.push({ extent, failed: [`-${tag.rest}`], current: [`+${tag.rest}`], hasElse: false });
    return true;
  }

  /** Whether all tags of a condition are in the same container, as a quote. */
  #isInOnePlace(at: number, { end, parts }: Extent): boolean {
    const [holder, ...others] = [at, ...parts, end].map((line) => this.#lines[line]?.split('{%')[0]);
    return others.every((other) => other === holder);
  }

  #cut(line: string): void {
    this.#isCut = true;
    this.parts.push({ lines: [line], conditions: [never] });
  }

  #begin(): void {
    this.parts.push({ lines: [], conditions: [...new Set(this.#open.flatMap(({ current }) => current))] });
  }

  #put(line: string): void {
    this.parts.at(-1)?.lines.push(line);
  }
}

/** Continues with the next branch of a condition. */
function continueBranch(open: OpenCondition, { name, rest }: { name: string; rest: string }): boolean {
  if (name === 'elseif' && rest === '') return false;
  open.current = open.hasElse ? [never] : [...open.failed, ...(name === 'elseif' ? [`+${rest}`] : [])];
  open.hasElse ||= name === 'else';
  if (name === 'elseif') open.failed = [...open.failed, `-${rest}`];
  return true;
}
