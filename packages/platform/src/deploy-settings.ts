import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { readRateLimits } from '@octavo/schema';
import { PlatformError } from './platform-error.ts';

/**
 * Regions of the database and the buckets (Cloudflare's location hints). Each has a cloud region near it, in which the
 * workers that use the database run.
 */
export const regions = {
  wnam: 'aws:us-west-2',
  enam: 'aws:us-east-1',
  weur: 'aws:eu-central-1',
  eeur: 'gcp:europe-central2',
  apac: 'aws:ap-southeast-1',
  oc: 'aws:ap-southeast-2',
};

export interface DeploySettings {
  /** The ID of the Cloudflare account. */
  account: string;
  /** The names of the workers, the database, queues and buckets begin with it. */
  prefix: string;
  region: keyof typeof regions;
  /** The URL of the API. */
  api: string;
  /** The URL of sites, with `{organization}`. */
  sites: string;
  /** The sender of mails. */
  mail: string;
  /** The email address of the first user. */
  admin: string;
  /** Rate limits that differ from the defaults, as in OCTAVO_RATE_LIMITS. */
  rateLimits: string;
  /** The days after which unused texts are moved to R2, as in OCTAVO_TEXT_DAYS; '' for none. */
  textDays: string;
  /** The name of this installation as a cell behind a directory; '' if it has no directory. */
  cell: string;
  /** The names and prefixes of a directory's cells, as `eu=octavo-eu us=octavo-us`; '' if this is not a directory. */
  cells: string;
  /** Whether the gateway receives all host names of the zone, for sites with their own host names. */
  customHostnames: boolean;
}

/** The pattern of a cell's name. */
const cellName = '[a-z][a-z0-9]{0,15}';
const prefix = '[a-z][a-z0-9-]{1,30}[a-z0-9]';

const host = String.raw`[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}`;
const email = String.raw`[^\s<>@]+@${host}`;

export interface Field {
  name: string;
  question: string;
  pattern: RegExp;
  /** Completes the sentence "The field must be". */
  rule: string;
  isOptional?: boolean;
}

export const fields: Field[] = [
  { name: 'account', question: 'Cloudflare account ID', pattern: /^[0-9a-f]{32}$/, rule: '32 hexadecimal digits' },
  {
    name: 'prefix',
    question: 'Prefix of all names',
    pattern: new RegExp(`^${prefix}$`),
    rule: '3 to 32 lowercase letters, digits and hyphens, such as octavo',
  },
  {
    name: 'region',
    question: `Region of the database (${Object.keys(regions).join(', ')})`,
    pattern: new RegExp(`^(?:${Object.keys(regions).join('|')})$`),
    rule: `one of ${Object.keys(regions).join(', ')}`,
  },
  {
    name: 'api',
    question: 'URL of the API',
    pattern: new RegExp(`^https://${host}$`),
    rule: 'an https URL of a host in your account, without a path',
  },
  {
    name: 'sites',
    question: 'URL of sites, with {organization}',
    pattern: new RegExp(String.raw`^https://(?:\{organization\}\.${host}|${host}/\{organization\})$`),
    rule: 'an https URL such as https://{organization}.docs.your-domain or https://docs.your-domain/{organization}',
  },
  {
    name: 'mail',
    question: 'Sender of mails',
    pattern: new RegExp(`^(?:[^<>@]+ <${email}>|${email})$`),
    rule: 'a sender such as Octavo <docs@your-domain>',
  },
  {
    name: 'admin',
    question: 'Email address of the first user',
    pattern: new RegExp(`^${email}$`),
    rule: 'an email address',
  },
  {
    name: 'rateLimits',
    question: '',
    pattern: /^[a-z0-9=, -]*$/,
    rule: 'limits as in OCTAVO_RATE_LIMITS',
    isOptional: true,
  },
  { name: 'textDays', question: '', pattern: /^\d{1,4}$/, rule: 'a number of days, such as "90"', isOptional: true },
  {
    name: 'cell',
    question: '',
    pattern: new RegExp(`^${cellName}$`),
    rule: '1 to 16 lowercase letters and digits, such as eu',
    isOptional: true,
  },
  {
    name: 'cells',
    question: '',
    pattern: new RegExp(`^${cellName}=${prefix}(?: ${cellName}=${prefix})*$`),
    rule: 'the name and the prefix of each cell, such as eu=octavo-eu us=octavo-us',
    isOptional: true,
  },
];

/** Returns the cells of a directory: the name and the prefix of each. */
export const listCells = ({ cells }: Pick<DeploySettings, 'cells'>): { name: string; prefix: string }[] =>
  cells.split(' ').flatMap((cell) => {
    const [name = '', prefix = ''] = cell.split('=');
    return name === '' ? [] : [{ name, prefix }];
  });

/** Values that examples contain, or that work on one machine only. */
export const placeholder =
  /localhost|127\.0\.0\.1|\.local(?![a-z0-9-])|\bexample\.(?:com|net|org)|\.example(?![a-z0-9-])|(?<![a-z0-9-])your-|<[a-z-]+>$/i;

const isPlaceholder = ({ name }: Field, value: string): boolean =>
  placeholder.test(value) || (name === 'account' && /^0+$/.test(value));

/** Returns why the value of a field is invalid, or undefined if it is valid. */
export function findProblem(field: Field, value: unknown): string | undefined {
  const { pattern, rule } = field;
  if (typeof value !== 'string') return `must be ${rule}`;
  if (isPlaceholder(field, value)) return `is a placeholder or a local address: "${value}". It must be ${rule}`;
  return pattern.test(value) ? undefined : `must be ${rule}, not "${value}"`;
}

function findCellProblem(settings: DeploySettings): string | undefined {
  const cells = listCells(settings);
  if (cells.length > 0 && settings.cell !== '')
    return 'describes a directory, which cannot be a cell itself. Remove "cell"';
  for (const part of ['name', 'prefix'] as const)
    if (new Set(cells.map((cell) => cell[part])).size < cells.length) return `must give each cell a different ${part}`;
  return cells.some(({ prefix }) => prefix === settings.prefix)
    ? `must not contain ${settings.prefix}, the prefix of the directory itself`
    : undefined;
}

/** Checks all fields. `name` is the file, and the section in it, that the message names. */
export function checkSettings(input: Record<string, unknown>, name: string): DeploySettings {
  const refuse = (field: string, problem: string) => new PlatformError(`"${field}" in ${name} ${problem}.`);
  const settingNames = [...fields.map((field) => field.name), 'customHostnames'];
  const unknown = Object.keys(input).find((each) => !settingNames.includes(each));
  if (unknown !== undefined) throw refuse(unknown, `is not a setting. The settings are ${settingNames.join(', ')}`);
  for (const field of fields) {
    if (input[field.name] === undefined && field.isOptional) continue;
    const problem = findProblem(field, input[field.name]);
    if (problem !== undefined) throw refuse(field.name, problem);
  }
  const { customHostnames = false } = input;
  if (typeof customHostnames !== 'boolean') throw refuse('customHostnames', 'must be true or false');
  const settings = { rateLimits: '', textDays: '', cell: '', cells: '', ...input, customHostnames } as DeploySettings;
  const problem = findCellProblem(settings);
  if (problem !== undefined) throw refuse('cells', problem);
  if (new URL(settings.sites).host === new URL(settings.api).host)
    throw refuse('sites', 'must have another host than "api", so that sites do not share its origin');
  try {
    readRateLimits(settings.rateLimits);
  } catch (error) {
    throw refuse('rateLimits', `is invalid: ${error instanceof Error ? error.message : error}`);
  }
  return settings;
}

/**
 * Reads the settings of a file. The settings of an environment are in its section of `environments`, and the other
 * settings of the file also apply to it. The names of an environment's resources begin with a different prefix.
 */
export async function readDeploySettings(file: string, environment?: string): Promise<DeploySettings> {
  const name = path.basename(file);
  const text = await readFile(file, 'utf8').catch(() => {
    throw new PlatformError(`${name} was not found. Create it with: npm run deploy -- --init`);
  });
  const { environments = {}, ...base } = parseObject(text, name);
  if (environment === undefined) return checkSettings(base, name);
  const section = (environments as Record<string, Record<string, unknown>>)[environment];
  if (section === undefined)
    throw new PlatformError(`${name} has no environment "${environment}". Add it to "environments".`);
  const where = `"environments.${environment}" of ${name}`;
  // The section of a directory does not inherit the name of a cell.
  const { cell, ...others } = base;
  const inherited = section.cells === undefined ? base : others;
  const settings = checkSettings({ ...inherited, prefix: `${base.prefix}-${environment}`, ...section }, where);
  // Cells and their directory share their URLs: the directory receives all requests.
  const hasOwnUrls = settings.cell === '' && settings.cells === '';
  for (const field of ['prefix', ...(hasOwnUrls ? (['api', 'sites'] as const) : [])] as const)
    if (settings[field] === base[field])
      throw new PlatformError(`"${field}" in ${where} must differ from that of the first platform.`);
  return settings;
}

function parseObject(text: string, name: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    throw new PlatformError(`${name} is not valid JSON: ${error instanceof Error ? error.message : error}`);
  }
  throw new PlatformError(`${name} must contain a JSON object.`);
}
