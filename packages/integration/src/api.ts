const longestCallMilliseconds = 10_000;

/** A refusal of the API: its sentence, and the status. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** The API as one token may use it. A call is made once: what failed is told by who sent the event that asked for it. */
export interface IntegrationApi {
  get<Answer>(path: string, query?: Record<string, string>): Promise<Answer>;
  send<Answer>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Answer>;
}

/** A path below `/v1` with its parameters encoded, as in at`/spaces/${space}/content`. */
export function at(texts: TemplateStringsArray, ...parameters: string[]): string {
  return texts.reduce((path, text, index) => `${path}${encoded(parameters[index - 1] ?? '')}${text}`);
}

// A parser of addresses takes `.` and `..` out of a path also where they are encoded.
function encoded(parameter: string): string {
  if (/^\.{0,2}$/.test(parameter)) throw new TypeError(`A parameter of a path must not be "${parameter}".`);
  return encodeURIComponent(parameter);
}

interface Caller {
  endpoint: string;
  token: string;
  userAgent: string;
}

/** Calls the API with one token, and reads what it has written itself. */
export function connectApi({ endpoint, token, userAgent }: Caller): IntegrationApi {
  let bookmark: string | null = null;

  async function call<Answer>(method: string, address: string, body?: unknown): Promise<Answer> {
    const headers = new Headers({ authorization: `Bearer ${token}`, 'user-agent': userAgent });
    if (bookmark !== null) headers.set('octavo-bookmark', bookmark);
    if (body !== undefined) headers.set('content-type', 'application/json');
    const signal = AbortSignal.timeout(longestCallMilliseconds);
    const init = { method, headers, signal, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(`${endpoint.replace(/\/+$/, '')}/v1${address}`, init);
    bookmark = response.headers.get('octavo-bookmark') ?? bookmark;
    return read<Answer>(response, `${method} ${address}`);
  }

  return {
    get: (path, query = {}) => {
      const search = new URLSearchParams(query);
      return call('GET', search.size > 0 ? `${path}?${search}` : path);
    },
    send: (method, path, body) => call(method, path, body),
  };
}

async function read<Answer>(response: Response, asked: string): Promise<Answer> {
  const text = await response.text();
  const value: unknown = text === '' ? undefined : parsed(text);
  if (response.ok) return value as Answer;
  const told = (value as { error?: { message?: string } } | undefined)?.error?.message;
  throw new ApiRefusal(`${asked} was answered with ${response.status}: ${told ?? 'no reason'}`, response.status);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
