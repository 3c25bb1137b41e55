import type { PdfRecord } from '@octavo/db';
import { createUrls } from '@octavo/runtime';
import type {
  BookPageText,
  BookPart,
  BookReading,
  BookText,
  OutlineEntry,
  PrintedBook,
  PrintedPage,
} from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';

/** A book to print, with its pages in parts. */
export interface PdfContent {
  book: PrintedBook;
  pages: AsyncGenerator<PrintedPage[]>;
}

/** Number of pages per request. The response may contain fewer. */
const pagesAtOnce = 20;

interface Reading {
  env: PublishingEnvironment;
  pdf: PdfRecord;
  outline: OutlineEntry[];
}

const toReading = ({ space, revision, page, only }: PdfRecord): BookReading => ({
  space,
  revision,
  only,
  ...(page === '' ? {} : { page }),
});

/** Creates the book of a member's PDF. Returns undefined if its content was deleted. */
export async function createMemberBook(pdf: PdfRecord, env: PublishingEnvironment): Promise<PdfContent | undefined> {
  const { value: outline } = await env.CONTENT.readBookOutline(toReading(pdf), null);
  if (outline === null) return undefined;
  const book: PrintedBook = {
    title: pdf.title,
    ...(pdf.subtitle === '' ? {} : { subtitle: pdf.subtitle }),
    date: new Date(pdf.createdAt).toISOString().slice(0, 10),
    hasContents: !pdf.only,
    outline,
  };
  return { book, pages: readPages({ env, pdf, outline }) };
}

async function* readPages(context: Reading): PdfContent['pages'] {
  const { env, pdf, outline } = context;
  const entries = new Map(outline.map((entry) => [entry.id, entry]));
  const urls = createUrlResolver(context, entries);
  let rest = outline.map(({ id }) => id);
  while (rest.length > 0) {
    const pages = rest.slice(0, pagesAtOnce);
    const { value: part } = await env.CONTENT.readBookPart({ ...toReading(pdf), pages }, null);
    const last = part.pages.at(-1);
    if (last === undefined) throw new Error(`The revision ${pdf.revision} does not contain the page ${pages[0]}.`);
    yield* splitPages(
      part.pages.flatMap((page) => {
        const entry = entries.get(page.id);
        return entry === undefined ? [] : [toPrintedPage(page, { entry, part, urls })];
      }),
    );
    rest = rest.slice(rest.indexOf(last.id) + 1);
  }
}

/** Maximum number of characters of the texts that are passed to the render worker at once. */
const maxCharacters = 4_000_000;

/** Divides pages into groups for the render worker. Reusable content is part of each page that includes it. */
export function splitPages(pages: PrintedPage[]): PrintedPage[][] {
  const groups: PrintedPage[][] = [];
  let characters = 0;
  for (const page of pages) {
    const texts = [page, ...(page.evaluation?.contents ?? [])];
    const own = texts.reduce((sum, { markdown }) => sum + markdown.length, 0);
    characters += own;
    const last = characters > maxCharacters ? undefined : groups.at(-1);
    if (last === undefined) {
      groups.push([page]);
      characters = own;
    } else last.push(page);
  }
  return groups;
}

/** Returns functions that link files, and pages outside of the book, to the application. */
function createUrlResolver({ env, pdf }: Reading, entries: ReadonlyMap<string, OutlineEntry>): PageContext['urls'] {
  const base = `/spaces/${pdf.space}${pdf.changeRequest === null ? '' : `/change-requests/${pdf.changeRequest}`}`;
  const { app } = createUrls(env);
  return {
    page: (prefix) => {
      const [id = ''] = prefix.split('#', 1);
      const isOutside = !entries.has(id) && !/^[a-z][a-z\d+.-]*:/i.test(prefix);
      return isOutside ? app(`${base}/content/page/${id}`) : prefix;
    },
    file: (id) => app(`${base}/content/files/${id}`),
  };
}

interface PageContext {
  entry: OutlineEntry;
  part: BookPart;
  urls: { page(prefix: string): string; file(id: string): string };
}

function toPrintedPage(page: BookPageText, { entry, part, urls }: PageContext): PrintedPage {
  const contents = findIncluded(page, part.contents);
  const texts = [...contents, page];
  const files = merge(texts.map((text) => text.files));
  const links = mapValues(merge(texts.map((text) => text.links)), urls.page);
  const { description, emoji, href, markdown } = page;
  return {
    ...entry,
    markdown,
    ...(description === undefined ? {} : { description }),
    ...(emoji === undefined ? {} : { emoji }),
    ...(href === undefined ? {} : { href: urls.page(href) }),
    links: merge([mapValues(files, urls.file), links]),
    files,
    evaluation: {
      variables: { space: part.variables, page: page.variables },
      includes: page.includes,
      contents: contents.map(({ id, markdown, includes }) => ({ id, markdown, includes })),
    },
  };
}

/** Returns the reusable contents that a page includes directly or indirectly. */
function findIncluded(page: BookText, contents: BookText[]): BookText[] {
  const contentsById = new Map(contents.map((content) => [content.id, content]));
  const reachedTexts = new Set<BookText>();
  const visit = ({ includes }: BookText): void => {
    for (const id of Object.values(includes)) {
      const content = contentsById.get(id);
      if (content === undefined || reachedTexts.has(content)) continue;
      reachedTexts.add(content);
      visit(content);
    }
  };
  visit(page);
  return [...reachedTexts];
}

/** Keys are user input, so the result must have them as own properties even if one is `__proto__`. */
const merge = (records: Record<string, string>[]): Record<string, string> =>
  Object.fromEntries(records.flatMap((record) => Object.entries(record)));

const mapValues = (record: Record<string, string>, change: (value: string) => string): Record<string, string> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
