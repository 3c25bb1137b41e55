import { isConditional, mayBeConditional } from './tree/conditions.ts';
import type { Extent } from './tree/extents.ts';
import { readExtents, readLineFence, readLineTag } from './tree/extents.ts';

/** Lines under the same conditions. A condition with `+` must be met and one with `-` must not; `!` is never met. */
interface ConditionalPart {
  text: string;
  conditions: string[];
}

export const never = '!';

const CODE_SPAN = /(`+)[^`]+\1/g;

/**
 * Splits a document at the tags of its conditions. Content after a malformed tag is under a condition that is never
 * met.
 */
export function splitByConditions(markdown: string): ConditionalPart[] {
  if (!isConditional(markdown)) return [{ text: markdown, conditions: [] }];
  const lines = markdown.split('\n');
  const cutter = new Cutter(lines);
  for (const line of lines) cutter.read(line);
  return cutter.parts.map(({ lines: ofPart, conditions }) => ({ text: ofPart.join('\n'), conditions }));
}

/** An open condition with its branches so far. */
interface OpenCondition {
  extent: Extent;
  failed: string[];
  current: string[];
  hasElse: boolean;
}

class Cutter {
  readonly parts: { lines: string[]; conditions: string[] }[] = [{ lines: [], conditions: [] }];
  readonly #lines: string[];
  readonly #extents: Map<number, Extent>;
  readonly #open: OpenCondition[] = [];
  #line = 0;
  #fence = '';
  #isCut = false;

  constructor(lines: string[]) {
    this.#lines = lines;
    this.#extents = readExtents(lines).extents;
  }

  read(line: string): void {
    const offset = this.#line++;
    if (this.#isCut || this.#isCode(line)) this.#addLine(line);
    else if (this.#readTag(line, offset)) this.#begin();
    else if (mayBeConditional(line.replace(CODE_SPAN, ''))) this.#addHiddenPart(line);
    else this.#addLine(line);
  }

  #isCode(line: string): boolean {
    const { marker, isBare } = readLineFence(line);
    if (this.#fence === '') {
      this.#fence = marker;
      return marker !== '';
    }
    if (isBare && marker.startsWith(this.#fence)) this.#fence = '';
    return true;
  }

  /** Whether a line is a well-formed tag of a condition. */
  #readTag(line: string, offset: number): boolean {
    const tag = readLineTag(line);
    const top = this.#open.at(-1);
    if (tag === undefined) return false;
    if (top !== undefined && top.extent.end === offset) return this.#open.pop() !== undefined;
    if (top?.extent.parts.includes(offset) === true) return continueBranch(top, tag);
    const extent = this.#extents.get(offset);
    if (tag.name !== 'if' || tag.rest === '' || extent === undefined || !this.#isInOneContainer(offset, extent))
      return false;
    this.#open.push({ extent, failed: [`-${tag.rest}`], current: [`+${tag.rest}`], hasElse: false });
    return true;
  }

  /** Whether all tags of a condition are in the same container, such as a quote. */
  #isInOneContainer(offset: number, { end, parts }: Extent): boolean {
    const [holder, ...others] = [offset, ...parts, end].map((line) => this.#lines[line]?.split('{%')[0]);
    return others.every((other) => other === holder);
  }

  #addHiddenPart(line: string): void {
    this.#isCut = true;
    this.parts.push({ lines: [line], conditions: [never] });
  }

  #begin(): void {
    this.parts.push({ lines: [], conditions: [...new Set(this.#open.flatMap(({ current }) => current))] });
  }

  #addLine(line: string): void {
    this.parts.at(-1)?.lines.push(line);
  }
}

/** Continues with the next branch of a condition. */
function continueBranch(open: OpenCondition, { name, rest }: { name: string; rest: string }): boolean {
  if (name === 'elseif' && rest === '') return false;
  open.current = open.hasElse ? [never] : [...open.failed, ...(name === 'elseif' ? [`+${rest}`] : [])];
  open.hasElse ||= name === 'else';
  if (name === 'elseif') open.failed = [...open.failed, `-${rest}`];
  return true;
}
