import * as z from 'zod';

/** Maximum number of warnings in a response. */
export const maxWarnings = 100;

/** Our extension: invalid values of frontmatter fields. They stay in the text and have no effect. */
export const Warnings = z.array(z.object({ path: z.string(), message: z.string() })).max(maxWarnings);
