import { codeRuns, codeSpan } from '@octavo/markdown';
import { inlineText, unescapeText } from './text.ts';

/** A link at the start of a text, and what stands after it. */
export interface ReadLink {
  title: string;
  destination: string;
  rest: string;
}

const angled = /^<((?:\\[\s\S]|[^<>\\])*)>/;
const bare = /^(?:\\[\s\S]|[^\s()\\]|\((?:\\[\s\S]|[^\s()\\])*\))*/;
/** Blanks are taken whole: taken one by one, a long run of them would cost its square. */
const end =
  /^[ \t]*(?![ \t])(?:(?<=[ \t])(?:"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|\((?:\\[\s\S]|[^()\\])*\))[ \t]*(?![ \t]))?\)/;

/** Reads `[title](destination "quoted")` at the start of the text. */
export function readLink(text: string): ReadLink | undefined {
  if (!text.startsWith('[')) return undefined;
  const close = closingBracket(text);
  if (close === undefined || text[close + 1] !== '(') return undefined;
  const inside = text.slice(close + 2).replace(/^[ \t]+/, '');
  const match = angled.exec(inside) ?? bare.exec(inside);
  const written = match?.[0] ?? '';
  const tail = end.exec(inside.slice(written.length));
  if (!tail) return undefined;
  return {
    title: inlineText(text.slice(1, close)),
    destination: unescapeText(match?.[1] ?? written),
    rest: inside.slice(written.length + tail[0].length),
  };
}

function closingBracket(text: string): number | undefined {
  const runs = codeRuns(text);
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\\') at += 1;
    if (character === '`') {
      const { length, close } = codeSpan(runs, text, at);
      at = (close ?? at) + length - 1;
    }
    if (character === '[') depth += 1;
    if (character === ']') depth -= 1;
    if (depth === 0) return at;
  }
  return undefined;
}
