import * as z from 'zod';
import type { SpaceId } from '../ids.ts';

/** A page of a branch, or a block in its document, that a comment is about. */
export interface ContentTarget {
  page: string;
  /** The key of the block. */
  node?: string | undefined;
  /** The hash of the page's document at the time of the comment. The key identifies the block in that document. */
  document?: string | undefined;
  /** The text that a comment suggests for the block. It is needed for `source` and `changesMore` of the state. */
  suggestion?: string | undefined;
}

/** A request for the states of at most 1000 targets on a branch of a space. `lineage` is that of the branch's head. */
export interface TargetReading {
  space: SpaceId;
  lineage: [branch: string, seq: number][];
  targets: ContentTarget[];
}

export const TargetPage = z.object({
  id: z.string(),
  title: z.string(),
  emoji: z.string().optional(),
  icon: z.string().optional(),
  createdAt: z.string().optional(),
  updatedAt: z.string().optional(),
  path: z.string(),
});
export type TargetPage = z.infer<typeof TargetPage>;

/** The current state of a target. */
export interface TargetState {
  /** The page; absent if it is deleted or not in this lineage. */
  page?: TargetPage | undefined;
  /** The hash of the page's current document. */
  document?: string | undefined;
  /**
   * The current block, whose key changes with its content. Absent if the block is deleted or was not requested. If
   * `preview` is absent, this is the requested block itself, because the document is unchanged or the call has reached
   * its limit of documents. If a text is suggested for the block, `source` is the Markdown of a top-level block, and
   * `changesMore` tells whether the suggested text would also change other blocks or the fields of the page.
   */
  node?: { id: string; preview?: string | undefined; source?: string; changesMore?: boolean } | undefined;
  /** Whether the page or the requested block is deleted. Never true just because a limit was reached. */
  outdated: boolean;
}
