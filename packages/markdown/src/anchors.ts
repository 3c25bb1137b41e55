import { textOfBlock } from './block-text.ts';
import { blocksOf, type Labels, type SourceBlock } from './blocks.ts';
import { conditionalParts } from './conditional-parts.ts';
import { readFrontmatter } from './frontmatter.ts';
import { isAnchorsOnly } from './headings.ts';
import { githubIds, type NamedHeading, placeIds } from './place-ids.ts';
import { endOfPiece, plainHtml } from './plain-text.ts';

/** How much of a document is read for its anchors, and how many of them count. Keeps hostile input short. */
export const maxAnchoredLength = 256 * 1024;
const maxAnchors = 5_000;

/**
 * A place of a document that addresses name behind a hash sign: a heading of the level 1 to 6 with its text, or, of the
 * level 0, what has an id of its own. `aliases` lead to it too: further ids, its slug, and the id that GitHub gives it.
 */
export interface Anchor {
  id: string;
  level: number;
  text: string;
  aliases: string[];
}

/** An anchor and, of a heading, the markdown of what stands between it and the next one. */
export interface AnchoredText extends Anchor {
  below: string;
}

/** The anchors of a document in their order; of one that is longer than is read, those of its first part. */
export const anchorsOf = (markdown: string): Anchor[] => placed(namedOf(markdown)).map(({ anchor }) => anchor);

/** The same, with what stands below each heading. */
export const anchoredTexts = (markdown: string): AnchoredText[] =>
  placed(namedOf(markdown)).map(({ anchor, below }) => ({ ...anchor, below: below.join('\n') }));

function namedOf(markdown: string): Named[] {
  const { bodyOffset } = readFrontmatter(markdown);
  const body = markdown.slice(bodyOffset);
  const end = endOfPiece(body, maxAnchoredLength);
  const parts = conditionalParts(body.slice(0, end)).map(({ text, conditions }) => ({ ...blocksOf(text), conditions }));
  const labels = new Map(parts.flatMap((part) => [...part.labels]));
  const belows = belowOf(parts.flatMap(({ blocks }) => blocks));
  const named = parts.flatMap(({ blocks, conditions }) =>
    namedIn(blocks, labels).map((each) => ({
      ...each,
      isFree: conditions.length === 0,
      below: belows.get(each.block) ?? [],
    })),
  );
  return named.slice(0, maxAnchors);
}

type Named = NamedHeading & { below: string[] };

function belowOf(blocks: SourceBlock[]): Map<SourceBlock, string[]> {
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

/** The headings of blocks with all ids that are written for them, also right before or below them; and other ids. */
export function namedIn(blocks: readonly SourceBlock[], labels: Labels): (NamedHeading & { block: SourceBlock })[] {
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

function placed(named: Named[]): { anchor: Anchor; below: string[] }[] {
  const headings = named.filter(({ level }) => level > 0);
  const ids = placeIds(named);
  const slugs = idsBy(headings, placeIds(headings.map((each) => ({ ...each, ids: [] }))));
  const github = idsBy(headings, githubIds(headings.map(({ text }) => text)));
  return named.flatMap((each, index) => {
    const id = ids[index] ?? '';
    const others = new Set([...each.ids, slugs.get(each) ?? '', github.get(each) ?? '']);
    const aliases = [...others].filter((alias) => alias !== '' && alias !== id);
    const anchor = { id, level: each.level, text: each.text, aliases };
    return id === '' ? [] : [{ anchor, below: each.below }];
  });
}

const idsBy = (named: NamedHeading[], ids: string[]): Map<NamedHeading, string> =>
  new Map(named.map((each, index) => [each, ids[index] ?? '']));
