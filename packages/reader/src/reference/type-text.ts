import { isObject, type JsonObject, ownOf, textAt } from '@octavo/specification';
import { listAt, type SchemaAt, type SchemaReader } from './schema.ts';

const maxNamed = 4;
const maxLevels = 4;
const maxLength = 120;

function plainType(value: JsonObject): string {
  const type = ownOf(value, 'type');
  if (typeof type === 'string') return type;
  if (Array.isArray(type)) return type.filter((each) => each !== 'null').join(' | ');
  if (isObject(ownOf(value, 'properties')) || isObject(ownOf(value, 'additionalProperties'))) return 'object';
  if (ownOf(value, 'items') !== undefined) return 'array';
  const known = [ownOf(value, 'const'), ...listAt(value, 'enum')].find((each) => each !== undefined && each !== null);
  return known === undefined ? 'any' : typeof known;
}

const isNullable = ({ value }: SchemaAt): boolean => {
  const type = ownOf(value, 'type');
  const variants = [...listAt(value, 'oneOf'), ...listAt(value, 'anyOf')];
  return (
    ownOf(value, 'nullable') === true ||
    (Array.isArray(type) && type.includes('null') && type.length > 1) ||
    variants.some((each) => isObject(each) && textAt(each, 'type') === 'null')
  );
};

function withoutNull(schemas: SchemaReader, at: SchemaAt, level: number): string {
  const { value, name } = at;
  const { variants } = schemas.variantsOf(at);
  if (variants.length > 0 && level < maxLevels) {
    const named = variants.slice(0, maxNamed).map((each) => typeText(schemas, each, level + 1));
    const all = [...new Set(named), ...(variants.length > maxNamed ? ['…'] : [])];
    return name ?? all.join(' | ');
  }
  const items = ownOf(value, 'items');
  const type = plainType(value);
  if (type === 'array' && isObject(items) && level < maxLevels) {
    const of = typeText(schemas, schemas.read(items, at.trail), level + 1);
    return / \| /.test(of) ? `(${of})[]` : `${of}[]`;
  }
  if (type === 'object') return name ?? 'object';
  const format = textAt(value, 'format');
  return format === undefined ? type : `${type}<${format}>`;
}

/** What a schema is in a few words, such as `string<date-time> | null` or `Pet[]`. */
export function typeText(schemas: SchemaReader, at: SchemaAt, level = 0): string {
  const text = `${withoutNull(schemas, at, level)}${isNullable(at) ? ' | null' : ''}`;
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
