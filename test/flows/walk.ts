import { expect } from 'vitest';
import { listFieldsMissingForAnyVersion } from '../clients/official/versions.ts';
import { getEndpoint } from '../support/endpoints.ts';
import { platform } from '../support/platform.ts';
import { specified } from '../support/specified.ts';
import { shapes } from './answers.ts';
import { type BeforeCall, carryOut } from './carried-out.ts';

/** The operations of parts 1 and 2. Part 3 covers sites, OpenAPI specifications and integrations. */
export const partsOneAndTwo = specified.filter(({ domain }) =>
  ['content', 'collaboration', 'org-admin'].includes(domain),
);

export type Ids = Record<string, string>;

interface Call {
  ids?: Ids;
  query?: string;
  body?: unknown;
  /** Token of a user other than the user of the walk. */
  token?: string;
}

export interface Resource {
  id: string;
  [field: string]: unknown;
}

/** Returns every `urls.location` in a response, at any depth. */
function findLocations(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { urls } = value as { urls?: { location?: string } };
  return [...(urls?.location === undefined ? [] : [urls.location]), ...Object.values(value).flatMap(findLocations)];
}

/** Calls operations by ID as one user and checks each response against the specification. */
export class Walk {
  readonly called: string[] = [];
  /** Request IDs of the writes. */
  readonly writes: { id: string; request: string }[] = [];
  readonly #token: string;
  readonly #before: BeforeCall | undefined;
  readonly #visited = new Set<string>();

  constructor(token: string, before?: BeforeCall) {
    this.#token = token;
    this.#before = before;
  }

  async call<Body = Resource>(
    id: string,
    { ids = {}, query = '', body, token = this.#token }: Call = {},
  ): Promise<Body> {
    const operation = specified.find((each) => each.id === id);
    if (operation === undefined) throw new Error(`The specification has no operation ${id}.`);
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? `no-${name}`);
    const sending = { id, endpoint: getEndpoint(id), path: `${path}${query}` };
    await this.#before?.(sending, { token, method: operation.method, body });
    const { answer, text: sent } = await carryOut(sending, { token, method: operation.method, body });
    expect([id, answer.status]).toEqual([id, operation.success]);
    this.called.push(id);
    if (operation.method !== 'GET') this.writes.push({ id, request: answer.headers.get('octavo-request-id') ?? '' });
    if (operation.response === 'none') {
      expect([id, sent]).toEqual([id, '']);
      return undefined as Body;
    }
    const shape = shapes[operation.response];
    if (shape === undefined) throw new Error(`The shape ${operation.response} is not written down here.`);
    const sentBody: unknown = JSON.parse(sent);
    expect([id, shape(sentBody, 'answer')]).toEqual([id, []]);
    expect([id, listFieldsMissingForAnyVersion(id, sentBody)]).toEqual([id, []]);
    if (operation.success === 201) await this.#follow(id, answer.headers.get('location'), token);
    for (const location of new Set(findLocations(sentBody))) await this.#follow(id, location, token);
    return sentBody as Body;
  }

  /** Checks that a location from a response is a URL of the API and can be read. */
  async #follow(id: string, location: string | null, token: string): Promise<void> {
    expect([id, location]).toEqual([id, expect.stringContaining(platform().url)]);
    if (location === null || this.#visited.has(location)) return;
    this.#visited.add(location);
    expect([id, location, (await platform().request(location, { token })).status]).toEqual([id, location, 200]);
  }
}
