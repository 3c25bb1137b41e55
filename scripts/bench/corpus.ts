/** A word in the text of every document. */
export const commonWord = 'everywhere';
/** A word in the text of one document. */
export const rareWord = 'quincunx';

const DOCUMENTS = 500;
const DOCUMENT_BYTES = 4096;
const VOCABULARY_WORDS = 3000;
const SECTIONS = 5;

export interface Document {
  title: string;
  /** The text of 4 KB, with the title as its first heading. */
  markdown: string;
}

export interface Corpus {
  documents: Document[];
  /** The number of documents that are parents of the other documents. Lists of fifty pages return these parents. */
  parents: number;
}

/** Returns random numbers from 0 to 1 that are the same in each run (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const syllables = 'ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu'.split(' ');

function makeVocabulary(): string[] {
  const random = createRandom(1);
  const pickSyllable = () => syllables[Math.floor(random() * syllables.length)] ?? '';
  const words = new Set<string>();
  while (words.size < VOCABULARY_WORDS)
    words.add(Array.from({ length: 2 + Math.floor(random() * 3) }, pickSyllable).join(''));
  return [...words];
}

const vocabulary = makeVocabulary();

/** Returns a random word. A few words are frequent and many are rare, as in any language. */
const pickWord = (random: () => number): string => vocabulary[Math.floor(VOCABULARY_WORDS * random() ** 3)] ?? '';

/** Creates sections of sentences, 4 KB in total, that start with these words. */
function createText(title: string, opening: string, random: () => number): string {
  let text = `# ${title}\n\n${opening}`;
  for (let section = 1; section <= SECTIONS; section += 1) {
    text += `\n\n## ${pickWord(random)} ${pickWord(random)}\n\n`;
    while (text.length < (DOCUMENT_BYTES * section) / SECTIONS) text += `${pickWord(random)} `;
  }
  return `${text.slice(0, DOCUMENT_BYTES - 1).trimEnd()}\n`;
}

/** Creates the documents of all measurements, which are the same in each run. A size of 1 is 500 documents. */
export function createCorpus(size: number): Corpus {
  const count = Math.max(1, Math.round(DOCUMENTS * size));
  const documents = Array.from({ length: count }, (_, index) => {
    const title = `Document ${index + 1}`;
    const opening = index === count - 1 ? `${commonWord} ${rareWord}` : commonWord;
    return { title, markdown: createText(title, opening, createRandom(index + 2)) };
  });
  return { documents, parents: Math.min(50, Math.max(1, Math.floor(count / 10))) };
}

/** Returns a text of 4 KB with its own title. It contains neither of the words that are searched for. */
export const createNewText = (title: string, index: number): string =>
  createText(title, 'Written.', createRandom(-1 - index));
