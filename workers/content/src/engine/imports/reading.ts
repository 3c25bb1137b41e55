import type { Node } from '@octavo/merge';
import { OutsideError } from '@octavo/runtime';
import type { Navigation } from '@octavo/schema';
import { ApiError } from '@octavo/schema';
import type { NamedBytes } from '../blobs/content-type.ts';
import type { StoredText } from '../store/documents.ts';
import type { PageFields } from '../store/nodes.ts';
import { importLimits } from './import-limits.ts';
import type { AddressRow } from './import-record.ts';

/** An address that was found on the way; `refused` says why it is not read. */
export interface FoundAddress {
  url: string;
  kind: 'page' | 'file' | 'sitemap';
  refused?: string;
}

export interface ReadPage {
  stored: StoredText;
  fields: PageFields;
  /** The slug that its own text asks for. */
  slug?: string | undefined;
  /** The title that its frontmatter gives. */
  ownTitle?: string | undefined;
}

/** What came of one address. */
export interface AddressReading {
  row: AddressRow;
  status: 'done' | 'skipped' | 'failed' | 'pending';
  error?: string;
  bytes?: number;
  /** The name of the address that it turned out to be, where that is another. */
  address?: string;
  /** The name of the address that was read in the end, whatever the page claims. */
  ownAddress?: string;
  page?: ReadPage;
  /** A reusable content with its text. */
  content?: { node: Node; stored: StoredText };
  file?: NamedBytes & { gitPath?: string };
  /** Where it leads to, instead of having content. */
  leadsTo?: string;
  found?: FoundAddress[];
  navigation?: Navigation;
}

/** What came of an address that could not be read: what may pass is tried again, later. */
export function unread(row: AddressRow, error: unknown): AddressReading {
  const message = describeFault(error);
  if (message === undefined) throw error;
  const isLast = row.attempts + 1 >= importLimits.attempts;
  return { row, status: mayPass(error) && !isLast ? 'pending' : 'failed', error: message };
}

function describeFault(error: unknown): string | undefined {
  if (error instanceof OutsideError || error instanceof UnfitContent) return error.message;
  return error instanceof ApiError && error.type === 'invalid' ? error.message : undefined;
}

function mayPass(error: unknown): boolean {
  if (!(error instanceof OutsideError)) return false;
  if (error.fault === 'status') return error.status === 429 || (error.status ?? 0) >= 500;
  return error.fault === 'timeout' || error.fault === 'unreachable';
}

/** Content that cannot be imported, whose address could be read. */
export class UnfitContent extends Error {
  override name = 'UnfitContent';
}
