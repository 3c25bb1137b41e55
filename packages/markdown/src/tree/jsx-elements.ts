import type { JsxTag } from './jsx.ts';
import { MAX_JSX_LENGTH, readJsxTag } from './jsx.ts';

/** Elements whose content is markdown in MDX. */
const CONTAINERS = 'article|aside|center|div|footer|header|main|nav|section';
/** The content of these elements is HTML, but a blank line in it begins markdown. */
const OTHERS = 'blockquote|details|dl|figure|ol|table|ul';
const TAGS = new RegExp(`</?(?:${CONTAINERS}|${OTHERS})(?=[\\s/>]|$)`, 'g');
/** Matches text that begins with the tag of a container, and text that consists of closing tags of containers. */
export const CONTAINER_TAG = new RegExp(`^</?(?:${CONTAINERS})(?=[\\s/>]|$)`);
export const CLOSING_TAGS = new RegExp(`^(?:</(?:${CONTAINERS})>\\s*)*$`);
/** Imports and exports of MDX. */
const SCRIPT = /^(?:import\s(?:[^"'`<>]*\sfrom\s+)?["'][^"']+["'];?\s*$|export\s+(?:const|default|function)\s)/;

/** Limits that bound the cost of hostile input: the tags of one line, the open elements and the lines of a tag. */
const MAX_TAGS = 20;
const MAX_OPEN = 100;
export const MAX_TAG_LINES = 60;

/** Finds the lines of elements and components of MDX, which has no indented code. */
export class JsxElements {
  readonly #elements: [first: number, last: number][] = [];
  readonly #components: [first: number, last: number][] = [];
  readonly #open: { name: string; line: number }[] = [];
  /** Whether the text has imports, exports or attributes that only MDX has. */
  #isMdx = false;
  /** Whether the line is in a script of Vue, which has imports too. */
  #isInScript = false;
  #tag: { line: number; text: string } | undefined;

  /** Reads a line that is not code. */
  read(line: string, index: number): void {
    const tag = this.#tag;
    const text = line.trim();
    if (/^<script[\s>]/.test(text)) this.#isInScript = true;
    if (!this.#isInScript && SCRIPT.test(line)) this.#isMdx = true;
    if (text.includes('</script>')) this.#isInScript = false;
    this.#tag = undefined;
    if (tag !== undefined && text !== '' && index - tag.line <= MAX_TAG_LINES)
      this.#readTags(`${tag.text}\n${text}`, tag.line, index);
    else if (text.startsWith('<')) this.#readTags(text, index, index);
  }

  addComponent(first: number, last: number): void {
    this.#components.push([first, last]);
  }

  /** Returns the lines of all elements that are closed, with their tags. */
  getLines(): Set<number> {
    const ranges = this.#isMdx ? [...this.#components, ...this.#elements] : this.#components;
    const lines = new Set<number>();
    let next = 0;
    for (const [first, last] of ranges.sort(([one], [other]) => one - other)) {
      for (next = Math.max(next, first); next <= last; next += 1) lines.add(next);
    }
    return lines;
  }

  #readTags(text: string, first: number, last: number): void {
    if (text.length > MAX_JSX_LENGTH) return;
    for (const { index } of [...text.matchAll(TAGS)].slice(0, MAX_TAGS)) {
      const tag = readJsxTag(text, index);
      if (tag !== undefined) this.#readTag(tag, first, last);
      else if (index === 0) this.#tag = { line: first, text };
    }
  }

  #readTag({ name, closes, isEmpty, attributes }: JsxTag, first: number, last: number): void {
    if (attributes.some((each) => each.name === 'className' || each.isExpression)) this.#isMdx = true;
    if (!closes && !isEmpty && this.#open.length < MAX_OPEN) this.#open.push({ name, line: first });
    const at = closes ? this.#open.findLastIndex((each) => each.name === name) : -1;
    const [opened] = at < 0 ? [] : this.#open.splice(at);
    if (opened !== undefined) this.#elements.push([opened.line, last]);
  }
}
