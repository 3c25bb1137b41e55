import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { evaluateTreeInSteps, getSections, parseTree, publishTree } from '@octavo/markdown';
import { type PageView, renderUpdates } from '@octavo/reader';
import { fromHtml } from 'hast-util-from-html';
import { expect } from 'vitest';
import { readPdf, typesetPages } from './printed.ts';

/** Source that pages omit on purpose, because it is not text. */
const leftOut: [what: string, source: RegExp, replacement?: string][] = [
  ['frontmatter', /^\uFEFF?---\r?\n[\s\S]*?\r?\n---(?=\r?\n|$)/],
  ['comments', /<!--[\s\S]*?(?:-->|$)|\{\/\*[\s\S]*?\*\/\}/g],
  ['scripts, styles and drawings', /<(script|style|head|template|svg)\b[\s\S]*?(?:<\/\1\s*>|$)/gi],
  ['info strings of code', /(?<=^[ \t>*+-]*(?:\d+[.)][ \t]+)?(?:`{3,}|~{3,})).*$/gm],
  ['tags', /\{%[\s\S]*?%\}/g],
  ['expressions', /\{\{[^{}\n]*\}\}/g],
  ['numbers of lists', /^[ \t>*+-]*\d+[.)](?=[ \t])/gm],
  [
    'definitions',
    /^[ \t>]*\[[^\]\n]+\]:[ \t]*(?:\n[ \t]*)?\S*(?:[ \t]*\n?[ \t]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*$/gm,
  ],
  ['abbreviations', /^\*\[[^\]\n]+\]:.*$/gm],
  ['images', /!\[[^[\]]*\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\]\n]*\])?/g],
  ['targets of links', /\]\([^()]*(?:\([^()]*\)[^()]*)*\)/g, ''],
  ['types of hints', /(?<=^[ \t]*>[ \t]*)\[![a-zA-Z]+\]/gm],
  ['labels of links', /\]\[[^\]\n]*\]/g, ''],
  ['names of footnotes', /\[\^[^\]\s]+\]:?/g],
  ['attributes', /\{:?[ \t]*[.#][^{}\n]*\}/g],
  ['HTML tags in a word', /<\/?(?:a|abbr|b|code|em|i|kbd|mark|s|small|span|strong|su[bp]|u)(?:\s[^<>]*)?>/gi, ''],
  ['formulas', /\$\$[\s\S]+?\$\$|\$[^$\n]+\$/g],
  ['HTML tags', /<\/?[a-zA-Z](?:[^<>"]|"[^"]*")*>/g],
  ['entities', /&#?\w+;/g],
  ['names of emoji', /:[a-z0-9_+-]+:/g],
  ['imports and exports', /^(?:import|export)\s[\s\S]*?$/gm],
];

/** Splits a text into words. Ignores markup characters within a word, such as `*a*b`. */
const split = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/(?<=[\p{L}\p{M}\p{N}])[*_`~[\]]+(?=[\p{L}\p{M}\p{N}])/gu, '')
    .match(
      /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}]|(?:(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}])[\p{L}\p{M}\p{N}])+/gu,
    ) ?? [];

const removeParts = (markdown: string, parts: typeof leftOut): string =>
  parts.reduce((text, [, source, replacement = ' ']) => text.replace(source, replacement), markdown);

/** Returns the words of a text. */
export const getWords = (markdown: string): string[] => split(removeParts(markdown, leftOut));

/** Returns the words that a search finds. Omits the texts of links that only repeat their target. */
export function getSearchedWords(markdown: string): string[] {
  const defined = new Map(
    [...markdown.matchAll(/^ {0,3}\[([^\]\n]+)\]:\s*(\S+)/gm)].map(([, label = '', to = '']) => [
      label.toLowerCase(),
      to,
    ]),
  );
  const first = leftOut.findIndex(([what]) => what === 'targets of links');
  const text = removeParts(markdown, leftOut.slice(0, first)).replace(
    /\[([^[\]]*)\](?=\(([^()]*)\)|\[([^[\]]*)\]|)/g,
    (link: string, words: string, target = '', label = '') => {
      const address = target || (defined.get((label || words).toLowerCase()) ?? '');
      const [name = '', text = ''] = [address.replace(/#.*$/, ''), words].map((each) =>
        split(each.replace(/\.mdx?$/i, '')).join(''),
      );
      const isName = name.endsWith(text) || text.endsWith(name);
      return address !== '' && !/^(?:[a-z]+:|#)/i.test(address) && isName ? '[]' : link;
    },
  );
  return split(removeParts(text, leftOut.slice(first)));
}

/** Returns the words that do not occur in a text as often as in `words`. */
export function findMissingWords(text: string, words: string[]): string[] {
  const counts = new Map<string, number>();
  for (const word of split(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return words.filter((word) => {
    const count = counts.get(word) ?? 0;
    counts.set(word, count - 1);
    return count <= 0;
  });
}

type HtmlNode = ReturnType<typeof fromHtml> | ReturnType<typeof fromHtml>['children'][number];

const inline = new Set('a abbr b code em i kbd mark q s small span strong sub sup u button wbr'.split(' '));

const getText = (node: HtmlNode): string => {
  if (node.type === 'text') return node.value;
  const inside = 'children' in node ? node.children.map(getText).join('') : '';
  return node.type === 'element' && !inline.has(node.tagName) ? ` ${inside} ` : inside;
};

/** Texts by the address with which others include them. */
type Texts = Record<string, string>;

const createIncludes = (texts: Texts) => {
  const findTarget = (address: string) => address;
  return {
    findTarget,
    contents: new Map(Object.entries(texts).map(([address, markdown]) => [address, { markdown, findTarget }])),
  };
};

function getResult<Result>(steps: Generator<unknown, Result>): Result {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/** Returns the text of a published page, as visitors see it. */
export function renderPageText(markdown: string, texts: Texts = {}): string {
  const written = parseTree(markdown);
  const evaluation = { ...createIncludes(texts), scope: { visitor: { claims: {} } }, isStrict: true };
  const tree = Object.keys(texts).length === 0 ? written : getResult(evaluateTreeInSteps(written, evaluation));
  const { nodes } = publishTree(tree, { includes: () => undefined });
  const update = { object: 'block', type: 'update', data: { date: '' }, nodes };
  const view = {
    site: {
      url: 'https://a.example/',
      language: 'en',
      customization: { internationalization: { locale: 'en' }, externalLinks: {}, styling: {} },
    },
    page: { title: '', document: { nodes: [{ object: 'block', type: 'updates', nodes: [update] }] } },
    assets: { icon: () => undefined, file: () => undefined },
    resolve: (ref: { url?: string }) => ({ to: ref.url ?? '' }),
    relativeRoot: './',
    specifications: {},
  } as unknown as PageView;
  return renderUpdates(view)
    .map(({ html }) => getText(fromHtml(html, { fragment: true })))
    .join(' ');
}

/** Returns the text that a search finds. */
export const renderSearchText = (markdown: string, texts: Texts = {}): string =>
  getSections(markdown, createIncludes(texts))
    .map(({ title, text }) => `${title} ${text}`)
    .join(' ');

const joinWords = (text: string): string => split(text).join('');

/** Returns the words of a PDF without spaces between them, because lines may break within a word. */
export async function readPdfText(markdown: string): Promise<string> {
  const { text } = await readPdf((await typesetPages({ pages: [{ markdown }], hasContents: false })).bytes);
  return joinWords(text);
}

/**
 * Returns the words of each page of a book, joined because lines may break within a word. A book takes much less time
 * than a PDF for each page, because it reads and writes each font once.
 */
async function readBookTexts(pages: string[]): Promise<string[]> {
  const named = pages.map((markdown, index) => ({ markdown, title: `book-page-${index}` }));
  const { pdf, texts } = await readPdf((await typesetPages({ pages: named, hasContents: false })).bytes);
  const outline = (await pdf.getOutline()) ?? [];
  const tops = outline.filter(({ title }) => title.startsWith('book-page-'));
  const starts = await Promise.all(
    tops.map(async ({ dest }) => {
      const target = typeof dest === 'string' ? await pdf.getDestination(dest) : dest;
      return pdf.getPageIndex(target?.[0]);
    }),
  );
  expect(starts).toHaveLength(pages.length);
  return starts.map((start, index) => joinWords(texts.slice(start, starts[index + 1]).join('\n')));
}

/** Folders with documentation. The Rust book is not on every machine. */
const folders = [
  'docs',
  'test/node_modules/npm/docs',
  'test/node_modules/create-docusaurus',
  '../shared/data/rust-book/src',
];

/** Returns the paths of all corpora's texts. */
export async function readCorpora(): Promise<string[]> {
  const root = path.resolve(import.meta.dirname, '../..');
  const lists = folders.map(async (folder) => {
    const at = path.join(root, folder);
    const files = await readdir(at, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return [];
    });
    return files.filter((file) => file.endsWith('.md')).map((file) => path.join(at, file));
  });
  return (await Promise.all(lists)).flat().sort();
}

/** These pages show syntax, so some of their source is not text. */
const syntax: Record<string, string[]> = {
  'write-pages.md': ['h2o', 'footnote', 'int0', 'dx', 'frac'],
  'ch08-03-hash-maps.md': ['tables'],
};

/** Matches words for whose scripts PDFs have a font. PDFs print letters of other scripts as numbers. */
const hasFont =
  /^[\p{scx=Latn}\p{scx=Grek}\p{scx=Cyrl}\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Arab}\p{scx=Hebr}\p{scx=Thai}\p{N}]+$/u;

interface Missing {
  file: string;
  [place: string]: string[] | string;
}

/** Returns the words of a file that are missing on its page, in search and in the text of its PDF. */
async function findMissing(file: string, markdown: string, pdf?: string): Promise<Missing> {
  const known = new Set(syntax[path.basename(file)]);
  const words = getWords(markdown);
  const missing = {
    page: findMissingWords(renderPageText(markdown), words),
    search: findMissingWords(renderSearchText(markdown), getSearchedWords(markdown)),
    ...(pdf !== undefined && { pdf: words.filter((word) => hasFont.test(word) && !pdf.includes(word)) }),
  };
  const lists = Object.entries(missing).map(([place, list]) => [place, list.filter((word) => !known.has(word))]);
  return { file, ...Object.fromEntries(lists) };
}

/** Returns the words of a file that are missing on its page and in search. */
export const getMissing = async (file: string): Promise<Missing> => findMissing(file, await readFile(file, 'utf8'));

/** Returns the words of each file that are missing on its page, in search and on its sheets of a PDF of all files. */
export async function getMissingOfBook(files: string[]): Promise<Missing[]> {
  const pages = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  const texts = await readBookTexts(pages);
  return Promise.all(files.map((file, index) => findMissing(file, pages[index] ?? '', texts[index])));
}
