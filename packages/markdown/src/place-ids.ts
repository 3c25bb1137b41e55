import { slugAllocator, slugify } from './slug.ts';

/** A heading as far as its ids follow from it: its text, and those that are written for it. */
export interface NamedHeading {
  text: string;
  level: number;
  ids: readonly string[];
  /** Whether everybody is shown it; they are without it. */
  isFree?: boolean;
}

/**
 * The id of each heading: the first that is written for it and that none before it has, else the slug of its text. Slugs
 * are given to headings of level 1 to 3 first, and what not everybody is shown takes none from what everybody is. What is
 * no heading (level 0) and has no free id has none: ''.
 */
export function placeIds(headings: readonly NamedHeading[]): string[] {
  const placed = new Map<NamedHeading, string>();
  const taken = new Set<string>();
  for (const heading of headings) {
    const own = heading.ids.find((id) => !taken.has(id));
    if (own === undefined) continue;
    taken.add(own);
    placed.set(heading, own);
  }
  const rest = headings.filter((each) => !placed.has(each) && each.level > 0);
  const nextSlug = slugAllocator(taken);
  for (const rank of [0, 1, 2, 3])
    for (const heading of rest) if (rankOf(heading) === rank) placed.set(heading, nextSlug(slugify(heading.text)));
  return headings.map((each) => placed.get(each) ?? '');
}

const rankOf = ({ level, isFree = true }: NamedHeading): number => (level > 3 ? 2 : 0) + (isFree ? 0 : 1);

/** The ids that GitHub gives headings: lower case without punctuation, and `-1`, `-2` behind those that are taken. */
export function githubIds(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return texts.map((text) => {
    const slug = githubSlug(text);
    let id = slug;
    for (let count = counts.get(slug) ?? 0; count > 0 && counts.has(id); count += 1) {
      id = `${slug}-${count}`;
      counts.set(slug, count + 1);
    }
    if (!counts.has(id)) counts.set(id, 1);
    return id;
  });
}

const MAX_TEXT_LENGTH = 1024;

const githubSlug = (text: string): string =>
  text
    .slice(0, MAX_TEXT_LENGTH)
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\s-]/gu, '')
    .replace(/\s/g, '-');
