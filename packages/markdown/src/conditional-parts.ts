import { isConditional, mayBeConditional } from './tree/conditions.ts';
import { type Extent, fenceOfLine, readExtents, tagOfLine } from './tree/extents.ts';

/**
 * Lines of a document that stand under the same conditions: each that begins with `+` holds, none that begins with `-`.
 * `!` never holds.
 */
export interface ConditionalPart {
  text: string;
  conditions: string[];
}

export const never = '!';

const CODE_SPAN = /(`+)[^`]+\1/g;

/**
 * Cuts a document at the tags of its conditions. What follows one that cannot be read as such is under no condition that
 * anybody meets.
 */
export function conditionalParts(markdown: string): ConditionalPart[] {
  if (!isConditional(markdown)) return [{ text: markdown, conditions: [] }];
  const lines = markdown.split('\n');
  const cutter = new Cutter(lines);
  for (const line of lines) cutter.read(line);
  return cutter.parts.map(({ lines: ofPart, conditions }) => ({ text: ofPart.join('\n'), conditions }));
}

/** A condition that is open, with what is known of its branches so far. */
interface Open {
  extent: Extent;
  failed: string[];
  current: string[];
  hasElse: boolean;
}

class Cutter {
  readonly parts: { lines: string[]; conditions: string[] }[] = [{ lines: [], conditions: [] }];
  readonly #lines: string[];
  readonly #extents: Map<number, Extent>;
  readonly #open: Open[] = [];
  #line = 0;
  #fence = '';
  #isCut = false;

  constructor(lines: string[]) {
    this.#lines = lines;
    this.#extents = readExtents(lines).extents;
  }

  read(line: string): void {
    const at = this.#line++;
    if (this.#isCut || this.#isCode(line)) this.#put(line);
    else if (this.#tag(line, at)) this.#begin();
    else if (mayBeConditional(line.replace(CODE_SPAN, ''))) this.#cut(line);
    else this.#put(line);
  }

  #isCode(line: string): boolean {
    const { marker, isBare } = fenceOfLine(line);
    if (this.#fence === '') {
      this.#fence = marker;
      return marker !== '';
    }
    if (isBare && marker.startsWith(this.#fence)) this.#fence = '';
    return true;
  }

  /** Whether a line is a tag of a condition that can be read. */
  #tag(line: string, at: number): boolean {
    const tag = tagOfLine(line);
    const top = this.#open.at(-1);
    if (tag === undefined) return false;
    if (top !== undefined && top.extent.end === at) return this.#open.pop() !== undefined;
    if (top?.extent.parts.includes(at) === true) return next(top, tag);
    const extent = this.#extents.get(at);
    if (tag.name !== 'if' || tag.rest === '' || extent === undefined || !this.#isInOnePlace(at, extent)) return false;
    this.#open.push({ extent, failed: [`-${tag.rest}`], current: [`+${tag.rest}`], hasElse: false });
    return true;
  }

  /** Whether what holds the tags of a condition, such as a quote, is the same for all of them. */
  #isInOnePlace(at: number, { end, parts }: Extent): boolean {
    const [holder, ...others] = [at, ...parts, end].map((line) => this.#lines[line]?.split('{%')[0]);
    return others.every((other) => other === holder);
  }

  #cut(line: string): void {
    this.#isCut = true;
    this.parts.push({ lines: [line], conditions: [never] });
  }

  #begin(): void {
    this.parts.push({ lines: [], conditions: [...new Set(this.#open.flatMap(({ current }) => current))] });
  }

  #put(line: string): void {
    this.parts.at(-1)?.lines.push(line);
  }
}

/** Goes on to the next branch of a condition. */
function next(open: Open, { name, rest }: { name: string; rest: string }): boolean {
  if (name === 'elseif' && rest === '') return false;
  open.current = open.hasElse ? [never] : [...open.failed, ...(name === 'elseif' ? [`+${rest}`] : [])];
  open.hasElse ||= name === 'else';
  if (name === 'elseif') open.failed = [...open.failed, `-${rest}`];
  return true;
}
