import type { SpaceId } from '@octavo/schema';
import { ApiError, describeBytes } from '@octavo/schema';
import type { PreparedChange } from '../engine/edit/documents.ts';
import type { BranchEdit } from '../engine/edit/edit-branch.ts';
import type { HeadEnvironment } from './space-head.ts';

/** Returns the Durable Object of a space. It is created near the database, which all its calls use. */
export const getHead = (
  { SPACE_HEAD: heads, OCTAVO_REGION: region }: Pick<HeadEnvironment, 'SPACE_HEAD' | 'OCTAVO_REGION'>,
  space: SpaceId,
) => heads.get(heads.idFromName(space), region === undefined ? {} : { locationHint: region });

/** Maximum size of an edit. Cloudflare refuses calls of a Durable Object with more than 32 MiB. */
const maxEditBytes = 30 * 1024 * 1024;
/** Maximum size of an encoded number or string length, in bytes. */
const bytesPerValue = 9;

const countTextBytes = (text: string): number => (/[^\0-\xff]/.test(text) ? 2 * text.length : text.length);

/** Returns the size of a value in a call of another worker: strings have one byte for each character, or two. */
export function countBytes(value: unknown): number {
  if (typeof value === 'string') return bytesPerValue + countTextBytes(value);
  if (typeof value !== 'object' || value === null) return bytesPerValue;
  let bytes = bytesPerValue;
  for (const [name, each] of Object.entries(value)) bytes += bytesPerValue + name.length + countBytes(each);
  return bytes;
}

/** Returns a change without the text, if the document of the change also contains the text. */
const omitText = ({ change, ...rest }: PreparedChange): PreparedChange =>
  'document' in change && change.document !== undefined && 'markdown' in change.document && rest.document?.stored
    ? { change: { ...change, document: { markdown: '' } }, ...rest }
    : { change, ...rest };

/**
 * Returns an edit that can be passed to a Durable Object. Rows that were read before are left out if they are too
 * large: then the object reads them itself.
 * @throws ApiError too_large
 */
export function limitEdit({ rows, ...edit }: BranchEdit, maxBytes = maxEditBytes): BranchEdit {
  const limited = { ...edit, changes: edit.changes.map(omitText) };
  const bytes = countBytes(limited);
  if (bytes > maxBytes)
    throw new ApiError(
      'too_large',
      `The changes need ${describeBytes(bytes)} in memory, but a batch can need at most ${describeBytes(maxBytes)}. Send them in several batches.`,
    );
  return rows !== undefined && bytes + countBytes(rows) <= maxBytes ? { ...limited, rows } : limited;
}
