import { connect, type PdfRecord } from '@octavo/db';
import { findFrontmatterBlock, getLinks } from '@octavo/markdown';
import { type Background, signVisitorToken } from '@octavo/runtime';
import type { DocumentPage, File, LinkPage, Page, PdfVisit, PrintedPage, Revision } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { PageTree } from '../reader/navigation.ts';
import type { SiteApi } from '../reader/site-visit.ts';
import { createSiteApi } from '../reader/site-visit.ts';
import type { PdfContent } from './member-book.ts';

/** Limits of a visitor's PDF. They are lower than those of members, because anyone can request such a PDF. */
const maxPages = 1000;
const maxBytes = 64 * 1024 * 1024;
const pagesAtOnce = 20;
/** Duration for which the visitor's token is valid. It is longer than any run of the job. */
const tokenSeconds = 1800;

/** The site no longer shows the content to the visitor. */
export class NoLongerShownError extends Error {
  constructor() {
    super('The content is no longer published.');
  }
}

/** A PDF that would exceed a limit. The message is shown to the user. */
export class PdfTooLargeError extends Error {}

type Entry = Pick<PrintedPage, 'id' | 'title' | 'depth'> & { page: Page; type: 'document' | 'group' | 'link' };

/** Returns the entries of the navigation in order. */
function toEntries(pages: Page[], depth = 0): Entry[] {
  return pages.flatMap((page): Entry[] => {
    if (page.hidden === true || page.type === 'computed') return [];
    const { id, title, type } = page;
    return [{ id, title, type, depth, page }, ...(page.type === 'link' ? [] : toEntries(page.pages, depth + 1))];
  });
}

interface Reading {
  api: SiteApi;
  pdf: PdfRecord;
  tree: PageTree;
  files: ReadonlyMap<string, File>;
  entries: Entry[];
  /** The ids of `entries`. */
  inBook: ReadonlySet<string>;
}

interface RenderContext {
  env: PublishingEnvironment;
  background: Background;
}

/**
 * Returns the API with the current rights of the visitor who requested the PDF, so that the PDF does not contain
 * content that has been hidden from the visitor since the request.
 */
async function connectVisitorApi({ token }: PdfVisit, { env, background }: RenderContext): Promise<SiteApi> {
  const expires = Math.floor(Date.now() / 1000) + tokenSeconds;
  const signed = await signVisitorToken(env, { ...token, expires });
  const connection = connect(env.DB, { intent: 'read' });
  return createSiteApi({ request: new Request(env.OCTAVO_PUBLIC_URL), env, background, token: signed, connection });
}

/**
 * Creates the book of a visitor's PDF from the content that the visitor may see. @throws NoLongerShownError,
 * PdfTooLargeError
 */
export async function createVisitorBook(pdf: PdfRecord, running: RenderContext): Promise<PdfContent> {
  const { visitor, space, revision, title, subtitle, createdAt } = pdf;
  if (visitor === null) throw new NoLongerShownError();
  const api = await connectVisitorApi(visitor, running);
  const revisionRecord = await api.get<Revision>(`/v1/spaces/${space}/revisions/${revision}?metadata=true`);
  if (revisionRecord === undefined) throw new NoLongerShownError();
  const tree = await PageTree.create(revisionRecord, visitor.address);
  const entries = pdf.page === '' ? toEntries(revisionRecord.pages) : [toEntry(tree.find(pdf.page))];
  if (entries.length > maxPages) throw new PdfTooLargeError(`The PDF would have more than ${maxPages} pages.`);
  const files = new Map(revisionRecord.files.map((file) => [file.id, file]));
  return {
    book: {
      ...{ title, hasContents: pdf.page === '', maxBytes, date: new Date(createdAt).toISOString().slice(0, 10) },
      outline: entries.map(({ page: _, ...entry }) => entry),
      ...(subtitle === '' ? {} : { subtitle }),
    },
    pages: readPages({ api, pdf, tree, files, entries, inBook: new Set(entries.map(({ id }) => id)) }),
  };
}

function toEntry(page: DocumentPage | undefined): Entry {
  if (page === undefined) throw new NoLongerShownError();
  const { id, title, type } = page;
  return { id, title, type, depth: 0, page };
}

async function* readPages(context: Reading): PdfContent['pages'] {
  const { entries } = context;
  for (let start = 0; start < entries.length; start += pagesAtOnce) {
    const part = entries.slice(start, start + pagesAtOnce);
    const texts = await readTexts(part, context);
    yield part.map((entry) => toPrintedPage(entry, texts.get(entry.id) ?? '', context));
  }
}

async function readTexts(part: Entry[], { api, pdf }: Reading): Promise<ReadonlyMap<string, string>> {
  const pages = part.flatMap(({ id, type }) => (type === 'document' ? [id] : []));
  const texts = await api.texts({ space: pdf.space, revision: pdf.revision, pages, references: 'stable' });
  return new Map(
    pages.map((id, index) => {
      const text = texts[index];
      if (text === undefined) throw new NoLongerShownError();
      return [id, text];
    }),
  );
}

function toPrintedPage({ page, ...entry }: Entry, text: string, context: Reading): PrintedPage {
  const markdown = text.slice(findFrontmatterBlock(text)?.bodyOffset ?? 0);
  const targets = getLinks(markdown).map(({ target }) => target);
  const { description, emoji } = { description: undefined, emoji: undefined, ...page };
  return {
    ...entry,
    markdown,
    ...(description === undefined ? {} : { description }),
    ...(emoji === undefined ? {} : { emoji }),
    ...(page.type === 'link' ? { href: toHref(page, context) } : {}),
    links: toRecord(targets, (target) => resolveTarget(target, context)),
    files: toRecord(targets, (target) => findFile(target, context)?.id),
  };
}

function toRecord(names: string[], getValue: (name: string) => string | undefined): Record<string, string> {
  const entries = names.map((name) => [name, getValue(name)] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

const inSpace = /^\/(pages|files)\/([^/#?]+)(#.*)?$/s;

/** Returns the id of a page in the book, or an external URL; undefined for a broken link. */
function resolveTarget(target: string, context: Reading): string | undefined {
  const [, kind, id = '', anchor = ''] = inSpace.exec(target) ?? [];
  if (kind === 'pages') return toPage(id, anchor, context);
  const address = findFile(target, context)?.downloadURL;
  // The URL of a restricted file contains its visitor's token.
  return address === undefined || new URL(address).searchParams.has('expires') ? undefined : address;
}

function toPage(id: string, anchor: string, { inBook, tree }: Reading): string | undefined {
  if (inBook.has(id)) return `${id}${anchor}`;
  const page = tree.find(id);
  return page && `${tree.getPath(page)}${anchor}`;
}

function findFile(target: string, { files }: Reading): File | undefined {
  const [, kind, id = ''] = inSpace.exec(target) ?? [];
  return kind === 'files' ? files.get(id) : undefined;
}

function toHref({ target, href = '' }: LinkPage, { tree }: Reading): string {
  const page = target.kind === 'page' && target.space === undefined ? tree.find(target.page) : undefined;
  return page === undefined ? href : tree.getPath(page);
}
