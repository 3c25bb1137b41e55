import type { PdfRecord } from '@octavo/db';
import type { Includable } from '@octavo/markdown';
import { withoutAnchor } from '@octavo/markdown';
import { urlsOf } from '@octavo/runtime';
import type { BookPageText, BookPart, BookReading, BookText, OutlineEntry } from '@octavo/schema';
import type { Book, BookPage } from '@octavo/typeset';
import type { PublishingEnvironment } from '../environment.ts';

/** What is asked for at once; the answer may hold fewer. */
const pagesAtOnce = 20;

/** A page of a book with the files that its text names: their ids, by the addresses as they are written. */
export interface FilledPage extends BookPage {
  files: Record<string, string>;
}

interface Reading {
  env: PublishingEnvironment;
  pdf: PdfRecord;
  outline: OutlineEntry[];
}

export const readingOf = ({ space, revision, page, only }: PdfRecord): BookReading => ({
  space,
  revision,
  only,
  ...(page === '' ? {} : { page }),
});

/** The book of a PDF: its pages are read part by part as it is set. */
export function bookOf({ env, pdf, outline }: Reading): Book {
  return {
    title: pdf.title,
    ...(pdf.subtitle === '' ? {} : { subtitle: pdf.subtitle }),
    date: new Date(pdf.createdAt).toISOString().slice(0, 10),
    hasContents: !pdf.only,
    outline,
    pages: readPages({ env, pdf, outline }),
  };
}

async function* readPages(reading: Reading): AsyncGenerator<FilledPage> {
  const { env, pdf, outline } = reading;
  const entries = new Map(outline.map((entry) => [entry.id, entry]));
  const addressOf = addressesOf(reading, entries);
  let rest = outline.map(({ id }) => id);
  while (rest.length > 0) {
    const pages = rest.slice(0, pagesAtOnce);
    const { value: part } = await env.CONTENT.readBookPart({ ...readingOf(pdf), pages });
    const last = part.pages.at(-1);
    if (last === undefined) throw new Error(`The revision ${pdf.revision} does not hold the page ${pages[0]}.`);
    const contents = new Map(part.contents.map((content) => [content.id, includable(content)]));
    for (const page of part.pages) {
      const entry = entries.get(page.id);
      if (entry !== undefined) yield fill(page, { entry, part, contents, addressOf });
    }
    rest = rest.slice(rest.indexOf(last.id) + 1);
  }
}

/** Addresses in the application: of pages outside of the book, and of files. */
function addressesOf({ env, pdf }: Reading, entries: ReadonlyMap<string, OutlineEntry>): Around['addressOf'] {
  const base = `/spaces/${pdf.space}${pdf.changeRequest === null ? '' : `/change-requests/${pdf.changeRequest}`}`;
  const { app } = urlsOf(env);
  return {
    page: (lead) => {
      const [id = ''] = lead.split('#', 1);
      const isOutside = !entries.has(id) && !/^[a-z][a-z\d+.-]*:/i.test(lead);
      return isOutside ? app(`${base}/content/page/${id}`) : lead;
    },
    file: (id) => app(`${base}/content/files/${id}`),
  };
}

interface Around {
  entry: OutlineEntry;
  part: BookPart;
  contents: ReadonlyMap<string, Includable>;
  addressOf: { page(lead: string): string; file(id: string): string };
}

function fill(page: BookPageText, { entry, part, contents, addressOf }: Around): FilledPage {
  const texts = [...reachedBy(page, part.contents), page];
  const files = merge(texts.map((text) => text.files));
  const links = mapValues(merge(texts.map((text) => text.links)), addressOf.page);
  const { description, emoji, href, markdown } = page;
  return {
    ...entry,
    markdown,
    ...(description === undefined ? {} : { description }),
    ...(emoji === undefined ? {} : { emoji }),
    ...(href === undefined ? {} : { href: addressOf.page(href) }),
    links: merge([mapValues(files, addressOf.file), links]),
    files,
    evaluation: {
      scope: { space: { vars: part.variables }, page: { vars: page.variables }, visitor: { claims: {} } },
      targetOf: targetsOf(page),
      contents,
    },
  };
}

/** The contents that a page includes, at every level. */
function reachedBy(page: BookText, contents: BookText[]): BookText[] {
  const known = new Map(contents.map((content) => [content.id, content]));
  const reached = new Set<BookText>();
  const visit = ({ includes }: BookText): void => {
    for (const id of Object.values(includes)) {
      const content = known.get(id);
      if (content === undefined || reached.has(content)) continue;
      reached.add(content);
      visit(content);
    }
  };
  visit(page);
  return [...reached];
}

const includable = (content: BookText): Includable => ({ markdown: content.markdown, targetOf: targetsOf(content) });

const targetsOf =
  ({ includes }: BookText) =>
  (address: string): string | undefined =>
    ownValue(includes, address) ?? ownValue(includes, withoutAnchor(address));

/** The keys are anybody's texts: none may reach what objects inherit. */
export const ownValue = (record: Record<string, string>, key: string): string | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;

const merge = (records: Record<string, string>[]): Record<string, string> =>
  Object.assign(Object.create(null) as Record<string, string>, ...records);

const mapValues = (record: Record<string, string>, change: (value: string) => string): Record<string, string> =>
  merge([Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))]);
