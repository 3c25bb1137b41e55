import type { Node } from 'prosemirror-model';
import { type EditorState, PluginKey, type Transaction } from 'prosemirror-state';
import { Decoration, DecorationSet } from 'prosemirror-view';
import { schema } from '../model/schema.ts';
import { anchorBlock, anchorPosition, type BlockAnchor, findAnchor, followAnchor } from './anchors.ts';

/** The progress of an upload for a block, or its error. */
export interface BlockUpload {
  element: HTMLElement;
  isRunning: boolean;
}

/** A file that is uploaded for the text or for a block. `anchor` is where it will be inserted or shown. */
export interface UploadEntry {
  id: number;
  /** The number of the files that were inserted together. Their order in the text is the order of their ids. */
  batch: number;
  anchor: BlockAnchor;
  /** The progress, which is shown in the text. */
  element?: HTMLElement;
  block?: BlockUpload;
  /** Whether the file was inserted as a block, which `anchor` then refers to. */
  isInserted?: boolean;
  hasFailed?: boolean;
  /** Inserts the uploaded file when the deleted text around its position is restored. */
  finish?: FinishUpload;
}

/** Returns a transaction that inserts an uploaded file, or undefined if the text around its position was deleted. */
type FinishUpload = (state: EditorState) => Transaction | undefined;

type UploadChange =
  | { add: UploadEntry }
  | { remove: number }
  /** The file was inserted as text, or as a block at a position. */
  | { insert: number; block: number | undefined }
  | { upload: number; hasFailed: boolean }
  | { upload: number; finish: FinishUpload };

export const uploadKey = new PluginKey<UploadEntry[]>('uploads');

let lastId = 0;
export function createUploadId(): number {
  lastId += 1;
  return lastId;
}

export const changeUploads = (tr: Transaction, change: UploadChange): Transaction => tr.setMeta(uploadKey, change);

/** Returns the uploads after a transaction. */
export function applyToUploads(tr: Transaction, former: UploadEntry[]): UploadEntry[] {
  const change = tr.getMeta(uploadKey) as UploadChange | undefined;
  const inserted = change !== undefined && 'insert' in change ? change.insert : undefined;
  // Files that were chosen before the inserted one stay before it.
  const entries = former.map((entry) => {
    const side = inserted !== undefined && entry.id < inserted ? -1 : 1;
    return { ...entry, anchor: followAnchor(entry.anchor, tr, side) };
  });
  return change === undefined ? entries : removeCompleted(applyChange(entries, change, tr));
}

function applyChange(entries: UploadEntry[], change: UploadChange, { doc }: Transaction): UploadEntry[] {
  if ('add' in change) return [...entries.filter((entry) => !isOfSameBlock(entry, change.add)), change.add];
  if ('remove' in change) return entries.filter(({ id }) => id !== change.remove);
  if ('finish' in change)
    return entries.map((entry) => (entry.id === change.upload ? { ...entry, finish: change.finish } : entry));
  if ('upload' in change) {
    const { upload, hasFailed } = change;
    return entries.map((entry) => (entry.id === upload ? setFailed(entry, hasFailed) : entry));
  }
  const node = change.block === undefined ? null : doc.nodeAt(change.block);
  return entries.flatMap((entry) => {
    if (entry.id !== change.insert) return [entry];
    if (node === null || change.block === undefined) return [];
    const { id, batch } = entry;
    return [{ id, batch, anchor: anchorBlock(node, change.block), isInserted: true }];
  });
}

const setFailed = ({ block, ...entry }: UploadEntry, hasFailed: boolean): UploadEntry => ({
  ...entry,
  ...(block !== undefined && { block: { ...block, isRunning: !hasFailed } }),
  hasFailed,
});

const isOfSameBlock = (one: UploadEntry, other: UploadEntry): boolean =>
  one.block !== undefined && other.block !== undefined && findAnchor(one.anchor) === findAnchor(other.anchor);

/** Removes the inserted files of batches that have no other uploads. */
function removeCompleted(entries: UploadEntry[]): UploadEntry[] {
  const batches = new Set(entries.flatMap(({ batch, isInserted }) => (isInserted === true ? [] : [batch])));
  return entries.filter(({ batch }) => batches.has(batch));
}

/** Whether files are being uploaded whose position in the document was not deleted. */
export const hasRunningUploads = (state: EditorState): boolean =>
  (uploadKey.getState(state) ?? []).some(
    ({ anchor, hasFailed, isInserted }) =>
      isInserted !== true && hasFailed !== true && findAnchor(anchor) !== undefined,
  );

/** Shows the progress of uploads in the text, and passes the uploads of blocks to the blocks. */
export function drawUploads(state: EditorState): DecorationSet {
  const decorations = (uploadKey.getState(state) ?? []).flatMap((entry): Decoration[] => {
    const { anchor, element, block, id } = entry;
    const position = findAnchor(anchor);
    if (position === undefined) return [];
    if (block !== undefined)
      return [Decoration.node(position, position + anchor.block.nodeSize, {}, { upload: block })];
    return element === undefined ? [] : [Decoration.widget(position, element, { id, ignoreSelection: true })];
  });
  return DecorationSet.create(state.doc, decorations);
}

/** Returns the upload of a block from its decorations. */
export const getBlockUpload = (decorations: readonly Decoration[]): BlockUpload | undefined =>
  decorations.map(({ spec }) => spec.upload as BlockUpload | undefined).find((upload) => upload !== undefined);

/** Returns a transaction that shows the progress of an upload at a position in the text. */
export const addTextUpload = (
  { tr, doc }: EditorState,
  position: number,
  entry: Pick<UploadEntry, 'id' | 'batch' | 'element'>,
): Transaction => changeUploads(tr, { add: { ...entry, anchor: anchorPosition(doc, position) } });

/** Inserts an uploaded file at its progress. Returns undefined if the text around it was deleted. */
export function insertUploaded(
  state: EditorState,
  upload: number,
  { name, type, target }: { name: string; type: string; target: string },
): Transaction | undefined {
  const entries = uploadKey.getState(state) ?? [];
  const entry = entries.find(({ id }) => id === upload);
  const position = entry && findAnchor(entry.anchor);
  if (entry === undefined || position === undefined) return undefined;
  const data = { ref: { kind: 'url', url: target } };
  const insertBlock = (block: Node): Transaction => {
    const at = findBlockPosition(state, entries, entry);
    return changeUploads(state.tr.insert(at, block), { insert: upload, block: at });
  };
  if (type.startsWith('image/')) {
    const alt = name.replace(/\.\w+$/, '').replace(/[-_]+/g, ' ');
    const image = schema.node('inline_image', { data: { ...data, alt } });
    const $position = state.doc.resolve(position);
    const index = $position.index();
    if ($position.parent.canReplaceWith(index, index, image.type))
      return changeUploads(state.tr.insert(position, image), { insert: upload, block: undefined });
    return insertBlock(schema.node('paragraph', null, [image]));
  }
  return insertBlock(schema.node('file', { data }, [schema.node('paragraph')]));
}

/**
 * Returns the position after the previous block of the batch, or else after the code or the top-level block with the
 * progress.
 */
function findBlockPosition({ doc }: EditorState, entries: UploadEntry[], { id, batch, anchor }: UploadEntry): number {
  const previous = entries
    .filter((entry) => entry.batch === batch && entry.isInserted === true && entry.id < id)
    .findLast((entry) => findAnchor(entry.anchor) !== undefined)?.anchor;
  if (previous !== undefined) return (findAnchor(previous) ?? 0) + previous.block.nodeSize;
  const $position = doc.resolve(findAnchor(anchor) ?? 0);
  if ($position.parent.type.spec.code === true) return $position.after();
  return $position.depth === 0 ? $position.pos : $position.after(1);
}

/** Sets the address of a block whose file was uploaded. Returns undefined if the block was deleted. */
export function setUploaded(state: EditorState, upload: number, target: string): Transaction | undefined {
  const entry = uploadKey.getState(state)?.find(({ id }) => id === upload);
  const position = entry && findAnchor(entry.anchor);
  const node = position === undefined ? null : state.doc.nodeAt(position);
  if (position === undefined || node === null) return undefined;
  const data = { ...node.attrs.data, ref: { kind: 'url', url: target } };
  const tr = state.tr.setNodeMarkup(position, undefined, { ...node.attrs, data });
  return changeUploads(tr, { remove: upload });
}

/** Returns a transaction that inserts an uploaded file now, or when the deleted text around its position is restored. */
export const finishUpload = (state: EditorState, upload: number, finish: FinishUpload): Transaction =>
  finish(state) ?? changeUploads(state.tr, { upload, finish });

/** Returns a transaction that inserts an uploaded file whose position was restored. */
export function insertRestored(state: EditorState): Transaction | undefined {
  const entries = uploadKey.getState(state) ?? [];
  return entries
    .find(({ anchor, finish }) => finish !== undefined && findAnchor(anchor) !== undefined)
    ?.finish?.(state);
}
