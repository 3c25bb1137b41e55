import type { PageLayout } from '@octavo/schema';
import { coverMasks, coverSizes, pageWidths } from '@octavo/schema';
import { findFrontmatterBlock } from './frontmatter-block.ts';
import {
  cover,
  emoji,
  type FrontmatterProblem,
  fields,
  flag,
  number,
  oneOf,
  type Reader,
  text,
  title,
  variables,
  visible,
} from './frontmatter-readers.ts';

/** How a page is laid out; what is not named is absent. */
export type FrontmatterLayout = Partial<PageLayout>;

/** The page fields a document may set itself; `cover` is an address or a file reference. */
export type Frontmatter = {
  title?: string;
  slug?: string;
  emoji?: string;
  icon?: string;
  description?: string;
  hidden?: boolean;
  noIndex?: boolean;
  noRobotsIndex?: boolean;
  condition?: string;
  layout?: FrontmatterLayout;
  cover?: string;
  coverY?: number;
  variables?: Record<string, string | number | boolean>;
};

const readers: { [Key in keyof Required<Frontmatter>]: Reader<Required<Frontmatter>[Key]> } = {
  title,
  slug: text(100),
  emoji,
  icon: text(50),
  description: text(2048),
  hidden: flag,
  noIndex: flag,
  noRobotsIndex: flag,
  condition: text(1024),
  layout,
  cover: text(2048),
  coverY: number,
  variables,
};

const layoutReaders = {
  width: oneOf(pageWidths),
  cover,
  coverSize: oneOf(coverSizes),
  coverMask: oneOf(coverMasks),
  title: visible,
  description: visible,
  tableOfContents: visible,
  outline: visible,
  pagination: visible,
  metadata: visible,
  tags: visible,
  actions: visible,
  anchors: visible,
} satisfies Record<keyof PageLayout, Reader<unknown>>;

function layout(node: unknown, path: string, problems: FrontmatterProblem[]): FrontmatterLayout | undefined {
  const read = fields(node, path, { problems, read: layoutReaders });
  if (read === undefined) return undefined;
  const { cover: ofCover, ...rest } = read;
  const given = Object.entries({ ...ofCover, ...rest }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given);
}

/**
 * Reads a leading YAML block of at most 64 KiB; `bodyOffset` (UTF-16 units) is where the text after it begins, 0 when
 * there is none. Never throws: a known key with an unusable value is left out and named in `problems`.
 */
export function readFrontmatter(markdown: string): {
  values: Frontmatter;
  bodyOffset: number;
  problems: FrontmatterProblem[];
} {
  const block = findFrontmatterBlock(markdown);
  if (!block) return { values: {}, bodyOffset: 0, problems: [] };
  const problems: FrontmatterProblem[] = [];
  const values: Frontmatter = fields(block.map, 'frontmatter', { problems, read: readers }) ?? {};
  return { values, bodyOffset: block.bodyOffset, problems };
}
