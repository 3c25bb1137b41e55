import * as z from 'zod';
import type { SpaceId } from '../ids.ts';

/** A page of a branch, or a block of its document, that something was said about. */
export interface ContentTarget {
  page: string;
  /** The key of a block. */
  node?: string | undefined;
  /** The hash of the page's document at that time: the block is the one that has the key in it. */
  document?: string | undefined;
}

/** At most 1000 targets on a branch of a space: `lineage` is that of the branch's head. */
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

/** What a target is now. */
export interface TargetState {
  /** Absent when the page is gone, or is not of this lineage. */
  page?: TargetPage | undefined;
  /** The hash of the page's document as it is now. */
  document?: string | undefined;
  /**
   * The block as it is now; its key changes with its content. Absent when it is gone, or none was asked for. Without a
   * preview it is the node that was asked for: the document is as it was, or the call had read its share of documents.
   */
  node?: { id: string; preview?: string | undefined } | undefined;
  /** Whether the page, or the block that was asked for, is gone. Never for want of looking. */
  outdated: boolean;
}
