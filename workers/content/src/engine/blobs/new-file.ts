import type { Node } from '@octavo/merge';
import { newId } from '@octavo/schema';
import { orderKeyAtEnd } from '../nodes/order-key.ts';
import { typeByName } from './content-type.ts';
import type { StoredBlob } from './store-blobs.ts';

interface NewFile {
  name: string;
  gitPath?: string | undefined;
  now: number;
}

/** A file of a space's content whose bytes are stored. Its position is the moment of its making: files are listed by it. */
export const newFile = (blob: StoredBlob, { name, gitPath, now }: NewFile): Node => ({
  kind: 'file',
  id: newId('file'),
  parent: '',
  position: orderKeyAtEnd(now),
  slug: '',
  fields: { name, ...bytesOf(blob), ...(gitPath === undefined ? {} : { gitPath }) },
  document: null,
  createdAt: now,
  updatedAt: now,
});

/** The fields of a file that follow from its bytes. */
const bytesOf = ({ key, bytes, contentType, oid, width, height }: StoredBlob): Node['fields'] => ({
  blob: key,
  size: bytes,
  contentType,
  oid,
  ...(width === undefined || height === undefined ? {} : { width, height }),
});

/** The fields of a file that gets other bytes. A name that it keeps says what it said of the first ones. */
export function withBytes({ width, height, ...kept }: Node['fields'], blob: StoredBlob): Node['fields'] {
  const contentType = typeByName(blob.contentType, String(kept.name ?? ''));
  return { ...kept, ...bytesOf({ ...blob, contentType }) };
}
