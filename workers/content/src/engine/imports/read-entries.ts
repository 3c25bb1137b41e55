import { readRows } from '@octavo/db';
import { cleanTitle, getLinks } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import type { FetchedResource } from '@octavo/runtime';
import type { OrganizationId } from '@octavo/schema';
import { maxDocumentBytes } from '@octavo/schema';
import type { PreparedDocument } from '../edit/documents.ts';
import { getInsertedTitle, prepareChanges } from '../edit/documents.ts';
import { queryNodes, selectKeys } from '../store/lineage.ts';
import { getPageFields, toNodes } from '../store/nodes.ts';
import { toStoredText } from '../store/revisions.ts';
import type { AddressReading, FoundAddress, ReadPage } from './address-book.ts';
import { getFileName, getGitPath, toFailedReading, UnsupportedContent } from './address-book.ts';
import type { AddressRow, ImportContext, ImportRecord } from './import-record.ts';
import { importLimits, stepLimits } from './import-record.ts';
import { openStoredArchive } from './plan-archive.ts';

/**
 * Reads entries of the archive, up to the limit on unpacked bytes. The pages already have positions and get their
 * texts.
 */
export async function readEntries(
  { db, env }: ImportContext,
  record: ImportRecord,
  rows: AddressRow[],
): Promise<AddressReading[]> {
  const archive = await openStoredArchive(env, record.id);
  const keys = rows.flatMap(({ kind, node }) =>
    node === null ? [] : [{ kind: kind === 'content' ? 'reusable-content' : 'page', id: node }],
  );
  const lineage = JSON.stringify([[record.id, record.seq]]);
  const plannedNodes = toNodes(await readRows(db, queryNodes(lineage, selectKeys(keys))));
  const planned = new Map(plannedNodes.map((node) => [node.id, node]));
  const readings: AddressReading[] = [];
  let textBytes = 0;
  for (const row of rows) {
    if (textBytes >= stepLimits.unpackedBytes) break;
    const reading = await readEntry(record, row, { archive, planned: planned.get(row.node ?? '') }).catch(
      (error: unknown) => toFailedReading(row, toArchiveError(error)),
    );
    textBytes += reading.bytes ?? 0;
    readings.push(reading);
  }
  return readings;
}

interface EntrySource {
  archive: Awaited<ReturnType<typeof openStoredArchive>>;
  planned: Node | undefined;
}

async function readEntry(
  record: ImportRecord,
  row: AddressRow,
  { archive, planned }: EntrySource,
): Promise<AddressReading> {
  const path = row.address;
  const size = archive.getSize(path);
  if (size > importLimits.fileBytes) throw new UnsupportedContent(`is larger than ${importLimits.fileBytes} bytes`);
  const bytes = await archive.read(path);
  if (row.kind === 'file') {
    const name = path.split('/').at(-1) ?? path;
    return { row, status: 'done', bytes: bytes.length, file: { bytes, name, gitPath: path } };
  }
  const markdown = readMarkdownText(bytes);
  if (row.kind === 'content' && planned !== undefined) {
    const storedText = await toStoredText(record.organization, markdown);
    const node = { ...planned, document: storedText.hash, oid: storedText.oid };
    return { row, status: 'done', bytes: bytes.length, content: { node, stored: storedText } };
  }
  const { title = '', ...otherFields } = planned === undefined ? {} : getPageFields(planned);
  const page = await readMarkdownPage(record, markdown, { title, gitPath: path });
  const fields = { ...otherFields, ...page.fields, title: page.ownTitle ?? (title || page.fields.title) };
  return { row, status: 'done', bytes: bytes.length, page: { ...page, fields } };
}

/** Turns errors about the archive itself into content errors. */
const toArchiveError = (error: unknown): unknown =>
  error instanceof Error && /archive|packed/.test(error.message) ? new UnsupportedContent(error.message) : error;

/**
 * Reads a fetched markdown file as a page, with the images it refers to by relative paths. @throws UnsupportedContent,
 * ApiError
 */
export async function readFetchedMarkdown(
  record: ImportRecord,
  row: AddressRow,
  resource: FetchedResource,
): Promise<AddressReading> {
  const type = resource.headers.get('content-type') ?? 'text/plain';
  if (!/^(?:text\/(?!html)|application\/octet-stream)/i.test(type))
    throw new UnsupportedContent(`must be markdown, not ${type}`);
  const markdown = readMarkdownText(resource.bytes);
  const name = getFileName(resource.url).replace(/\.\w+$/, '');
  const page = await readMarkdownPage(record, markdown, { title: cleanTitle(name), gitPath: getGitPath(resource.url) });
  const addresses = getLinks(markdown)
    .filter(({ kind }) => kind === 'image')
    .flatMap(({ target }) => findRelativeImage(target, resource.url));
  return { row, status: 'done', bytes: resource.bytes.length, page, found: addresses };
}

/** Decodes a markdown file. @throws UnsupportedContent */
function readMarkdownText(bytes: Uint8Array): string {
  if (bytes.length > maxDocumentBytes) throw new UnsupportedContent(`is larger than ${maxDocumentBytes} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UnsupportedContent('is not valid UTF-8');
  }
}

/** Reads a page from its text; `title` is the fallback title. @throws UnsupportedContent */
async function readMarkdownPage(
  record: ImportRecord,
  markdown: string,
  { title, gitPath }: { title: string; gitPath: string },
): Promise<ReadPage> {
  const document = await prepareDocument(record.organization, markdown);
  const ownTitle = document.title ?? document.heading;
  const fields = {
    type: 'document' as const,
    title: ownTitle ?? (title || getInsertedTitle(undefined, undefined)),
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
  if (document?.stored == null) throw new UnsupportedContent('has no text');
  return { ...document, stored: document.stored };
}

/**
 * Returns an image if its target is relative and on the same host, because the path from the page to the image then
 * stays the same.
 */
function findRelativeImage(target: string, page: string): FoundAddress[] {
  if (/^(?:[a-z][\w+.-]*:|\/\/|#)/i.test(target) || !URL.canParse(target, page)) return [];
  const url = new URL(target, page);
  return url.origin === new URL(page).origin ? [{ url: url.href, kind: 'file' }] : [];
}
