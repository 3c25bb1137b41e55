import type { ArchiveSource } from '@octavo/archive';
import type { FetchedResource } from '@octavo/runtime';
import { ExternalFetchError } from '@octavo/runtime';
import type { ImportSource } from '@octavo/schema';
import { invalid, isApiError, uploadScheme } from '@octavo/schema';
import type { AddressReading } from '../../engine/imports/address-book.ts';
import { createAddress, getAddressKey, getFolder, UnsupportedContent } from '../../engine/imports/address-book.ts';
import { writeReadings } from '../../engine/imports/gather.ts';
import type { AddressRow, ImportContext, ImportRecord, ImportStep } from '../../engine/imports/import-record.ts';
import { importLimits } from '../../engine/imports/import-record.ts';
import { archiveKey, openArchive, openArchiveInBucket, planArchive } from '../../engine/imports/plan-archive.ts';
import { readFetchedMarkdown } from '../../engine/imports/read-entries.ts';
import { fetchWithHostLimit, getSitemaps, isAllowed, readFetchedPage } from '../../engine/imports/read-website.ts';
import { describeUnusableUpload, findUploads } from '../../engine/uploads/use-uploads.ts';

/** An import whose address was read: its record, its first addresses and its first step. */
interface OpenedImport {
  record: ImportRecord;
  rows: AddressRow[];
  step: ImportStep;
}

type Open = (context: ImportContext, record: ImportRecord) => Promise<OpenedImport>;

const sources: { [Source in ImportSource]?: Open } = {
  website: openWebsite,
  markdown: openMarkdown,
  zip: openZip,
};

/** Reads the source of an import before anything is written. @throws ApiError invalid, naming the field */
export async function openSource(context: ImportContext, record: ImportRecord): Promise<OpenedImport> {
  const open = sources[record.source];
  if (open === undefined) {
    const message = `must be one of: ${Object.keys(sources).join(', ')}`;
    throw invalid([{ path: 'body.source', message }]);
  }
  try {
    return await open(context, record);
  } catch (error) {
    throw toInvalidError(error) ?? error;
  }
}

function toInvalidError(error: unknown) {
  const path = 'body.url';
  if (error instanceof ExternalFetchError || error instanceof UnsupportedContent)
    return invalid([{ path, message: error.message }]);
  if (!isApiError(error) || error.type !== 'invalid') return undefined;
  return invalid((error.issues ?? []).map(({ message }) => ({ path, message })));
}

const fetchFirst = (
  env: ImportContext['env'],
  url: string,
  limits: { bytes?: number; milliseconds?: number; accept?: string } = {},
) =>
  fetchWithHostLimit(env, url, {
    milliseconds: importLimits.fetchMilliseconds,
    bytes: importLimits.pageBytes,
    redirects: importLimits.redirects,
    ...limits,
  });

async function openWebsite(context: ImportContext, record: ImportRecord): Promise<OpenedImport> {
  let reading: AddressReading | undefined;
  let url: string | undefined = record.url;
  let openedRecord = record;
  for (let hops = 0; url !== undefined; hops += 1) {
    if (hops > importLimits.redirects)
      throw new ExternalFetchError('redirects', `redirects more than ${importLimits.redirects} times`);
    const resource: FetchedResource = await fetchFirst(context.env, url, { accept: 'text/html,application/xhtml+xml' });
    openedRecord = await readSite(context, record, resource.url);
    if (!isAllowed(openedRecord, resource.url)) throw new UnsupportedContent('is blocked by robots.txt');
    // A page that only redirects may redirect out of its own folder.
    const wide = { ...openedRecord, folder: `${new URL(resource.url).origin}/` };
    reading = await readFetchedPage(wide, createFirstAddress(openedRecord, resource.url), resource);
    url = reading.redirectsTo;
    if (url === undefined) reading = await readFetchedPage(openedRecord, reading.row, resource);
  }
  if (reading?.page === undefined) throw new UnsupportedContent(reading?.error ?? 'is not a page');
  const addresses = [...getSitemaps(openedRecord), ...(reading.found ?? [])];
  return createOpenedImport(context, openedRecord, { ...reading, found: addresses });
}

/** Returns the import with the folder and robots.txt of the site of an address. */
async function readSite({ env }: ImportContext, record: ImportRecord, url: string): Promise<ImportRecord> {
  const robots = await fetchFirst(env, new URL('/robots.txt', url).href, { bytes: importLimits.robotsBytes }).catch(
    (error: unknown) => {
      if (!(error instanceof ExternalFetchError)) throw error;
      // A site whose robots.txt cannot be read now may forbid every page, so no page is read.
      if (!hasNoRobots(error)) throw new UnsupportedContent(`was not read because robots.txt ${error.message}`);
      return undefined;
    },
  );
  return {
    ...record,
    folder: getFolder(url),
    robots: robots === undefined ? '' : decodeRobots(robots.bytes),
  };
}

/**
 * Decodes robots.txt. Each invalid byte becomes U+FFFD, which has three bytes in UTF-8, so the text can become longer
 * than the limit and is then truncated.
 */
function decodeRobots(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes);
  return new TextEncoder().encode(text).length > importLimits.robotsBytes
    ? text.slice(0, importLimits.robotsBytes / 4)
    : text;
}

/** Whether robots.txt does not exist or is not accessible. */
const hasNoRobots = ({ fault, status = 0 }: ExternalFetchError): boolean =>
  fault === 'redirects' || fault === 'address' || (fault === 'status' && status < 500);

async function openMarkdown(context: ImportContext, record: ImportRecord): Promise<OpenedImport> {
  const resource = await fetchFirst(context.env, record.url, { accept: 'text/markdown,text/plain' });
  return createOpenedImport(
    context,
    record,
    await readFetchedMarkdown(record, createFirstAddress(record, resource.url), resource),
  );
}

async function createOpenedImport(
  context: ImportContext,
  record: ImportRecord,
  reading: AddressReading,
): Promise<OpenedImport> {
  const openedRecord = { ...record, total: 1, known: 1 };
  return { record: openedRecord, rows: [reading.row], step: await writeReadings(context, openedRecord, [reading]) };
}

async function openZip(context: ImportContext, record: ImportRecord): Promise<OpenedImport> {
  if (record.url.startsWith(uploadScheme)) return openUploaded(context, record);
  const { FILES } = context.env;
  const { bytes } = await fetchFirst(context.env, record.url, {
    bytes: importLimits.archiveBytes,
    milliseconds: importLimits.archiveMilliseconds,
  });
  const openedImport = await createArchiveImport(record, await openArchive(bytes));
  await FILES.put(archiveKey(record.id), bytes);
  return openedImport;
}

/** The upload may expire before the import ends, so its bytes are copied to the import's archive. */
async function openUploaded({ env, db }: ImportContext, record: ImportRecord): Promise<OpenedImport> {
  const { id, organization, createdBy: user, url } = record;
  const key = url.slice(uploadScheme.length);
  const upload = (await findUploads(db, { organization, user }, [key])).get(key);
  if (upload === undefined || !('blob' in upload)) throw new UnsupportedContent(describeUnusableUpload(upload));
  const openedImport = await createArchiveImport(record, await openArchiveInBucket(env.FILES, upload.object));
  const object = await env.FILES.get(upload.object);
  if (object === null) throw new UnsupportedContent('does not exist any more');
  await env.FILES.put(archiveKey(id), object.body);
  return openedImport;
}

async function createArchiveImport(record: ImportRecord, archive: ArchiveSource): Promise<OpenedImport> {
  const { writes, rows } = await planArchive(record, archive);
  const failed = rows.filter(({ status }) => status === 'failed').length;
  const skipped = rows.filter(({ kind, title }) => kind === 'problem' && title === 'skipped').length;
  const total = rows.filter(({ kind }) => kind !== 'problem').length;
  const openedRecord = { ...record, total, known: rows.length, failed, skipped };
  return { record: openedRecord, rows, step: { changes: {}, writes } };
}

const createFirstAddress = ({ id }: ImportRecord, url: string): AddressRow =>
  createAddress(id, { address: getAddressKey(url, 'page'), kind: 'page', url });
