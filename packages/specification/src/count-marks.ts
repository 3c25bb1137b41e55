const code = (character: string): number => character.charCodeAt(0);

const [quote, backslash, newline] = [code('"'), code('\\'), code('\n')];
const opening = new Set([code('['), code('{')]);
const closing = new Set([code(']'), code('}')]);
const separating = new Set([code(','), code(':')]);

/** How large what a text holds can be at most, told without parsing it: a parser takes many times the text's memory. */
export interface Marks {
  /** Brackets, commas and colons, in YAML the ends of lines too: there are no more values than these, but for one. */
  marks: number;
  depth: number;
}

/** Of JSON, whose texts hold no structure. */
export function countMarksOfJson(text: string): Marks {
  let [marks, depth, deepest] = [0, 0, 0];
  let isInText = false;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (isInText) {
      if (unit === backslash) index += 1;
      else if (unit === quote) isInText = false;
    } else if (unit === quote) isInText = true;
    else if (opening.has(unit)) {
      marks += 1;
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (closing.has(unit)) depth -= 1;
    else if (separating.has(unit)) marks += 1;
  }
  return { marks, depth: deepest };
}

/** Of YAML: also what stands in its texts counts, and its parser bounds the depth itself. */
export function countMarksOfYaml(text: string): number {
  let marks = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === newline || opening.has(unit) || separating.has(unit)) marks += 1;
  }
  return marks;
}
