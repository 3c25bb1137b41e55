/** The path of the operator's calls at the API of an installation on Cloudflare. */
export const operatorPath = '/operator';
/**
 * The header of a call: its time in milliseconds, a random text, the SHA-256 of the body and the signature, with dots
 * between them.
 */
export const operatorSignatureHeader = 'octavo-operator-signature';
/** The purpose for which the key of the signature is derived from the secret of the installation. */
export const operatorPurpose = 'calls of the operator';
/**
 * Maximum number of bytes of a file in one response. A worker has 128 MB, and holds about six copies of these bytes.
 */
export const maxReadBytes = 2 ** 20;
/** Maximum size of the body of a call: a part of a file of 5 MiB in base64, with its metadata. */
export const maxOperatorBodyBytes = 8_000_000;

export interface QueueHealth {
  /** The name of the queue. */
  queue: string;
  /** The number of events and jobs that wait, at most 10,000. */
  waiting: number;
  /** The age of the oldest waiting event or job, in seconds. */
  oldestSeconds: number;
  /** Events and jobs that failed too often. `octavo jobs` lists them. */
  failed: number;
  /** Messages that the queue stopped retrying. `octavo dead-letters` lists them. */
  deadLetters: number;
}

export interface CronHealth {
  worker: string;
  cron: string;
  /** The time since the start of the last run. */
  secondsAgo: number;
  /** The duration of the last run. */
  seconds: number;
  failed: number;
}

/** The state of an installation, for its operator. */
export interface Health {
  status: 'ok' | 'problems';
  problems: string[];
  database: { bytes: number | null; milliseconds: number };
  queues: QueueHealth[];
  crons: CronHealth[];
}

/** A message that a queue has stopped retrying. */
export interface ListedLetter {
  id: string;
  queue: string;
  body: unknown;
  /** The age in milliseconds. */
  age: number;
}

/** The message of the database while an operator has paused writes. */
export const pauseMessage = 'octavo: writes are paused by the operator';

/** The beginning of the names of the triggers that pause writes. */
export const pausePrefix = 'writes_paused_';

/** A value of a row. Bytes are in base64. */
export type ExportedCell = string | number | null | { base64: string };

/** A table with the columns that an export contains, and the columns that order its rows. */
export interface ExportedTable {
  name: string;
  columns: string[];
  keys: string[];
  /** The column that refers to other rows of the table. Rows without a value in it are inserted first. */
  parent?: string;
}

export interface ExportedRows {
  rows: ExportedCell[][];
  /** The key after which the next rows begin; null at the end. */
  next: (string | number)[] | null;
}

/** A stored file with its metadata. */
export interface ExportedFile {
  /** The binding of the bucket. */
  bucket: string;
  key: string;
  /** Identifies the stored version of the file. */
  etag: string;
  size: number;
  httpMetadata: Record<string, string>;
  customMetadata: Record<string, string>;
}

/** The description of an installation at the start of an export or import. */
export interface ExportStart {
  /** The tables, in the order in which they can be filled. */
  tables: ExportedTable[];
  migrations: string[];
  /** The prefixes of values that the installation can decrypt. The first one is that of the current secret. */
  secrets: string[];
  /** A value that differs after each change of the installation's data. */
  stamp: string;
  /** The last number of each table that numbers its rows. */
  sequences: { name: string; seq: number }[];
}

/** The crons of all workers, as in their `wrangler.toml` files. */
export const workerCrons: Record<string, string[]> = {
  content: ['* * * * *', '17 3 * * *'],
  integrations: ['* * * * *', '*/1 * * * *', '17 3 * * *'],
  operator: ['53 3 * * *'],
  'org-admin': ['* * * * *', '41 3 * * *'],
  publishing: ['* * * * *', '29 3 * * *'],
};
