import { namedIn } from './anchors.ts';
import { textOfBlock } from './block-text.ts';
import { blocksOf, type Labels, type SourceBlock } from './blocks.ts';
import { conditionalParts, never } from './conditional-parts.ts';
import { readFrontmatter } from './frontmatter.ts';
import { heroOf } from './hero.ts';
import { withoutCaptions } from './links/target-names.ts';
import { placeIds } from './place-ids.ts';
import { endOfPiece } from './plain-text.ts';
import { isConditional } from './tree/conditions.ts';

/**
 * A heading of level 1 to 3 and the plain text up to the next; level 0, no anchor and no title before the first.
 * `conditions` are those of `conditionalParts`, where it has any: what stands under others is a section of its own.
 */
export type Section = { anchor: string; level: 0 | 1 | 2 | 3; title: string; text: string; conditions?: string[] };

/** How much of a document is cut at its headings; what follows is text of the last section. Keeps hostile input short. */
const MAX_CUT_LENGTH = 256 * 1024;

/** `above` is the draft whose heading it goes on with. */
type Draft = {
  anchor: string;
  level: Section['level'];
  title: string;
  texts: string[];
  conditions: string[];
  above?: Draft;
};

/**
 * Cuts a document at its top-level headings 1 to 3. Anchors are those of `anchorsOf`, unique in the document;
 * `text` is for search: markup, link targets, HTML tags and names of what is linked to dropped, code kept, whitespace
 * collapsed.
 */
export function sectionsOf(markdown: string): Section[] {
  const { bodyOffset } = readFrontmatter(markdown);
  const body = withoutCaptions(markdown.slice(bodyOffset));
  const end = endOfPiece(body, MAX_CUT_LENGTH);
  const parts = conditionalParts(body.slice(0, end)).map(({ text, conditions }) => ({ ...blocksOf(text), conditions }));
  const labels = new Map(parts.flatMap((part) => [...part.labels]));
  const drafts = draftsOf(parts, labels);
  drafts[0]?.texts.unshift(...heroTexts(markdown));
  if (body.length > end) {
    const conditions = isConditional(body) ? [never] : [];
    draftFor(drafts, conditions).texts.push(textOfBlock({ kind: 'text', source: body.slice(end) }, labels));
  }
  return drafts.flatMap(sectionOf);
}

/** What the frontmatter of a home page shows. */
function heroTexts(markdown: string): string[] {
  const { title, lines = [], actions = [], features = [] } = heroOf(markdown) ?? {};
  const texts = [title ?? '', ...lines, ...actions.map(({ text }) => text)];
  return [...texts, ...features.flatMap((each) => [each.title, each.details])].filter((text) => text !== '');
}

type Part = { blocks: SourceBlock[]; conditions: string[] };

function draftsOf(parts: Part[], labels: Labels): Draft[] {
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

/** Where text under some conditions goes: below the last heading that is there whenever they hold. */
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

function sectionOf({ level, title, texts, conditions, above, ...draft }: Draft): Section[] {
  const text = texts.join(' ');
  if (text === '' && (level === 0 || above !== undefined)) return [];
  const { anchor } = above ?? draft;
  return [{ anchor, level, title, text, ...(conditions.length === 0 ? {} : { conditions }) }];
}

function sectionLevel(level: number): 1 | 2 | 3 | undefined {
  return level === 1 || level === 2 || level === 3 ? level : undefined;
}
