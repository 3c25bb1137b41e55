import { comparePages } from './build.ts';
import type { AddPostings, Match, Phrase, Range, SearchOptions } from './lookup.ts';
import { getEditWeight, getRanges, Lookup, toTerm, weights } from './lookup.ts';
import type { Alternative, Query } from './query.ts';
import type { RankedPage } from './rank.ts';
import { compareRanked, rank } from './rank.ts';
import type { FoundTerm, TermResult } from './score.ts';
import { addPostings } from './score.ts';
import type { BlockName, BlockReader, IndexedPage } from './segment.ts';
import { getPageBlock, getPageOfBlock } from './segment.ts';

/** A page that was found, with the numbers of its best sections in the page, best first. */
export interface Hit extends IndexedPage {
  score: number;
  sections: number[];
}

export interface SearchResult {
  /** The best pages, best first. */
  hits: Hit[];
  /** The words of the texts that match, for snippets, with the number of the term that each matches. */
  words: Map<string, number>;
  /** The query with the words that were probably meant; undefined if all words were found. */
  correction: string | undefined;
}

/** Finds the pages that match some of the words of a query, best first. */
export async function search(query: Query, options: SearchOptions): Promise<SearchResult> {
  const lookup = new Lookup(options);
  const results: TermResult[] = [];
  const { matches, phrases } = await findMatches(query, lookup);
  for (const each of matches) results.push(await lookup.scoreTerm(each));
  for (const phrase of phrases) await lookup.addPhrase(phrase, results, addPostings);
  const correction = await correctTerms(query, results, { lookup, score: lookup.scoreTerm, add: addPostings });
  const ranked = await rank(results, options);
  return { hits: await readHits(ranked, options.blocks), words: listWords(results), correction };
}

interface QueryMatches {
  /** The words of the index that match each term. */
  matches: Match[][];
  phrases: Phrase[];
}

/** Returns the words and phrases that match each term. Their postings are loaded. */
export async function findMatches(query: Query, lookup: Lookup): Promise<QueryMatches> {
  const { terms, compounds, alternatives } = query;
  await lookup.loadWords([
    ...[...terms, ...alternatives.flatMap(({ words }) => words.map(toTerm))].flatMap((term) => getRanges(term)),
    ...compounds.map(({ word }) => toRange(word)),
  ]);
  const matches: Match[][] = [];
  for (const term of terms) matches.push(await lookup.findMatches(term));
  for (const { word, terms: numbers } of compounds)
    if (lookup.hasWord(word))
      for (const number of numbers)
        matches[number]?.push({ word, weight: weights.compound, termCount: numbers.length });
  const phrases = await findSplits(query, lookup);
  for (const alternative of alternatives)
    await addAlternative(alternative, weights.synonym, { lookup, matches, phrases });
  await lookup.loadPostings([...matches, ...phrases.flatMap((phrase) => phrase.matches)].flat());
  return { matches, phrases };
}

/** Adds the words that match an alternative. Their blocks are loaded. */
async function addAlternative(
  { words, terms }: Alternative,
  factor: number,
  { lookup, matches, phrases }: QueryMatches & { lookup: Lookup },
): Promise<void> {
  const forms: Match[][] = [];
  for (const word of words) forms.push(await lookup.findMatches(toTerm(word)));
  const [single = []] = forms;
  if (forms.length > 1) phrases.push({ words, matches: forms, terms });
  else
    for (const number of terms)
      matches[number]?.push(
        ...single.map(({ word, weight }) => ({ word, weight: weight * factor, termCount: terms.length })),
      );
}

const toRange = (word: string): Range => ({ from: word, to: `${word}\0` });

/** Finds the pairs of words in the index into which terms can be split. */
async function findSplits({ splits }: Query, lookup: Lookup): Promise<Phrase[]> {
  await lookup.loadWords(splits.map(({ words: [first] }) => toRange(first)));
  const begun = splits.filter(({ words: [first] }) => lookup.hasWord(first));
  await lookup.loadWords(begun.map(({ words: [, second] }) => toRange(second)));
  const found = begun.filter(({ words: [, second] }) => lookup.hasWord(second));
  return found.map(({ words, term }) => ({
    ...{ words, terms: [term], isAdjacent: true },
    matches: words.map((word) => [{ word, weight: weights.exact }]),
  }));
}

/** Returns the words of the texts that match, with the numbers of their terms. */
export const listWords = (results: FoundTerm[]): Map<string, number> =>
  new Map(results.flatMap(({ words }, term) => [...words.keys()].map((word) => [word, term] as const)));

interface Correcting<Result> {
  lookup: Lookup;
  /** Returns the result of a term from the words that match it. */
  score: (matches: Match[]) => Promise<Result>;
  /** Adds the postings of a phrase to the result of a term. */
  add: AddPostings<Result>;
}

/**
 * Searches again for words that were not found and have no synonyms. Uses other spellings of these words and the
 * synonyms of these spellings, and replaces the results of the words. Returns the corrected query.
 */
export async function correctTerms<Result extends FoundTerm>(
  { text, terms, alternatives, similarAlternatives }: Query,
  results: Result[],
  { lookup, score, add }: Correcting<Result>,
): Promise<string | undefined> {
  const known = new Set(alternatives.flatMap(({ terms: numbers }) => numbers));
  const missing = terms.flatMap((term, number) =>
    results[number]?.count === 0 && !known.has(number) ? [{ term, number }] : [],
  );
  if (missing.length === 0) return undefined;
  const corrections = await lookup.findCorrections(missing.map(({ term }) => term.word));
  const matches = terms.map(({ word }) => [...(corrections.get(word)?.matches ?? [])]);
  const phrases: Phrase[] = [];
  const similar = similarAlternatives.filter(({ terms: [number = 0] }) => corrections.has(terms[number]?.word ?? ''));
  await lookup.loadWords(similar.flatMap(({ words }) => words.map(toTerm).flatMap(getRanges)));
  for (const each of similar)
    await addAlternative(each, weights.synonym * getEditWeight(each.edits), { lookup, matches, phrases });
  await lookup.loadPostings([...matches, ...phrases.flatMap((phrase) => phrase.matches)].flat());
  for (const { number } of missing) results[number] = await score(matches[number] ?? []);
  for (const phrase of phrases) await lookup.addPhrase(phrase, results, add);
  let corrected = text;
  for (const { term, number } of missing.reverse()) {
    const result = results[number] as Result;
    const visible = corrections.get(term.word)?.similar.filter(({ word }) => result.words.has(word)) ?? [];
    const count = ({ word }: Match) => result.words.get(word) ?? 0;
    const [best] = visible.toSorted((one, other) => other.weight - one.weight || count(other) - count(one));
    const meant = similar.find(({ terms: [each] }) => each === number)?.meant;
    const correction = best?.word ?? (result.count > 0 ? meant : undefined);
    if (correction !== undefined) corrected = corrected.slice(0, term.start) + correction + corrected.slice(term.end);
  }
  return corrected === text ? undefined : corrected;
}

async function readHits(ranked: RankedPage[], blocks: BlockReader): Promise<Hit[]> {
  const entries = await readEntries(ranked, blocks);
  const hits = ranked.flatMap(({ segment, page, score, sections }, index) => {
    const entry = entries[index];
    const first = segment.index.firstSections[page] ?? 0;
    return entry === undefined ? [] : [{ ...entry, score, sections: sections.map((section) => section - first) }];
  });
  // The order of pages with the same score does not depend on the segments.
  return hits.sort((one, other) => compareRanked(one, other) || comparePages(one, other));
}

/** Reads the index entries of pages. */
export async function readEntries(
  ranked: Pick<RankedPage, 'segment' | 'page'>[],
  blocks: BlockReader,
): Promise<(IndexedPage | undefined)[]> {
  const names = new Map<string, BlockName>();
  for (const { segment, page } of ranked) {
    const number = getPageBlock(page);
    names.set(`${segment.id}/${number}`, { segment: segment.id, kind: 'pages', number });
  }
  await blocks.load([...names.values()]);
  return ranked.map(({ segment, page }) => getPageOfBlock(blocks.getPages(segment.id, getPageBlock(page)), page));
}
