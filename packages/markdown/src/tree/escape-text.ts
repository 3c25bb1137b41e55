const PUNCTUATION = /[!-/:-@[-`{-~]/;
const SPECIAL = /[\\`*_[\]<&~$:{!@]/g;
/** The start of a mention of a user. */
const MENTION = /^@usr_[0-9A-Za-z]/;
const AROUND = /[A-Za-z0-9]/;

/** A text so that markdown reads it as that text, but for the starts of lines. */
export const escapeText = (text: string): string =>
  text.replace(SPECIAL, (sign, index: number) => (isPlain(text, index, sign) ? sign : `\\${sign}`));

function isPlain(text: string, index: number, sign: string): boolean {
  const before = text.charAt(index - 1);
  const after = text.charAt(index + 1);
  if (sign === '\\') return after !== '' && after !== '\n' && !PUNCTUATION.test(after);
  if (sign === '_') return AROUND.test(before) && AROUND.test(after);
  if (sign === '<') return after !== '' && !/[A-Za-z/!?]/.test(after);
  if (sign === '&') return !/^&(?:#\w{1,8}|[A-Za-z][A-Za-z0-9]{1,31});/.test(text.slice(index, index + 40));
  if (sign === '~' || sign === '$') return before !== '' && after !== '' && before !== sign && after !== sign;
  if (sign === ':') return !/^:[a-z0-9_+-]{1,50}:/.test(text.slice(index, index + 52));
  if (sign === '{') return after !== '' && after !== '{' && after !== '%';
  if (sign === '!') return after !== '';
  if (sign === '@') return !MENTION.test(text.slice(index, index + 6));
  return false;
}

/** A character by its number. */
export const entity = (character: string): string => `&#${character.codePointAt(0)};`;

/** A text inside of an HTML block: nothing there is a sign of markdown. */
export const escapeHtmlText = (text: string): string => text.replace(/[\\`*_[\]<>&~$:{!@\n\r|]/g, entity);

const STARTS = /^(?:#{1,6}(?=\s|$)|>|[-+](?=\s|$)|=+$|[-:|][-:| \t]*$|~~~|\|)/;
const NUMBER = /^(\d{1,9})([.)])(?=\s|$)/;
const FOOTNOTE = /^(\[\^[^\s[\]^]{1,100}\]):/;

/** The lines of a paragraph so that none begins another block and none loses space at its ends. */
export const escapeLines = (content: string): string => paragraphLines(content).map(escapeLine).join('\n');

function escapeLine(line: string): string {
  const started = line
    .replace(STARTS, (sign) => `\\${sign}`)
    .replace(NUMBER, '$1\\$2')
    .replace(FOOTNOTE, '$1\\:');
  return keepEnds(started);
}

/** Empty lines would end the paragraph: their line breaks are written as entities. */
function paragraphLines(content: string): string[] {
  const lines = content.replace(/^\n+|\n+$|\n{2,}/g, (breaks) => entity('\n').repeat(breaks.length));
  return lines.split('\n');
}

const keepEnds = (line: string): string => {
  const start = line.replace(/^\s/, entity);
  return /\s$/.test(start) ? `${start.slice(0, -1)}${entity(start.slice(-1))}` : start;
};

/** A text of one line, as of a heading or a cell. */
export const escapeSingleLine = (content: string): string => keepEnds(content.replace(/\n/g, entity));
