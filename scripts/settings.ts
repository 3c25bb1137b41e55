import { isIPv4 } from 'node:net';
import path from 'node:path';
import { type DiskLimits, defaultDiskLimits, PlatformError } from '@octavo/platform';
import { readRateLimits } from '@octavo/schema';

export const root = path.dirname(import.meta.dirname);
export const outDir = path.join(root, 'build');

export interface Settings {
  port: number;
  /** The IP address to listen on. */
  host: string;
  dataDir: string;
  /** Variables of every worker. */
  vars: Record<string, string>;
  /** The key with which tests get data and rights that clients do not have. */
  testKey: string | undefined;
  /**
   * The arrangement of the workers (OCTAVO_SHAPE): all in one isolate (`machine`, the default), or in separate ones.
   */
  shape: 'machine' | 'workers';
  /** The time after which a process that does not respond is restarted. */
  patienceSeconds: number;
  disk: DiskLimits;
  /** The SMTP server that sends mails; undefined if they are written to files. */
  smtpUrl: string | undefined;
  /** The folder with the files that show the supervisor that this process is alive; undefined without a supervisor. */
  supervisorFolder: string | undefined;
  /** The reason why the supervisor restarted this process; undefined if it did not. */
  restartReason: string | undefined;
}

const switches = ['OCTAVO_IMPORT_ALLOW_PRIVATE'];

/**
 * Reads the settings from the environment: PORT (8787), OCTAVO_DATA (.octavo in the workspace), and the switches for
 * tests.
 */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const port = env.PORT || '8787';
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65535)
    throw new PlatformError(`PORT must be a port number from 0 to 65535, not "${port}".`);
  const patienceSeconds = env.OCTAVO_PATIENCE_SECONDS || '60';
  if (!/^[1-9]\d{0,4}$/.test(patienceSeconds))
    throw new PlatformError(
      `OCTAVO_PATIENCE_SECONDS must be a number of seconds from 1 to 99999, not "${patienceSeconds}".`,
    );
  const dataDir = path.resolve(env.OCTAVO_DATA || path.join(root, '.octavo'));
  const vars = Object.fromEntries(switches.flatMap((name) => (env[name] === '1' ? [[name, '1']] : [])));
  const header = env.OCTAVO_CLIENT_ADDRESS_HEADER;
  if (header && !/^[\w!#$%&'*+.^`|~-]+$/.test(header))
    throw new PlatformError(`OCTAVO_CLIENT_ADDRESS_HEADER must be the name of a header, not "${header}".`);
  if (header) vars.OCTAVO_CLIENT_ADDRESS_HEADER = header;
  if (env.OCTAVO_PUBLIC_URL) vars.OCTAVO_PUBLIC_URL = checkPublicUrl(env.OCTAVO_PUBLIC_URL);
  if (env.OCTAVO_SITES_URL) vars.OCTAVO_SITES_URL = checkSitesUrl(env.OCTAVO_SITES_URL);
  for (const name of ['OCTAVO_METRICS_TOKEN', 'OCTAVO_DIRECTORY_KEY'] as const)
    if (env[name]) vars[name] = checkToken(name, env[name]);
  if (env.OCTAVO_MAIL_FROM) vars.OCTAVO_MAIL_FROM = env.OCTAVO_MAIL_FROM;
  if (env.OCTAVO_SITE_MAX_AGE) vars.OCTAVO_SITE_MAX_AGE = checkSeconds(env.OCTAVO_SITE_MAX_AGE);
  if (env.OCTAVO_TEXT_DAYS) vars.OCTAVO_TEXT_DAYS = checkDays(env.OCTAVO_TEXT_DAYS);
  if (env.OCTAVO_RATE_LIMITS) vars.OCTAVO_RATE_LIMITS = checkRateLimits(env.OCTAVO_RATE_LIMITS);
  return {
    port: Number(port),
    host: checkHost(env.OCTAVO_HOST),
    dataDir,
    vars,
    testKey: env.OCTAVO_TEST_KEY || undefined,
    shape: readShape(env.OCTAVO_SHAPE),
    patienceSeconds: Number(patienceSeconds),
    disk: {
      warningMegabytes: readMegabytes('OCTAVO_DISK_WARNING_MB', env, defaultDiskLimits.warningMegabytes),
      reserveMegabytes: readMegabytes('OCTAVO_DISK_RESERVE_MB', env, defaultDiskLimits.reserveMegabytes),
    },
    smtpUrl: checkSmtpUrl(env),
    supervisorFolder: env.OCTAVO_WATCH,
    restartReason: env.OCTAVO_RESTARTED,
  };
}

/** @throws PlatformError if the address is not the URL of an SMTP server, or the sender is missing */
function checkSmtpUrl({ OCTAVO_SMTP_URL: address, OCTAVO_MAIL_FROM: sender }: NodeJS.ProcessEnv): string | undefined {
  if (!address) return undefined;
  // The URL can contain a password, so the message does not repeat it.
  if (!/^smtps?:$/.test(URL.parse(address)?.protocol ?? '') || !URL.parse(address)?.hostname)
    throw new PlatformError('OCTAVO_SMTP_URL must be a URL such as smtps://user:password@mail.example.com.');
  if (!sender)
    throw new PlatformError('Set OCTAVO_MAIL_FROM to the sender of mails, such as "Octavo <docs@example.com>".');
  return address;
}

/** @throws PlatformError if the token can be guessed, or cannot be sent in a header */
function checkToken(name: string, token: string): string {
  if (/^[\x21-\x7e]{16,256}$/.test(token)) return token;
  throw new PlatformError(`${name} must have 16 to 256 characters, without spaces.`);
}

/** @throws PlatformError if the setting is not an IPv4 address */
function checkHost(setting: string | undefined): string {
  const host = setting || '127.0.0.1';
  if (isIPv4(host)) return host;
  throw new PlatformError(`OCTAVO_HOST must be an IPv4 address, such as 127.0.0.1 or 0.0.0.0, not "${host}".`);
}

function readMegabytes(name: string, env: NodeJS.ProcessEnv, byDefault: number): number {
  const setting = env[name] || String(byDefault);
  if (/^\d{1,9}$/.test(setting)) return Number(setting);
  throw new PlatformError(`${name} must be a number of megabytes, not "${setting}".`);
}

/** @throws PlatformError if the address is not the URL of a server without a path */
function checkPublicUrl(address: string): string {
  const url = URL.parse(address);
  if (url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  throw new PlatformError(
    `OCTAVO_PUBLIC_URL must be a URL without a path, such as https://octavo.example.com, not "${address}".`,
  );
}

/** @throws PlatformError if the template is not a URL, or has no placeholder for the organization */
function checkSitesUrl(template: string): string {
  const isAddress =
    /^https?:\/\/[^/\s]+[^\s?#]*$/.test(template) && URL.canParse(template.replace('{organization}', 'x'));
  if (isAddress && template.split('{organization}').length === 2) return template;
  throw new PlatformError(`OCTAVO_SITES_URL must be a URL that contains {organization} once, not "${template}".`);
}

/** Returns the arrangement of the workers (OCTAVO_SHAPE). */
export function readShape(setting: string | undefined): Settings['shape'] {
  const shape = setting || 'machine';
  if (shape === 'machine' || shape === 'workers') return shape;
  throw new PlatformError(`OCTAVO_SHAPE must be "machine" or "workers", not "${shape}".`);
}

function checkSeconds(setting: string): string {
  if (/^\d{1,3}$/.test(setting)) return setting;
  throw new PlatformError(`OCTAVO_SITE_MAX_AGE must be a number of seconds from 0 to 999, not "${setting}".`);
}

function checkDays(setting: string): string {
  if (/^\d{1,4}$/.test(setting)) return setting;
  throw new PlatformError(`OCTAVO_TEXT_DAYS must be a number of days from 0 to 9999, not "${setting}".`);
}

function checkRateLimits(setting: string): string {
  try {
    readRateLimits(setting);
  } catch (error) {
    throw new PlatformError(`OCTAVO_RATE_LIMITS: ${error instanceof Error ? error.message : error}`);
  }
  return setting;
}
