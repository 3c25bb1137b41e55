import type { Database, importAddresses, imports, Statement } from '@octavo/db';
import type { NewEvent } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';
import type { NodeWrite } from '../nodes/write-nodes.ts';

export type ImportRecord = typeof imports.$inferSelect;
export type AddressRow = typeof importAddresses.$inferSelect;

/** What a step does with an import: what it writes on the import's branch, and what the record becomes. */
export interface Step {
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
