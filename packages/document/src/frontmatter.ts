import { findFrontmatterBlock } from './frontmatter-block.ts';
import {
  coverSize,
  emoji,
  type FrontmatterProblem,
  fields,
  flag,
  number,
  type Reader,
  text,
  title,
  variables,
  visible,
} from './frontmatter-readers.ts';

/** Which parts of a page are shown; a part that is not named is absent. */
export type FrontmatterLayout = {
  cover?: boolean;
  title?: boolean;
  description?: boolean;
  tableOfContents?: boolean;
  outline?: boolean;
  pagination?: boolean;
  coverSize?: 'hero' | 'full';
};

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
  layout: (node, path, problems) => fields(node, path, { problems, read: layoutReaders }),
  cover: text(2048),
  coverY: number,
  variables,
};

const layoutReaders: { [Key in keyof Required<FrontmatterLayout>]: Reader<Required<FrontmatterLayout>[Key]> } = {
  cover: visible,
  title: visible,
  description: visible,
  tableOfContents: visible,
  outline: visible,
  pagination: visible,
  coverSize,
};

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
