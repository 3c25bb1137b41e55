import { type Block, type Inline, isBlock, type TextNode, textAt } from '@octavo/markdown';

const MAX_LENGTH = 200;
/** What a block or inline says in its data and not in its text. */
const SAID = ['title', 'caption', 'alt', 'formula', 'expression', 'html', 'markdown', 'user', 'url'] as const;
/** More than this of a text is not looked at: it may be all white space. */
const ENOUGH = 10_000;

/** The plain text of a block on one line: at most 200 characters, the last an ellipsis where there is more. */
export function previewOf(node: Block): string {
  const text = blockText(node, ENOUGH).replace(/\s+/gu, ' ').trim();
  if (text.length <= MAX_LENGTH) return text;
  const cut = text.slice(0, MAX_LENGTH - 1);
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`;
}

/** The text of a block and of all that it holds, up to about `limit` characters. */
export function blockText(node: Block, limit: number): string {
  const parts: string[] = [];
  let length = 0;
  const put = (text: string): void => {
    parts.push(text.slice(0, limit - length));
    length += text.length;
  };
  const visit = (each: Block | Inline | TextNode): void => {
    if (length >= limit) return;
    if (each.object === 'text') {
      for (const { text } of each.leaves) put(text);
      return;
    }
    put(said(each));
    for (const child of each.nodes) visit(child);
    if (isBlock(each)) put(' ');
  };
  visit(node);
  return parts.join('').toWellFormed();
}

function said({ type, data, nodes }: Block | Inline): string {
  if (type === 'emoji') return `:${textAt(data, 'name') ?? ''}:`;
  if (type === 'hard-break') return ' ';
  const found = SAID.map((key) => textAt(data, key) ?? (nodes.length === 0 ? textAt(data.ref, key) : undefined));
  const text = found.find((each) => each !== undefined && each !== '') ?? '';
  return type === 'mention' && text !== '' ? `@${text}` : text;
}
