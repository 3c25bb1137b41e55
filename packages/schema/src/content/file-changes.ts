import * as z from 'zod';
import { Id } from '../ids.ts';
import { FileName } from './files.ts';

/** The largest file that a batch brings along in its body, and that it names by an address. */
export const maxInlineFileBytes = 1024 * 1024;
export const maxFetchedFileBytes = 10 * 1024 * 1024;
/** All files of one batch. */
export const maxBatchFiles = 100;
export const maxBatchFileBytes = 32 * 1024 * 1024;

/** A name for something new that holds within its batch. */
export const Reference = z.string().min(1).max(256);

/** Our extension: the file that a page, a file or a reusable content comes from, so that an export writes it back there. */
export const GitPath = z.object({ path: z.string().min(1).max(1024) });

/** The most addresses whose meaning is told with one text, and the most characters of them and what they mean. */
export const maxSourceLinks = 1000;
export const maxSourceLinksLength = 100_000;

const lengthOf = (links: Record<string, string>): number =>
  Object.entries(links).reduce((sum, [address, path]) => sum + address.length + path.length, 0);

/**
 * Where a text comes from. `links` tells what of its addresses lead, as they are written and without their anchors, to
 * which files of the source, where the paths alone do not say it. Without it the text has none of them any more.
 */
export const GitSource = GitPath.extend({
  links: z
    .record(z.string().min(1).max(2048), GitPath.shape.path)
    .refine((links) => Object.keys(links).length <= maxSourceLinks, `must hold at most ${maxSourceLinks} addresses`)
    .refine(
      (links) => lengthOf(links) <= maxSourceLinksLength,
      `must have at most ${maxSourceLinksLength} characters together`,
    )
    .optional(),
});
export type GitSource = z.infer<typeof GitSource>;

const bytes = {
  url: z
    .url({ protocol: /^https?$/ })
    .max(2048)
    .optional(),
  /** At most 1 MiB when decoded. */
  base64: z.string().max(1_400_000).optional(),
  /** Needed with `base64`. The type that the bytes show goes first. */
  contentType: z.string().max(256).optional(),
  /** Our extension: the key of an upload of the caller's own that has all its bytes. */
  upload: Id.optional(),
};

const hasType = ({ base64, contentType }: { base64?: string | undefined; contentType?: string | undefined }) =>
  base64 === undefined || contentType !== undefined;
const typeIsNeeded = { path: ['contentType'], message: 'is needed with base64' };

const sourcesIn = ({ url, base64, upload }: { url?: unknown; base64?: unknown; upload?: unknown }): number =>
  [url, base64, upload].filter((source) => source !== undefined).length;

const NewFile = z
  .object({ ...bytes, name: FileName, ref: Reference.optional(), git: GitPath.optional() })
  .refine((given) => sourcesIn(given) === 1, 'must have one of url, base64 and upload')
  .refine(hasType, typeIsNeeded);

/** The id of a file, or what the batch calls one that it inserts. */
const file = z.string().min(1).max(256);

/** The changes of a batch that are of files. */
export const fileChanges = [
  z.object({ operation: z.literal('insert_files'), files: z.array(NewFile).min(1).max(20) }),
  /** Our extension: other bytes, a new name or another source for a file; whatever leads to it goes on leading there. */
  z
    .object({ operation: z.literal('update_file'), file, name: FileName.optional(), git: GitPath.optional(), ...bytes })
    .refine((given) => sourcesIn(given) <= 1, 'must have no more than one of url, base64 and upload')
    .refine(hasType, typeIsNeeded),
  /** Our extension. */
  z.object({ operation: z.literal('delete_file'), file }),
] as const;
