import type { StateBlock } from 'markdown-it';
import { extentAt } from './block-state.ts';
import { mayBeConditional } from './conditions.ts';
import { put } from './foreign-blocks.ts';
import { attributeIn, elementsIn, type JsxTag } from './jsx.ts';
import { putCode } from './template-rules.ts';

type Opened = { line: number; tagEnd: number; endLine: number; source: string; tag: JsxTag };

/** A component that shows code: what it holds, or what its attribute `code` says. */
export function componentCode(state: StateBlock, { line, tagEnd, endLine, source, tag }: Opened): boolean {
  if (tag.closes) return put(state, line, tagEnd + 1);
  const said = tag.attributes.find(({ name }) => name === 'code');
  const found = tag.isEmpty ? undefined : extentAt(state, line, endLine);
  const extent = found !== undefined && found.end > tagEnd ? found : undefined;
  const [inLine] = tag.isEmpty ? [] : (elementsIn(source) ?? []);
  const held =
    extent === undefined
      ? inLine && source.slice(inLine.from, inLine.to)
      : state.getLines(tagEnd + 1, extent.end, state.blkIndent, false);
  const content = said === undefined ? held : (textOfScript(said.value) ?? (said.isScript ? undefined : said.value));
  const isShown = content !== undefined && content.trim() !== '' && !mayBeConditional(content);
  if (!isShown) return put(state, line, tagEnd + 1);
  const language =
    attributeIn(tag, 'language', 'lang') ?? /language-([\w+#-]+)/.exec(attributeIn(tag, 'classname') ?? '')?.[1];
  const title = attributeIn(tag, 'title', 'filename');
  const isNumbered = tag.attributes.some(({ name }) => name === 'showLineNumbers');
  const info = [
    language ?? '',
    title === undefined ? '' : `title="${title.replace(/"/g, "'")}"`,
    isNumbered ? 'showLineNumbers' : '',
  ];
  const text = textOfScript(content) ?? dedented(content);
  putCode(state, {
    line,
    end: (extent?.end ?? tagEnd) + 1,
    info: info.filter((each) => each !== '').join(' '),
    content: `${text.replace(/^\n|\s+$/g, '')}\n`,
  });
  return true;
}

/** What a script says that is a text alone: `` {`let a;`} ``. */
function textOfScript(script: string): string | undefined {
  const [, quote, text] = /^\s*\{\s*(["'`])([\s\S]*)\1\s*\}\s*$/.exec(script) ?? [];
  return quote === undefined ? undefined : (text ?? '').replace(/\\([`\\$"'])/g, '$1');
}

function dedented(text: string): string {
  const lines = text.split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  const least = Math.min(...indents);
  return lines.map((line) => line.slice(least)).join('\n');
}
