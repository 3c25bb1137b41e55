import type { Database, RecordOf, Statement } from '@octavo/db';
import { importAddresses, imports, selection } from '@octavo/db';
import type { NewEvent } from '@octavo/schema';
import { getTableColumns } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import type { NodeWrite } from '../store/revisions.ts';

/** What the call itself imports before the rest goes to the queue. */
export const withinCall = { milliseconds: 5000, steps: 5 };

/** After so many attempts at a step that ended its worker, what it begins with is given up. */
export const hopelessAttempts = 3;

/** What one step takes on. */
export const perStep = {
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

/** What a step does with an import: what it writes on the import's branch, and what the record becomes. */
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

/** Why an import cannot go on; the message is shown as its error. */
export class ImportFailure extends Error {
  override name = 'ImportFailure';
}

/** What one import may take; what is beyond is skipped and counted. */
export const importLimits = {
  pages: 5000,
  files: 2000,
  /** Addresses that are kept, with those that turn out to be no pages. */
  addresses: 20_000,
  /** Clicks away from the first page. */
  depth: 32,
  totalBytes: 200_000_000,
  pageBytes: 5_000_000,
  fileBytes: 10_000_000,
  robotsBytes: 500_000,
  archiveBytes: 50_000_000,
  archiveMilliseconds: 30_000,
  archiveEntries: 20_000,
  /** What is told of an archive that was left out, or not taken as it is written. */
  problems: 500,
  /** Of the markdown files of an archive, all together. */
  archiveTextBytes: 30_000_000,
  milliseconds: 30 * 60_000,
  fetchMilliseconds: 10_000,
  /** From one host at a time, by all imports together. */
  fetchedOfHost: 4,
  /** How long a fetch waits for others from its host. */
  turnMilliseconds: 10_000,
  redirects: 5,
  /** Between two addresses of a site whose robots.txt asks for a delay. */
  crawlDelaySeconds: 10,
  attempts: 3,
  /** Imports of one organization that run at once. */
  running: 10,
  /** After so many times that an import stood still it fails. */
  resumed: 3,
};
