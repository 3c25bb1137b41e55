const longestCallMilliseconds = 10_000;

/** An error response of the API, with its message and status. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** An API client with one token. It does not retry: the platform sends the event again when its handler fails. */
export interface IntegrationApi {
  get<Resource>(path: string, query?: Record<string, string>): Promise<Resource>;
  send<Resource>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Resource>;
}

/** Builds a path below `/v1` with encoded parameters, for example at`/spaces/${space}/content`. */
export function at(texts: TemplateStringsArray, ...parameters: string[]): string {
  return texts.reduce((path, text, index) => `${path}${encodeParameter(parameters[index - 1] ?? '')}${text}`);
}

// URL parsers remove `.` and `..` from a path even when they are percent-encoded.
function encodeParameter(parameter: string): string {
  if (/^\.{0,2}$/.test(parameter)) throw new TypeError(`A path parameter must not be "${parameter}".`);
  return encodeURIComponent(parameter);
}

interface Caller {
  endpoint: string;
  token: string;
  userAgent: string;
}

/** Returns an API client for one token, which reads its own writes. */
export function connectApi({ endpoint, token, userAgent }: Caller): IntegrationApi {
  let bookmark: string | null = null;

  async function call<Resource>(method: string, address: string, body?: unknown): Promise<Resource> {
    const headers = new Headers({ authorization: `Bearer ${token}`, 'user-agent': userAgent });
    if (bookmark !== null) headers.set('octavo-bookmark', bookmark);
    if (body !== undefined) headers.set('content-type', 'application/json');
    const signal = AbortSignal.timeout(longestCallMilliseconds);
    const init = { method, headers, signal, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(`${endpoint.replace(/\/+$/, '')}/v1${address}`, init);
    bookmark = response.headers.get('octavo-bookmark') ?? bookmark;
    return readResponse<Resource>(response, `${method} ${address}`);
  }

  return {
    get: (path, query = {}) => {
      const search = new URLSearchParams(query);
      return call('GET', search.size > 0 ? `${path}?${search}` : path);
    },
    send: (method, path, body) => call(method, path, body),
  };
}

async function readResponse<Resource>(response: Response, request: string): Promise<Resource> {
  const text = await response.text();
  const value: unknown = text === '' ? undefined : parseJson(text);
  if (response.ok) return value as Resource;
  const errorMessage = (value as { error?: { message?: string } } | undefined)?.error?.message;
  throw new ApiRefusal(`${request} returned ${response.status}: ${errorMessage ?? 'no reason given'}`, response.status);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
