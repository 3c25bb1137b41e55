/** A call of the API, as the fake records it. */
export interface Call {
  method: string;
  /** The path without the account, and with names instead of random ids. */
  path: string;
  isWrite: boolean;
}

export interface Received {
  method: string;
  url: URL;
  body: Uint8Array;
  contentType: string;
  authorization: string;
}

export interface ApiResponse {
  status: number;
  body: unknown;
}

export class Refusal extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Thrown to close the connection without a response, as if the client was killed. */
export class Killed extends Error {}

export const accountId = '0123456789abcdef0123456789abcdef';
export const zones = [
  { id: 'zone-of-acme-dev', name: 'acme.dev' },
  { id: 'zone-of-acme-app', name: 'acme.app' },
];

export type Handler = (request: Received, ...names: string[]) => unknown | Promise<unknown>;

/** A method, the pattern of a path, and the function that responds. */
export type Route = [string, RegExp, Handler];

export function requireFound<Value>(value: Value | undefined, code: number, name: string): Value {
  if (value === undefined) throw new Refusal(404, code, `This ${name} does not exist on your account.`);
  return value;
}

export const readJson = <Value>({ body }: Received): Value => JSON.parse(Buffer.from(body).toString()) as Value;
