import { decodeEntities } from './inline-tails.ts';

/** Readable text of an HTML block: tags and comments dropped, whitespace collapsed. */
export function plainHtml(html: string): string {
  const closed = html.lastIndexOf('-->') + 3;
  const open = closed < 3 ? 0 : closed;
  const visible = html.slice(0, open).replace(/<!--[\s\S]*?-->/g, ' ') + html.slice(open);
  return collapse(decodeEntities(visible.replace(/<[/!?]?[a-zA-Z][^<>]*>/g, ' ')));
}

/** Whitespace as single spaces, none at the ends. */
export function collapse(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
