import { PlatformError } from '@octavo/platform';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface Envelope {
  success: boolean;
  result: unknown;
  errors?: { code: number; message: string }[];
  result_info?: { per_page?: number; total_count?: number };
}

/** The permission of an API token that each path requires. */
const permissions: [RegExp, string][] = [
  [/\/d1\//, 'D1: Edit (account)'],
  [/\/queues/, 'Queues: Edit (account)'],
  [/\/r2\//, 'Workers R2 Storage: Edit (account)'],
  [/\/dns_records/, 'DNS: Read (zone)'],
  [/\/certificate_packs/, 'SSL and Certificates: Read (zone)'],
  [/\/zones\/.*\/workers/, 'Workers Routes: Edit (zone)'],
  [/^\/zones/, 'Zone: Read (zone)'],
  [/\/workers\//, 'Workers Scripts: Edit (account)'],
];

/**
 * Returns the reason why a request failed. The error of `fetch` has the reason as its cause; its own message only says
 * that the request failed.
 */
export function getReason(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}

/** The error for a request that Cloudflare's API rejected. */
export class CallError extends PlatformError {
  readonly status: number;
  readonly codes: number[];

  constructor(call: string, path: string, status: number, errors: { code: number; message: string }[]) {
    const reasons = errors.map(({ code, message }) => `${message} [code ${code}]`).join('; ') || 'no reason was given';
    const permission = permissions.find(([pattern]) => pattern.test(path))?.[1];
    const hint =
      permission !== undefined && (status === 401 || status === 403)
        ? ` Check CLOUDFLARE_API_TOKEN. The token needs the permission "${permission}".`
        : '';
    super(`Cloudflare refused ${call} with status ${status}: ${reasons}.${hint}`);
    this.status = status;
    this.codes = errors.map(({ code }) => code);
  }
}

interface ApiOptions {
  token: string;
  baseUrl?: string | undefined;
  fetch?: typeof fetch;
}

/** Cloudflare's API. Paths are relative to its base URL. */
export class CloudflareApi {
  readonly #options: Required<ApiOptions>;

  constructor({ token, baseUrl, fetch = globalThis.fetch }: ApiOptions) {
    this.#options = { token, baseUrl: baseUrl || 'https://api.cloudflare.com/client/v4', fetch };
  }

  async #call(method: Method, path: string, body?: unknown): Promise<Envelope> {
    const { token, baseUrl, fetch } = this.#options;
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw new PlatformError(`Cloudflare's API could not be reached (${method} ${path}): ${getReason(error)}`);
    });
    const envelope = (await response.json().catch(() => ({ success: false, result: null }))) as Envelope;
    if (response.ok && envelope.success) return envelope;
    throw new CallError(`${method} ${path}`, path, response.status, envelope.errors ?? []);
  }

  async get<Result>(path: string): Promise<Result> {
    return (await this.#call('GET', path)).result as Result;
  }

  /** Returns undefined if the object does not exist. */
  async find<Result>(path: string): Promise<Result | undefined> {
    try {
      return await this.get<Result>(path);
    } catch (error) {
      if (error instanceof CallError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** Returns the items of all pages of a list. An empty page is the last one, whatever the reported count is. */
  async list<Item>(path: string): Promise<Item[]> {
    const items: Item[] = [];
    for (let page = 1; ; page += 1) {
      const { result, result_info: info } = await this.#call(
        'GET',
        `${path}${path.includes('?') ? '&' : '?'}page=${page}`,
      );
      const added = result as Item[];
      items.push(...added);
      if (added.length === 0 || page * (info?.per_page ?? 0) >= (info?.total_count ?? 0)) return items;
    }
  }

  async send<Result>(method: Exclude<Method, 'GET'>, path: string, body: unknown): Promise<Result> {
    return (await this.#call(method, path, body)).result as Result;
  }
}
