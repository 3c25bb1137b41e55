import slugify from 'slugify';

/**
 * The rules by which a documentation generator derives the ids of headings: `getId` for a text, and `separator` for the
 * number of a repeated id.
 */
interface Generator {
  getId: (text: string) => string;
  separator: '-' | '_';
}

/**
 * Texts longer than `MAX_LENGTH` are truncated, and only the first `MAX_HEADINGS` headings get such ids. This bounds
 * the cost and size of large pages.
 */
const MAX_LENGTH = 256;
const MAX_HEADINGS = 1_000;

const removeMarks = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '');

/** Separates words in camel case, also next to abbreviations: `fooBar`, `OpenAPI`, `APIKey`. */
const splitCamelCase = (text: string): string =>
  text
    .replace(/([A-Z]{2,})(\d+)/g, '$1 $2')
    .replace(/([a-z\d]+)([A-Z]{2,})/g, '$1 $2')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-rt-z\d]+)/g, '$1 $2');

/** GitBook: periods and underscores are kept, `&` becomes a word, and an id doesn't start with a digit. */
function createGitBookId(text: string): string {
  const words = removeMarks(text.replaceAll('&', ' and ')).toLowerCase();
  const id = words.replace(/[^\p{L}\p{N}._]+/gu, '-').replace(/^-|-$/g, '');
  return /^\d/.test(id) ? `id-${id}` : id;
}

/** Writes letters such as `ß`, `ж` and `λ` in Latin letters. Characters without such a form are removed. */
const transliterate = (text: string): string =>
  text.normalize().replace(/\P{ASCII}/gu, (character) => slugify(character));

/** VitePress: an id does not start with a digit. */
const createVitePressId = (text: string): string =>
  removeMarks(text)
    .replace(/[\s\p{Cc}~`!@#$%^&*()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+/gu, '-')
    .replace(/^-|-$/g, '')
    .replace(/^(?=\d)/, '_')
    .toLowerCase();

/** MkDocs: only ASCII letters and digits are kept. */
const createMkDocsId = (text: string): string =>
  removeMarks(text)
    .replace(/[^\w\s-]/g, '')
    .trim()
    .toLowerCase()
    .replace(/[-\s]+/g, '-');

const GENERATORS: Generator[] = [
  { getId: createGitBookId, separator: '-' },
  { getId: (text) => createGitBookId(splitCamelCase(text)), separator: '-' },
  { getId: (text) => createGitBookId(transliterate(text)), separator: '-' },
  { getId: createVitePressId, separator: '-' },
  { getId: createMkDocsId, separator: '_' },
];

/**
 * Returns the ids that GitBook, VitePress and MkDocs give to each heading, if they differ from GitHub's. Docusaurus,
 * Hugo and mdBook use GitHub's ids.
 */
export function createGitBookIds(texts: readonly string[]): string[][] {
  const ids = texts.map((): string[] => []);
  for (const { getId, separator } of GENERATORS) {
    const counts = new Map<string, number>();
    for (const [index, text] of texts.slice(0, MAX_HEADINGS).entries()) {
      const id = getId(text.slice(0, MAX_LENGTH));
      const count = counts.get(id) ?? 0;
      counts.set(id, count + 1);
      if (id !== '') ids[index]?.push(count === 0 ? id : `${id}${separator}${count}`);
    }
  }
  return ids.map((each) => [...new Set(each)]);
}
