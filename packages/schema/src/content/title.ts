import { lineOfText } from '../text.ts';

/** The longest title of a page, in characters. */
export const maxTitleLength = 512;

/** The title of a page, wherever it comes from: a change, a document's frontmatter, a heading, the name of a file. */
export const PageTitle = lineOfText(1, maxTitleLength);
