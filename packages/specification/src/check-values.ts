import { formatPath, SpecificationFault } from './document.ts';
import { maxSpecificationBytes } from './limits.ts';
import { maxDepth } from './parse-text.ts';

/**
 * Maximum number of values and characters of a document, because a few YAML aliases can expand to very many. The error
 * names at most `maxNamed` references.
 */
const maxValues = 1_000_000;
const maxCharacters = maxSpecificationBytes;
const maxNamed = 5;

/** Keys below these are user-defined names, not keywords. */
const namedKeys = new Set([
  ...['paths', 'webhooks', 'x-webhooks', 'schemas', 'definitions', '$defs', 'properties', 'patternProperties'],
  ...['dependentSchemas', 'parameters', 'responses', 'examples', 'requestBodies', 'headers', 'securitySchemes'],
  ...['links', 'callbacks', 'pathItems', 'content', 'encoding', 'variables', 'mapping'],
]);
/** Values below these are arbitrary data. */
const holdingData = new Set(['example', 'default', 'enum', 'const', 'value']);

interface ValueWalk {
  values: number;
  characters: number;
  path: (string | number)[];
  foreignPaths: string[];
}

/**
 * Counts the values of a document, including the values of an alias each time it is used. Rejects references to other
 * documents. Returns the number of values. @throws SpecificationFault
 */
export function checkValues(document: object): number {
  const walk: ValueWalk = { values: 0, characters: 0, path: [], foreignPaths: [] };
  visit(document, { isNamed: false, isData: false }, walk);
  if (walk.foreignPaths.length === 0) return walk.values;
  const suffix = walk.foreignPaths.length > maxNamed ? ` and ${walk.foreignPaths.length - maxNamed} more` : '';
  throw new SpecificationFault(
    `The specification refers to other documents: ${walk.foreignPaths.slice(0, maxNamed).join(', ')}${suffix}. Bundle ` +
      'them into one document.',
  );
}

interface Surroundings {
  /** Whether the keys are user-defined names. */
  isNamed: boolean;
  isData: boolean;
}

function visit(value: unknown, context: Surroundings, walk: ValueWalk): void {
  walk.values += 1;
  if (walk.values > maxValues) throw new SpecificationFault('The specification has too many values.');
  if (typeof value === 'string') countCharacters(value, walk);
  if (typeof value !== 'object' || value === null) return;
  if (walk.path.length >= maxDepth)
    throw new SpecificationFault(`The specification is nested more than ${maxDepth} levels deep.`);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) visitChild(index, item, { ...context, isNamed: false }, walk);
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    if (key === '$ref' && !context.isNamed && !context.isData) noteReference(item, walk);
    countCharacters(key, walk);
    visitChild(key, item, getInnerSurroundings(key, item, context), walk);
  }
}

function countCharacters(text: string, walk: ValueWalk): void {
  walk.characters += text.length;
  if (walk.characters > maxCharacters) throw new SpecificationFault('The specification has too much text.');
}

function visitChild(key: string | number, value: unknown, context: Surroundings, walk: ValueWalk): void {
  walk.path.push(key);
  visit(value, context, walk);
  walk.path.pop();
}

const getInnerSurroundings = (key: string, value: unknown, { isNamed, isData }: Surroundings): Surroundings => ({
  isNamed: !isNamed && namedKeys.has(key),
  isData: isData || (!isNamed && mayBeAnything(key, value)),
});

const mayBeAnything = (key: string, value: unknown): boolean =>
  holdingData.has(key) ||
  (key === 'examples' && Array.isArray(value)) ||
  (key.startsWith('x-') && key !== 'x-webhooks');

function noteReference(reference: unknown, { path, foreignPaths }: ValueWalk): void {
  if (typeof reference !== 'string' || reference.startsWith('#')) return;
  foreignPaths.push(`${reference.slice(0, 200)} (${formatPath(path)})`);
}
