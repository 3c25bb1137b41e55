import { stem } from 'porter2';

const english = /^[a-z]{3,}$/;

/** Searches compare the same words often, so their stems are cached. */
const knownStems = new Map<string, string>();
const maxKnownStems = 20_000;

/**
 * Returns the stem of a folded word, which all forms of a word share: `install` of `installing` and `installation`.
 * British spellings have the stem of the American ones, except short words such as `four`. Words that are not English
 * keep their text.
 */
export function getStem(word: string): string {
  if (!english.test(word)) return word;
  const cached = knownStems.get(word);
  if (cached !== undefined) return cached;
  if (knownStems.size === maxKnownStems) knownStems.clear();
  const stemmed = stem(toAmericanSpelling(word));
  // Forms are looked up by the first letters of a word, so `dying` cannot use its stem `die`.
  const shared = stemmed.startsWith(word.slice(0, 2)) ? stemmed : word;
  knownStems.set(word, shared);
  return shared;
}

const toAmericanSpelling = (word: string): string =>
  word
    .replace(/is(?=(?:e|ed|es|er|ers|ing|ation|ations|able)$)/, 'iz')
    .replace(/(?<=[aeiouy][a-z]*)our(?=s?$|ed$|ing$)/, 'or');

/** Frequent words that say nothing about the subject of a text. */
export const stopWords = new Set(
  `a about am an and any are as at be been but by can cant could did do does doesnt dont for from get had has have how i
  if im in into is isnt it its me my need of on one or our should so some than that the their them then there these they
  this to use using want was we were what whats when where which while who why will with would you your`.split(/\s+/),
);
