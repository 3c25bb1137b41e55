import type * as z from 'zod';

/** A problem in a value, with the keys from the root to the problem. */
export interface ValidationIssue {
  path: PropertyKey[];
  message: string;
}

/** A schema whose parsed values have this type. */
export type ValueSchema<Value> = z.ZodType<Value>;

/** Maximum number of issues that are returned. */
const maxIssues = 20;

type Validation<Data> = { success: true; data: Data } | { success: false; issues: ValidationIssue[] };

/**
 * Validates a value. Returns at most 20 issues. Each message continues a sentence that starts with the field: "must be
 * at most 1000".
 */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): Validation<z.output<Schema>> {
  const result = schema.safeParse(value, { error: getMessage });
  if (result.success) return { success: true, data: result.data };
  const { issues } = result.error;
  return {
    success: false,
    issues: issues
      .toSorted((one, other) => Number(isListTooLong(other)) - Number(isListTooLong(one)))
      .slice(0, maxIssues)
      .flatMap((issue) => flatten(issue, []))
      .slice(0, maxIssues),
  };
}

/** Returns the first message for an invalid value, or undefined if the value is valid. */
export function findProblem(schema: z.ZodType, value: unknown): string | undefined {
  const result = validate(schema, value);
  return result.success ? undefined : result.issues[0]?.message;
}

/** Splits an issue that concerns several keys, or a union, into one issue per field. */
function flatten(issue: z.core.$ZodIssue, parents: PropertyKey[]): ValidationIssue[] {
  const path = [...parents, ...issue.path];
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, maxIssues).map((key) => ({ path: [...path, key], message: unknownField }));
  if (issue.code === 'invalid_key') return [{ path, message: `is not a valid key: it ${issue.issues[0]?.message}` }];
  if (issue.code !== 'invalid_union' || issue.message !== notValid)
    return [{ path, message: describeItems(issue, path) }];
  const options = issue.errors.filter((issues) => issues.length > 0);
  return (
    mergeTypes(options, path) ??
    findNearest(options)
      ?.slice(0, maxIssues)
      .flatMap((each) => flatten(each, path)) ?? [{ path, message: notValid }]
  );
}

const notValid = 'is not valid';
const unknownField = 'is not a known field';
const prefix = 'must be ';

/**
 * Joins messages such as "must be a string" and "must be a number" if the value has the wrong type for every option of
 * a union.
 */
function mergeTypes(options: z.core.$ZodIssue[][], path: PropertyKey[]): ValidationIssue[] | undefined {
  const messages = options.map(([issue, other]) =>
    issue !== undefined && other === undefined && issue.path.length === 0 && issue.code !== 'invalid_union'
      ? issue.message
      : '',
  );
  if (messages.length < 2 || !messages.every((message) => message.startsWith(prefix))) return;
  const types = new Set(messages.map((message) => message.slice(prefix.length)));
  return [{ path, message: prefix + [...types].join(' or ') }];
}

/** Returns the issues of the option that the value matches best: the deepest ones, then the fewest. */
function findNearest(options: z.core.$ZodIssue[][]): z.core.$ZodIssue[] | undefined {
  const isTypeIssue = (code: string) => code === 'invalid_type' || code === 'invalid_value';
  const getDepth = (issues: z.core.$ZodIssue[]) =>
    issues.reduce(
      (depth, { path, code }) => Math.max(depth, path.length === 0 && isTypeIssue(code) ? -1 : path.length),
      -1,
    );
  const ranked = options.map((issues) => ({ issues, depth: getDepth(issues) }));
  return ranked.toSorted((one, other) => other.depth - one.depth || one.issues.length - other.issues.length)[0]?.issues;
}

/** Returns the message for an issue if its schema does not define a message. */
function getMessage(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : prefix + (typeNames[issue.expected] ?? issue.expected);
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : describeValues(issue.values);
    case 'invalid_union':
      return describeUnion(issue);
    case 'too_small':
    case 'too_big':
      return describeSize(issue);
    case 'invalid_format':
      return describeFormat(issue);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return 'has unknown fields';
    default:
      return notValid;
  }
}

const typeNames: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  bigint: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
  tuple: 'an array',
  null: 'null',
  undefined: 'left out',
  never: 'left out',
  date: 'a date',
};

type IssueOf<Code extends string> = Extract<z.core.$ZodRawIssue, { code: Code }>;

function describeValues(values: readonly unknown[]): string {
  if (values.length === 1) return prefix + String(values[0]);
  return `must be one of: ${values.map(String).join(', ')}`;
}

function describeUnion({ discriminator, options, input }: IssueOf<'invalid_union'>): string {
  if (input === undefined) return 'is required';
  if (discriminator === undefined || !Array.isArray(options)) return notValid;
  const value = (input as Record<string, unknown>)[String(discriminator)];
  return value === undefined ? 'is required' : describeValues(options);
}

const units: Record<string, string> = { string: 'character', array: 'item', set: 'item', map: 'entry', file: 'byte' };

const isListTooLong = ({ code, ...issue }: z.core.$ZodIssue): boolean =>
  code === 'too_big' && 'origin' in issue && issue.origin === 'array';

/** Replaces "items" by the name of the field: "must have at most 50 changes". */
function describeItems({ code, message, ...issue }: z.core.$ZodIssue, path: PropertyKey[]): string {
  if ((code !== 'too_small' && code !== 'too_big') || !('origin' in issue) || issue.origin !== 'array') return message;
  const field = path.findLast((key) => typeof key === 'string') ?? '';
  const plural = field.replace(/[A-Z]|_/g, (sign) => ` ${sign.replace('_', '').toLowerCase()}`);
  if (!/[^su]s$/.test(plural)) return message;
  const singular = plural.replace(/ies$/, 'y').replace(/s$/, '');
  return message.replace(/(?<=\d )items$/, plural).replace(/(?<=\d )item$/, singular);
}

function describeSize(issue: IssueOf<'too_small'> | IssueOf<'too_big'>): string {
  const isMinimum = issue.code === 'too_small';
  const limit = Number(isMinimum ? issue.minimum : issue.maximum);
  const unit = units[issue.origin];
  if (isMinimum && limit === 1 && issue.origin === 'string') return 'must not be empty';
  if (issue.exact === true) return `must have exactly ${formatCount(limit, unit)}`;
  if (unit !== undefined) return `must have at ${isMinimum ? 'least' : 'most'} ${formatCount(limit, unit)}`;
  if (issue.inclusive === false) return `must be ${isMinimum ? 'greater' : 'less'} than ${limit}`;
  return `must be at ${isMinimum ? 'least' : 'most'} ${limit}`;
}

const formatCount = (amount: number, unit = 'item'): string => {
  if (amount === 1) return `1 ${unit}`;
  return `${amount} ${unit === 'entry' ? 'entries' : `${unit}s`}`;
};

const formatNames: Record<string, string> = {
  email: 'an email address',
  url: 'a URL',
  datetime: 'an ISO 8601 timestamp, such as 2026-01-31T12:00:00Z',
  date: 'an ISO 8601 date, such as 2026-01-31',
  base64: 'base64',
  uuid: 'a UUID',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  json_string: 'JSON',
};

function describeFormat(issue: IssueOf<'invalid_format'>): string {
  if (issue.format === 'starts_with') return `must start with ${issue.prefix}`;
  if (issue.format === 'ends_with') return `must end with ${issue.suffix}`;
  if (issue.format === 'includes') return `must contain ${issue.includes}`;
  const name = formatNames[issue.format];
  return name === undefined ? `must match ${issue.pattern ?? `the format ${issue.format}`}` : prefix + name;
}
