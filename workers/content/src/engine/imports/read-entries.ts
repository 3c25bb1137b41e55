import { readRows } from '@octavo/db';
import { cleanTitle, getLinks } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import type { FetchedResource } from '@octavo/runtime';
import type { OrganizationId } from '@octavo/schema';
import { maxDocumentBytes } from '@octavo/schema';
import type { PreparedDocument } from '../edit/documents.ts';
import { getInsertedTitle, prepareChanges } from '../edit/documents.ts';
import { toStoredText } from '../store/documents.ts';
import { findNodes, selectKeys } from '../store/lineage.ts';
import { getPageFields, toNodes } from '../store/nodes.ts';
import type { AddressReading, FoundAddress, ReadPage } from './address-book.ts';
import { fileNameOf, gitPathOf, UnfitContent, unread } from './address-book.ts';
import type { AddressRow, ImportContext, ImportRecord } from './import-record.ts';
import { importLimits, perStep } from './import-record.ts';
import { keptArchive } from './plan-archive.ts';

/** Reads files out of the archive, as many as may be held at once: the pages have their places already, and get their texts. */
export async function readEntries(
  { db, env }: ImportContext,
  record: ImportRecord,
  rows: AddressRow[],
): Promise<AddressReading[]> {
  const archive = await keptArchive(env, record.id);
  const keys = rows.flatMap(({ kind, node }) =>
    node === null ? [] : [{ kind: kind === 'content' ? 'reusable-content' : 'page', id: node }],
  );
  const lineage = JSON.stringify([[record.id, record.seq]]);
  const stored = toNodes(await readRows(db, findNodes(lineage, selectKeys(keys))));
  const planned = new Map(stored.map((node) => [node.id, node]));
  const readings: AddressReading[] = [];
  let held = 0;
  for (const row of rows) {
    if (held >= perStep.unpackedBytes) break;
    const reading = await readEntry(record, row, { archive, planned: planned.get(row.node ?? '') }).catch(
      (error: unknown) => unread(row, unpacked(error)),
    );
    held += reading.bytes ?? 0;
    readings.push(reading);
  }
  return readings;
}

interface EntrySource {
  archive: Awaited<ReturnType<typeof keptArchive>>;
  planned: Node | undefined;
}

async function readEntry(
  record: ImportRecord,
  row: AddressRow,
  { archive, planned }: EntrySource,
): Promise<AddressReading> {
  const path = row.address;
  const size = archive.sizeOf(path);
  if (size > importLimits.fileBytes) throw new UnfitContent(`is larger than ${importLimits.fileBytes} bytes`);
  const bytes = await archive.read(path);
  if (row.kind === 'file') {
    const name = path.split('/').at(-1) ?? path;
    return { row, status: 'done', bytes: bytes.length, file: { bytes, name, gitPath: path } };
  }
  const markdown = readMarkdownText(bytes);
  if (row.kind === 'content' && planned !== undefined) {
    const stored = await toStoredText(record.organization, markdown);
    const node = { ...planned, document: stored.hash, oid: stored.oid };
    return { row, status: 'done', bytes: bytes.length, content: { node, stored } };
  }
  const { title = '', ...told } = planned === undefined ? {} : getPageFields(planned);
  const page = await readMarkdownPage(record, markdown, { title, gitPath: path });
  const fields = { ...told, ...page.fields, title: page.ownTitle ?? (title || page.fields.title) };
  return { row, status: 'done', bytes: bytes.length, page: { ...page, fields } };
}

/** What an archive says of a file that it cannot give is a fault of the archive. */
const unpacked = (error: unknown): unknown =>
  error instanceof Error && /archive|packed/.test(error.message) ? new UnfitContent(error.message) : error;

/** Reads a markdown file that was fetched: a page, and the images that stand beside it. @throws UnfitContent, ApiError */
export async function readFetchedMarkdown(
  record: ImportRecord,
  row: AddressRow,
  fetched: FetchedResource,
): Promise<AddressReading> {
  const type = fetched.headers.get('content-type') ?? 'text/plain';
  if (!/^(?:text\/(?!html)|application\/octet-stream)/i.test(type))
    throw new UnfitContent(`must be markdown, not ${type}`);
  const markdown = readMarkdownText(fetched.bytes);
  const name = fileNameOf(fetched.url).replace(/\.\w+$/, '');
  const page = await readMarkdownPage(record, markdown, { title: cleanTitle(name), gitPath: gitPathOf(fetched.url) });
  const found = getLinks(markdown)
    .filter(({ kind }) => kind === 'image')
    .flatMap(({ target }) => imageBeside(target, fetched.url));
  return { row, status: 'done', bytes: fetched.bytes.length, page, found };
}

/** The text of a markdown file. @throws UnfitContent */
function readMarkdownText(bytes: Uint8Array): string {
  if (bytes.length > maxDocumentBytes) throw new UnfitContent(`is larger than ${maxDocumentBytes} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UnfitContent('is not valid UTF-8');
  }
}

/** A page as its text makes it; `title` is for one whose text gives none. @throws UnfitContent */
async function readMarkdownPage(
  record: ImportRecord,
  markdown: string,
  { title, gitPath }: { title: string; gitPath: string },
): Promise<ReadPage> {
  const document = await prepareDocument(record.organization, markdown);
  const own = document.title ?? document.heading;
  const fields = {
    type: 'document' as const,
    title: own ?? (title || getInsertedTitle(undefined, undefined)),
    ...document.fields,
    gitPath,
  };
  return { stored: document.stored, fields, slug: document.slug, ownTitle: document.title };
}

async function prepareDocument(
  organization: OrganizationId,
  markdown: string,
): Promise<PreparedDocument & { stored: ReadPage['stored'] }> {
  const changes = [{ operation: 'insert_page' as const, document: { markdown } }];
  const { document } = (await prepareChanges(organization, changes)).prepared[0] ?? {};
  if (document?.stored == null) throw new UnfitContent('has no text');
  return { ...document, stored: document.stored };
}

/** An image of a relative target: it stands on the same host, and its path leads to it from the page as before. */
function imageBeside(target: string, page: string): FoundAddress[] {
  if (/^(?:[a-z][\w+.-]*:|\/\/|#)/i.test(target) || !URL.canParse(target, page)) return [];
  const url = new URL(target, page);
  return url.origin === new URL(page).origin ? [{ url: url.href, kind: 'file' }] : [];
}
