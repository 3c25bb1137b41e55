import * as z from 'zod';

/** The longest title of a page, in characters: one beyond the first plane, two units of a string, counts once. */
export const maxTitleLength = 512;

/** Something to read, on one line. */
export const titleUpTo = (length: number) =>
  z
    .string()
    .min(1)
    .max(length, `must have at most ${length} characters`)
    .regex(/^[^\p{Cc}]*$/u, 'must hold no control characters')
    .refine((title) => title.isWellFormed(), 'must be well-formed Unicode')
    .refine((title) => title.trim() !== '', 'must not be blank');

/** The title of a page, wherever it comes from: a change, a document's frontmatter, a heading, the name of a file. */
export const PageTitle = titleUpTo(maxTitleLength);
