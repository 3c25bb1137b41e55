import { mapConcurrently } from '@octavo/client';
import { getTitle, readFrontmatter } from '@octavo/markdown';
import { type WantedEntry, type WantedPage, walkOutlineEntries } from '@octavo/outline';
import { findReplacedSources, type Matches, type Present, walkPresent } from '@octavo/space-files';
import type { Api } from '../api.ts';

/** Maximum number of former pages whose texts are read, and maximum length of the compared part of a text. */
const maxPages = 200;
const maxLength = 100_000;
const concurrency = 8;

/** Texts that share at least this part of their words, in order, are versions of one page. */
const leastSimilarity = 0.5;
/** A match is clear only if its similarity exceeds the similarity of every other match by at least this much. */
const leastDistance = 0.2;

interface Compared {
  api: Api;
  spaceId: string;
  revisionId: string;
  pages: readonly Present[];
  matches: Matches;
  source: string;
}

/**
 * Finds the files that contain the text of a former page under another title and with small edits. Returns the IDs of
 * these pages by the paths of the files. Texts of pages are read only if there are new files.
 */
export async function findSuccessors(
  roots: readonly WantedEntry[],
  { api, spaceId, revisionId, pages, matches, source }: Compared,
): Promise<ReadonlyMap<string, string>> {
  const files = [...walkOutlineEntries(roots)].filter(
    (each): each is WantedPage => each.kind === 'page' && each.path !== undefined,
  );
  const added = files.filter((each) => each.file !== undefined && !matches.has(each));
  const matchedPages = new Set(matches.values());
  const all = [...walkPresent(pages)];
  const replaced = findReplacedSources(all, {
    name: source,
    size: files.length,
    isFound: (page) => matchedPages.has(page),
  });
  const former = all
    .filter((page) => page.git !== undefined && !matchedPages.has(page) && replaced.has(page.importedFrom))
    .slice(0, added.length === 0 ? 0 : maxPages);
  const texts = await mapConcurrently(former, concurrency, async ({ id }) => {
    const page = await api.getPageInRevisionById({ params: { spaceId, revisionId, pageId: id } });
    return page.type === 'document' ? (page.markdown ?? '') : '';
  });
  const pairs = pairSimilar(
    texts,
    added.map(({ file }) => file?.text ?? ''),
  );
  return new Map(pairs.map(({ from, to }) => [added[to]?.path ?? '', former[from]?.id ?? '']));
}

interface SimilarPair {
  from: number;
  to: number;
  similarity: number;
}

/** Returns the index pairs of former and new texts that are clearly versions of each other. */
export function pairSimilar(former: readonly string[], current: readonly string[]): SimilarPair[] {
  const similar = findSimilar(former.map(getPhrases), current.map(getPhrases));
  const byFormer = getClearPairs(Map.groupBy(similar, ({ from }) => from));
  const byCurrent = getClearPairs(Map.groupBy(similar, ({ to }) => to));
  return similar.filter((pair) => pair.similarity >= leastSimilarity && byFormer.has(pair) && byCurrent.has(pair));
}

/** Returns the pairs that may be a match, or that make another match unclear. */
function findSimilar(former: Set<string>[], current: Set<string>[]): SimilarPair[] {
  const indexes = new Map<string, number[]>();
  for (const [from, phrases] of former.entries())
    for (const phrase of phrases) {
      const known = indexes.get(phrase);
      if (known === undefined) indexes.set(phrase, [from]);
      else known.push(from);
    }
  return current.flatMap((phrases, to) => {
    const counts = new Map<number, number>();
    for (const phrase of phrases)
      for (const from of indexes.get(phrase) ?? []) counts.set(from, (counts.get(from) ?? 0) + 1);
    return [...counts]
      .map(([from, count]) => ({ from, to, similarity: (2 * count) / (phrases.size + (former[from]?.size ?? 0)) }))
      .filter(({ similarity }) => similarity >= leastSimilarity - leastDistance);
  });
}

/** Returns the best pair of each group if it is clearly better than the second best. */
function getClearPairs(groups: ReadonlyMap<number, SimilarPair[]>): Set<SimilarPair> {
  const clear = [...groups.values()].flatMap((pairs) => {
    const [best, next] = pairs.toSorted((one, other) => other.similarity - one.similarity);
    return best !== undefined && (next?.similarity ?? 0) + leastDistance <= best.similarity ? [best] : [];
  });
  return new Set(clear);
}

/** Returns the sequences of three words in a text without its frontmatter and title. */
function getPhrases(markdown: string): Set<string> {
  const body = markdown.slice(readFrontmatter(markdown).bodyOffset, maxLength);
  const title = getTitle(body);
  const text = title === undefined ? body : body.replace(/^\s*#[^\n]*\n/, '');
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length < 3) return new Set(words.length === 0 ? [] : [words.join(' ')]);
  return new Set(words.slice(2).map((_, index) => words.slice(index, index + 3).join(' ')));
}
