import { beforeAll, expect, test } from 'vitest';
import { createCommandLine, findSpaceId } from '../../cli/octavo.ts';
import { book, findLinkedFile, findTargets, isOutside, listBookFiles } from '../../cli/real-book.ts';
import { platform } from '../../support/platform.ts';
import { getDocument, VerbosityLevel } from '../pdfjs.ts';
import type { WrittenPage } from './book-pages.ts';
import { getPages, getWords, removeMarks } from './book-pages.ts';
import { downloadPdf } from './pdf-client.ts';
import { getFaults } from './sound-pdf.ts';

interface Seen {
  /** The text of each sheet, without white space. */
  sheets: string[];
  /** The bold text of each sheet. */
  bold: string[];
  /** The bookmarks, with their target sheets. */
  outline: { title: string; depth: number; sheet: number }[];
  links: { from: number; to?: number; url?: string }[];
}

let pages: WrittenPage[];
let bytes: Uint8Array;
let seen: Seen;
/** The first sheet of each page. */
let starts: number[];

beforeAll(async () => {
  pages = await getPages(book);
  const { octavo, token } = await createCommandLine();
  const imported = await octavo('import', book, '--space', 'new', '--title', 'A book');
  if (imported.code !== 0) throw new Error(imported.stderr);
  bytes = await downloadPdf(platform(), { id: findSpaceId(imported.stdout), token });
  seen = await readBook(bytes);
  starts = getStarts(pages, seen);
}, 240_000);

type Bookmarks = { title: string; dest: string | unknown[] | null; items: Bookmarks }[];
type Annotation = { url?: string; unsafeUrl?: string; dest?: string | unknown[] | null };

async function readBook(data: Uint8Array): Promise<Seen> {
  const task = getDocument({ data: data.slice(), verbosity: VerbosityLevel.ERRORS });
  const pdf = await task.promise;
  const getSheet = async (dest: string | unknown[]): Promise<number> => {
    const explicit = typeof dest === 'string' ? await pdf.getDestination(dest) : dest;
    if (explicit === null) throw new Error(`There is no place ${dest}.`);
    return pdf.getPageIndex(explicit[0] as { num: number; gen: number });
  };
  const listBookmarks = async (items: Bookmarks, depth: number): Promise<Seen['outline']> => {
    const outline: Seen['outline'] = [];
    for (const { title, dest, items: below } of items)
      outline.push({ title, depth, sheet: await getSheet(dest ?? '') }, ...(await listBookmarks(below, depth + 1)));
    return outline;
  };
  const outline = await listBookmarks(((await pdf.getOutline()) ?? []) as Bookmarks, 0);
  const all: Seen = { sheets: [], bold: [], outline, links: [] };
  for (let from = 0; from < pdf.numPages; from += 1) {
    const page = await pdf.getPage(from + 1);
    // This loads the fonts, whose names are unknown until then.
    await page.getOperatorList();
    const { items } = await page.getTextContent();
    const runs = items.flatMap((item) =>
      'str' in item ? { text: item.str.replace(/\s/g, ''), font: item.fontName } : [],
    );
    const isBold = ({ text, font }: (typeof runs)[number]) =>
      text !== '' && (page.commonObjs.get(font) as { name: string }).name.includes('Bold');
    all.sheets.push(runs.map(({ text }) => text).join(''));
    all.bold.push(
      runs
        .filter(isBold)
        .map(({ text }) => text)
        .join(''),
    );
    for (const { url, unsafeUrl, dest } of (await page.getAnnotations()) as Annotation[]) {
      if (dest === undefined || dest === null) all.links.push({ from, url: url ?? unsafeUrl ?? '' });
      else all.links.push({ from, to: await getSheet(dest) });
    }
    page.cleanup();
  }
  await task.destroy();
  return all;
}

/**
 * Returns the first sheet of each page. Follows the bookmarks in order: each page is the next bookmark with its title
 * and depth.
 */
function getStarts(written: WrittenPage[], { outline }: Seen): number[] {
  let at = 0;
  return written.map(({ title, depth }) => {
    const foundIndex = outline.findIndex(
      (entry, index) => index >= at && entry.depth === depth && getWords(entry.title) === getWords(title),
    );
    if (foundIndex === -1) throw new Error(`The outline lacks ${title} at the depth ${depth}.`);
    at = foundIndex + 1;
    return outline[foundIndex]?.sheet ?? -1;
  });
}

/** Returns the sheets of a page's headings, in order. */
function listHeadingSheets(index: number): { heading: string; sheet: number }[] {
  let [sheet, at] = [starts[index] ?? 0, 0];
  return (pages[index]?.headings ?? []).map((heading) => {
    const end = starts[index + 1] ?? seen.sheets.length - 1;
    for (; sheet <= end; [sheet, at] = [sheet + 1, 0]) {
      const foundIndex = seen.bold[sheet]?.indexOf(getWords(heading), at) ?? -1;
      if (foundIndex === -1) continue;
      at = foundIndex + getWords(heading).length;
      return { heading, sheet };
    }
    throw new Error(`${pages[index]?.file} lacks the heading "${heading}" in its place.`);
  });
}

test('a book passes a strict PDF parser, and has a glyph for each character', async () => {
  expect(await getFaults(bytes)).toEqual({ warnings: [], missingGlyphs: [] });
}, 240_000);

test('the PDF outline of a book contains every page, nested and in order, and links to the sheet with its title', () => {
  expect(starts).toHaveLength(pages.length);
  expect(starts).toEqual(starts.toSorted((one, other) => one - other));
  pages.forEach(({ title }, index) => {
    expect(seen.sheets[starts[index] ?? -1]).toContain(getWords(title));
  });
});

test('a book contains all headings of all pages in order', () => {
  const headingCounts = pages.map((_, index) => listHeadingSheets(index).length);

  expect(headingCounts).toEqual(pages.map(({ headings }) => headings.length));
  expect(headingCounts.reduce((sum, count) => sum + count)).toBeGreaterThan(pages.length / 2);
});

test('the table of contents links to the pages in order', () => {
  const contents = seen.links.filter(({ from }) => from < (starts[0] ?? 0)).map(({ to }) => to);

  expect(contents).toEqual(starts);
});

const getSlug = (heading: string): string =>
  removeMarks(heading)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]+/gu, '')
    .trim()
    .replace(/\s+/g, '-');

test('links in a book point to the linked pages and headings, and to external URLs', async () => {
  const files = await listBookFiles();
  const indexOf = new Map(pages.map(({ file }, index) => [file, index]));
  const [inside, outside] = [new Set<string>(), new Set<string>()];
  pages.forEach(({ file, markdown }, index) => {
    const bare = [/<(https?:[^>\s]+)>/g, /_(https?:[^_\s]+)_/g].flatMap((pattern) =>
      Array.from(markdown.matchAll(pattern), ([, address = '']) => address),
    );
    for (const target of [...findTargets(markdown), ...bare]) {
      if (/^https?:/.test(target)) outside.add(new URL(target).href);
      if (isOutside(target)) continue;
      const meant = findLinkedFile(target, file, files);
      const to = meant === '' ? index : indexOf.get(meant ?? '');
      if (to === undefined) continue;
      const anchor = target.split('#')[1] ?? '';
      const heading = listHeadingSheets(to).find((each) => getSlug(each.heading) === anchor);
      inside.add(`${file} leads to ${heading?.sheet ?? starts[to]}`);
    }
  });
  const findFile = (sheet: number) => pages[starts.findLastIndex((start) => start <= sheet)]?.file;
  const body = seen.links.filter(({ from }) => from >= (starts[0] ?? 0));

  const jumps = new Set(body.flatMap(({ from, to }) => (to === undefined ? [] : `${findFile(from)} leads to ${to}`)));
  expect(jumps.symmetricDifference(inside)).toEqual(new Set());
  const urls = new Set(body.flatMap(({ url }) => (url?.startsWith('http') && !url.includes('/app/') ? url : [])));
  expect(urls.symmetricDifference(outside)).toEqual(new Set());
});
