import type { Node } from '@octavo/merge';
import { diffLines } from '@octavo/merge';
import type { DocumentChange } from '@octavo/schema';

/** A node before and after; one of the two exists. */
export interface NodeChange {
  before: Node | undefined;
  after: Node | undefined;
}

/** The diffs of one answer take no more bytes than this together. */
const maxDiffBytes = 512 * 1024;

const encoder = new TextEncoder();

/** Tells what became of documents; those that come after what is told already get what room is left. */
export class TextChanges {
  readonly #texts: Map<string, string>;
  #left = maxDiffBytes;

  /** @param texts Markdown by document id, of those that are small enough to be compared. */
  constructor(texts: Map<string, string>) {
    this.#texts = texts;
  }

  /** Undefined where the document stayed the same, or there is none. */
  between({ before, after }: NodeChange): DocumentChange | undefined {
    const [was, is] = [before?.document ?? null, after?.document ?? null];
    if (was === is) return undefined;
    const ids = { ...(was === null ? {} : { before: was }), ...(is === null ? {} : { after: is }) };
    const [old, next] = [was, is].map((hash) => (hash === null ? '' : this.#texts.get(hash)));
    if (old === undefined || next === undefined) return { ...ids, truncated: true };
    const { diff, ...counts } = diffLines(old, next, this.#left);
    const bytes = diff === undefined ? 0 : encoder.encode(diff).length;
    if (diff === undefined || bytes > this.#left) return { ...ids, ...counts, truncated: true };
    this.#left -= bytes;
    return { ...ids, ...counts, diff };
  }
}
