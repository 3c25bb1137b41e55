import type { Database, importAddresses, imports, Statement } from '@octavo/db';
import type { NewEvent } from '@octavo/schema';
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

export type ImportRecord = typeof imports.$inferSelect;
export type AddressRow = typeof importAddresses.$inferSelect;

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
