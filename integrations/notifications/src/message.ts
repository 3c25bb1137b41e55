const longestTitle = 200;
const longestQuote = 500;

/** What is posted: a line, and what somebody wrote below it. */
export interface Message {
  line: string;
  quote?: string;
}

const shortened = (written: string, longest: number): string => {
  const characters = Array.from(written);
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : written;
};

/** Text of others as it is meant: the three characters by which a channel would be mentioned, or a link be forged. */
const escaped = (written: string): string =>
  written.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A title or a name, on one line. */
export const text = (written: string): string => escaped(shortened(written.replace(/\s+/g, ' ').trim(), longestTitle));

/** A link, whose text ends at no bar and whose address at none of the marks around it. */
export const link = (address: string, written: string): string =>
  `<${address.replace(/[<>|\s]/g, encodeURIComponent)}|${text(written.replaceAll('|', '¦'))}>`;

/** What somebody wrote, marked as theirs line by line. */
export const quote = (written: string): string =>
  escaped(shortened(written.trim(), longestQuote))
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
