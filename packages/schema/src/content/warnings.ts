import * as z from 'zod';

/** Maximum number of warnings in a response. */
export const maxWarnings = 100;

/** An extension of the GitBook API: invalid values of frontmatter fields. They stay in the text and have no effect. */
export const Warnings = z.array(z.object({ path: z.string(), message: z.string() })).max(maxWarnings);
