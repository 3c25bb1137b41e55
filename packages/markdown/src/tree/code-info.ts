/** What the fence of a code block says of it. */
export interface CodeInfo {
  syntax?: string;
  title?: string;
  /** The lines that stand out, counted from 1. */
  lines: ReadonlySet<number>;
  lineNumbers?: boolean;
}

/** More lines than this are not named one by one. */
const MAX_LINES = 10_000;
/** What follows is not looked at: keeps hostile input short. */
const MAX_INFO = 1_000;

const TITLE = /(?:^|[\s,{])(?:title|filename|file|name|caption)=(?:"([^"]*)"|'([^']*)'|([^\s"'{},]+))/;
/** As VitePress names the tabs of a group. */
const BRACKETS = /(?:^|[\s}])\[([^[\]]{1,200})\]/;
const RANGES = [
  /(?:^|[^=])\{([\d,\s-]{1,200})\}/,
  /\bhl_lines=["[']([\d,\s"'-]{1,200})["'\]]/,
  /\b(?:highlight|ins|mark)=\{([\d,\s-]{1,200})\}/,
];
const NUMBERED =
  /(?:^|[\s,{:])(?:line-?numbers|showLineNumbers|numberLines|linenums|linenos)(?:(?=[\s,}]|$)|=(?:"[^"]*"|'[^']*'|\{true\}|true|table|inline|\d+))/i;
const UNNUMBERED = /(?:^|[\s,{:])(?:no-line-numbers|(?:showLineNumbers|linenos)=\{?false\}?)/;

/** Reads what follows the signs of a fence, in the words of any family. */
export function codeInfo(whole: string): CodeInfo {
  const info = whole.slice(0, MAX_INFO).trim();
  const [syntax, named] = languageIn(info);
  const title = TITLE.exec(info)?.slice(1).find(Boolean) ?? BRACKETS.exec(info)?.[1]?.trim() ?? named;
  const ranges = RANGES.map((pattern) => pattern.exec(info)?.[1]).find((each) => each !== undefined) ?? '';
  const lineNumbers = UNNUMBERED.test(info) ? false : NUMBERED.test(info) ? true : undefined;
  return {
    ...(syntax && { syntax }),
    ...(title && { title }),
    lines: linesIn(ranges),
    ...(lineNumbers !== undefined && { lineNumbers }),
  };
}

/** The language, and a title that is written behind it: `js`, `rust,ignore`, `js:a.js`, `{ .js title="a" }`. */
function languageIn(info: string): [syntax: string | undefined, title?: string | undefined] {
  const listed = /^\{(?:[^{}.]*\s)?\.([\w+#-]{1,50})/.exec(info)?.[1] ?? /^\{([a-zA-Z][\w+#-]{0,49})\}/.exec(info)?.[1];
  if (listed !== undefined)
    return [
      /^(?:code|code-block|code-cell|sourcecode)$/.test(listed)
        ? /^\{[^}]*\}\s*([\w+#-]{1,50})/.exec(info)?.[1]
        : listed,
    ];
  const word = /^[^\s,{[]{1,200}/.exec(info)?.[0] ?? '';
  if (/^[\w-]+=/.test(word)) return [undefined];
  const [language = '', behind = ''] = word.split(/:(.*)/s);
  return [language.slice(0, 50) || undefined, /^[\w@/-]*\.[\w.]+$/.test(behind) ? behind : undefined];
}

function linesIn(ranges: string): Set<number> {
  const lines = new Set<number>();
  for (const range of ranges.replace(/["']/g, '').split(/[,\s]+/)) {
    const [, first = '', last = first] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(range) ?? [];
    for (let line = Number(first); first !== '' && line <= Number(last) && lines.size < MAX_LINES; line += 1)
      lines.add(line);
  }
  return lines;
}
