import type { Database, RecordOf, Statement } from '@octavo/db';
import { importAddresses, imports, selection } from '@octavo/db';
import type { NewEvent } from '@octavo/schema';
import { uploadScheme } from '@octavo/schema';
import { getTableColumns } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import type { NodeWrite } from '../store/revisions.ts';

/** Limits of the API call that starts an import. The call runs steps within these limits and queues the other steps. */
export const callBudget = { milliseconds: 5000, steps: 5 };

/** If the worker dies in this many attempts of a step, the step skips its first item. */
export const maxStepAttempts = 3;

/** Limits of one step. */
export const stepLimits = {
  fetched: 4,
  unpacked: 25,
  unpackedBytes: 8_000_000,
  linked: 50,
  linkedBytes: 4_000_000,
  cleaned: 500,
};

export const importRow = selection(getTableColumns(imports));
export type ImportRecord = RecordOf<typeof importRow>;

export const addressRow = selection(getTableColumns(importAddresses));
export type AddressRow = RecordOf<typeof addressRow>;

/** The result of a step: writes on the import's branch, and changes of the record. */
export interface ImportStep {
  changes: Partial<ImportRecord>;
  writes?: NodeWrite[];
  statements?: Statement[];
  events?: NewEvent[];
}

export interface ImportContext {
  db: Database;
  env: ContentEnvironment;
}

/** The reason why an import cannot continue; the message is shown as its error. */
export class ImportFailure extends Error {
  override name = 'ImportFailure';
}

/** Limits of one import. Anything beyond them is skipped and counted. */
export const importLimits = {
  pages: 5000,
  files: 2000,
  /** Stored addresses, including those that turn out not to be pages. */
  addresses: 20_000,
  /** Maximum number of links from the first page to another page. */
  depth: 32,
  totalBytes: 200_000_000,
  pageBytes: 5_000_000,
  fileBytes: 10_000_000,
  robotsBytes: 500_000,
  archiveBytes: 50_000_000,
  archiveMilliseconds: 30_000,
  archiveEntries: 20_000,
  /** Maximum number of reported problems with parts of an archive that were skipped or changed. */
  problems: 500,
  /** Maximum total size of the markdown files of an archive. */
  archiveTextBytes: 30_000_000,
  milliseconds: 30 * 60_000,
  fetchMilliseconds: 10_000,
  /** Maximum number of concurrent fetches from one host, by all imports together. */
  fetchedOfHost: 4,
  /** Maximum time that a fetch waits for other fetches from its host. */
  turnMilliseconds: 10_000,
  redirects: 5,
  /** Maximum delay between two fetches, as requested in a site's robots.txt. */
  crawlDelaySeconds: 10,
  attempts: 3,
  /** Maximum number of concurrent imports of one organization. */
  running: 10,
  /** Number of times a stalled import is resumed before it fails. */
  resumed: 3,
};

/** Returns the summary of the revisions of an import, which the history shows. */
export const describeImport = ({ url }: Pick<ImportRecord, 'url'>): string =>
  url.startsWith(uploadScheme) ? 'Import of uploaded files' : `Import of ${url}`;
