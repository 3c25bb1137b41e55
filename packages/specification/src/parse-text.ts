import { CORE_SCHEMA, load, mergeTag, YAMLException } from 'js-yaml';
import { SpecificationFault } from './document.ts';
import { maxSpecificationBytes, mebibyte } from './limits.ts';

const getCode = (character: string): number => character.charCodeAt(0);

const [quote, backslash, newline] = [getCode('"'), getCode('\\'), getCode('\n')];
const opening = new Set([getCode('['), getCode('{')]);
const closing = new Set([getCode(']'), getCode('}')]);
const separating = new Set([getCode(','), getCode(':')]);

/**
 * Upper bounds for the content of a text. They are counted without parsing, because a parser takes many times the
 * text's memory.
 */
interface TextBounds {
  /**
   * The number of brackets, commas and colons; in YAML also line breaks. A text has at most one more value than this
   * number.
   */
  marks: number;
  depth: number;
}

/** Counts the marks of a JSON text, except those in strings. */
export function countMarksOfJson(text: string): TextBounds {
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

/** Counts the marks of a YAML text, including those in strings. The YAML parser itself limits the depth. */
export function countMarksOfYaml(text: string): number {
  let marks = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === newline || opening.has(unit) || separating.has(unit)) marks += 1;
  }
  return marks;
}

export type SpecificationFormat = 'json' | 'yaml';

interface ParsedText {
  format: SpecificationFormat;
  value: unknown;
}

/** Limits of a document. Those of YAML are lower, because YAML takes about ten times as long to parse. */
const maxYamlLength = 5 * mebibyte;
const maxJsonMarks = 1_000_000;
const maxYamlMarks = 600_000;
export const maxDepth = 100;
const maxAliases = 10_000;
const maxMergedKeys = 100_000;

const yamlSchema = CORE_SCHEMA.withTags(mergeTag);

/** Decodes bytes to text and drops a byte order mark. @throws SpecificationFault */
export function decodeText(bytes: Uint8Array): string {
  if (bytes.length > maxSpecificationBytes) throw createTooLargeError('A specification', maxSpecificationBytes);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new SpecificationFault('The specification must be UTF-8.');
  }
}

/** Parses JSON, or YAML if it is not JSON. Rejects texts that are too expensive to parse. @throws SpecificationFault */
export function parseText(text: string): ParsedText {
  const [first = ''] = /\S/.exec(text) ?? [];
  if (first === '') throw new SpecificationFault('The specification is empty.');
  if (first === '<') throw new SpecificationFault('This is an HTML or XML page, not a specification.');
  if (first !== '{' && first !== '[') return { format: 'yaml', value: parseYaml(text) };
  const { marks, depth } = countMarksOfJson(text);
  if (depth > maxDepth) throw new SpecificationFault(`The specification is nested more than ${maxDepth} levels deep.`);
  if (marks > maxJsonMarks) throw createTooManyError();
  try {
    return { format: 'json', value: JSON.parse(text) as unknown };
  } catch (error) {
    if (text.length > maxYamlLength)
      throw new SpecificationFault(`The specification is not valid JSON: ${getMessage(error)}`);
    return { format: 'yaml', value: parseYaml(text) };
  }
}

function parseYaml(text: string): unknown {
  if (text.length > maxYamlLength) throw createTooLargeError('A specification in YAML', maxYamlLength);
  if (countMarksOfYaml(text) > maxYamlMarks) throw createTooManyError();
  try {
    return load(text, { schema: yamlSchema, maxDepth, maxAliases, maxTotalMergeKeys: maxMergedKeys });
  } catch (error) {
    throw new SpecificationFault(`The specification is neither valid JSON nor valid YAML: ${getMessage(error)}`);
  }
}

function getMessage(error: unknown): string {
  if (!(error instanceof YAMLException)) return error instanceof Error ? error.message : String(error);
  const { reason, mark } = error;
  return mark === undefined ? reason : `line ${mark.line + 1}, column ${mark.column + 1}: ${reason}`;
}

const createTooLargeError = (name: string, limit: number) =>
  new SpecificationFault(
    `${name} can have at most ${limit / mebibyte} ` +
      `MiB${limit < maxSpecificationBytes ? `, or ${maxSpecificationBytes / mebibyte} MiB in JSON` : ''}.`,
  );

const createTooManyError = () => new SpecificationFault('The specification has too many values.');
