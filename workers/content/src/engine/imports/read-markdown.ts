import { cleanTitle, linksOf } from '@octavo/markdown';
import type { Fetched } from '@octavo/runtime';
import type { OrganizationId } from '@octavo/schema';
import { maxDocumentBytes } from '@octavo/schema';
import type { PreparedDocument } from '../edit/documents.ts';
import { insertedTitle, prepareChanges } from '../edit/documents.ts';
import { fileNameOf, gitPathOf } from './address-book.ts';
import type { AddressRow, ImportRecord } from './import-record.ts';
import type { AddressReading, FoundAddress, ReadPage } from './reading.ts';
import { UnfitContent } from './reading.ts';

/** Reads a markdown file that was fetched: a page, and the images that stand beside it. @throws UnfitContent, ApiError */
export async function readFetchedMarkdown(
  record: ImportRecord,
  row: AddressRow,
  fetched: Fetched,
): Promise<AddressReading> {
  const type = fetched.headers.get('content-type') ?? 'text/plain';
  if (!/^(?:text\/(?!html)|application\/octet-stream)/i.test(type))
    throw new UnfitContent(`is no markdown but ${type}`);
  const markdown = readMarkdownText(fetched.bytes);
  const name = fileNameOf(fetched.url).replace(/\.\w+$/, '');
  const page = await readMarkdownPage(record, markdown, { title: cleanTitle(name), gitPath: gitPathOf(fetched.url) });
  const found = linksOf(markdown)
    .filter(({ kind }) => kind === 'image')
    .flatMap(({ target }) => imageBeside(target, fetched.url));
  return { row, status: 'done', bytes: fetched.bytes.length, page, found };
}

/** The text of a markdown file. @throws UnfitContent */
export function readMarkdownText(bytes: Uint8Array): string {
  if (bytes.length > maxDocumentBytes) throw new UnfitContent(`is larger than ${maxDocumentBytes} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UnfitContent('is not valid UTF-8 text');
  }
}

/** A page as its text makes it; `title` is for one whose text gives none. @throws UnfitContent */
export async function readMarkdownPage(
  record: ImportRecord,
  markdown: string,
  { title, gitPath }: { title: string; gitPath: string },
): Promise<ReadPage> {
  const document = await prepareDocument(record.organization, markdown);
  const own = document.title ?? document.heading;
  const fields = {
    type: 'document' as const,
    title: own ?? (title || insertedTitle(undefined, undefined)),
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
