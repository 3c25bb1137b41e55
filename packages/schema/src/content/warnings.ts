import * as z from 'zod';

/** The most warnings that an answer names. */
export const maxWarnings = 100;

/** Our extension: what frontmatter says of a field that is no value of it. It stays in the text, and sets nothing. */
export const Warnings = z.array(z.object({ path: z.string(), message: z.string() })).max(maxWarnings);
