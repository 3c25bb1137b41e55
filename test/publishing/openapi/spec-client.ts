import { expect, vi } from 'vitest';
import type { RequestOptions, Server, TestOrganization } from '../../support/platform.ts';

export interface Spec {
  id: string;
  slug: string;
  createdAt: string;
  updatedAt: string;
  sourceURL?: string;
  processingState: string;
  visibility: string;
  lastVersion?: string;
  lastProcessedAt?: string;
  lastProcessErrorCode?: string;
  lastProcessErrorMessage?: string;
  permissions: { view: boolean; edit: boolean };
  urls: { location: string; app: string; published?: string };
}

export interface Content {
  filesystem: {
    isEntrypoint: boolean;
    specification: Record<string, unknown>;
    filename: string;
    dir: string;
    references: unknown[];
  }[];
  url: string;
  urls: { source: string; public: string | null };
}

export interface Version {
  id: string;
  url: string;
  urls: { location: string };
}

export type Source = { url: string } | { text: string };

interface Result<Body> {
  status: number;
  body: Body;
}

const waitMilliseconds = 60_000;

/** A client for the specifications of an organization. It uses the admin's token by default. */
export function getSpecs(server: Server, { id, token }: Pick<TestOrganization, 'id' | 'token'>) {
  const base = `/v1/orgs/${id}/openapi`;

  const send = (path: string, options: RequestOptions = {}) => server.request(`${base}${path}`, { token, ...options });

  async function call<Body>(path: string, options: RequestOptions = {}): Promise<Result<Body>> {
    const response = await send(path, options);
    const text = await response.text();
    return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as Body };
  }

  async function callJson<Body>(path: string, options: RequestOptions = {}): Promise<Body> {
    const { status, body } = await call<Body>(path, options);
    expect([path, status, status < 300 ? '' : body]).toEqual([path, expect.toSatisfy((code) => code < 300), '']);
    return body;
  }

  const get = (slug: string) => callJson<Spec>(`/${slug}`);
  const put = (slug: string, source: Source) => callJson<Spec>(`/${slug}`, { method: 'PUT', body: { source } });

  /** Waits until the specification is processed, and returns it. */
  async function read(slug: string): Promise<Spec> {
    return vi.waitFor(
      async () => {
        const spec = await get(slug);
        expect(spec.processingState).toBe('complete');
        return spec;
      },
      { timeout: waitMilliseconds, interval: 50 },
    );
  }

  return {
    base,
    send,
    call,
    callJson,
    get,
    put,
    read,
    /** Sets the source of a specification and waits until it is processed. */
    async publish(slug: string, source: Source): Promise<Spec> {
      await put(slug, source);
      return read(slug);
    },
    content: (slug: string) => callJson<Content>(`/${slug}/versions/latest/content`),
    versions: async (slug: string) => (await callJson<{ items: Version[] }>(`/${slug}/versions?limit=1000`)).items,
  };
}

export type SpecClient = ReturnType<typeof getSpecs>;

/** A small valid document. `more` replaces some of its fields. */
export const createPetstoreSpec = (more: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1.0.0' },
  tags: [{ name: 'Pets', description: 'All about pets' }],
  paths: {
    '/pets': {
      get: {
        operationId: 'listPets',
        tags: ['Pets'],
        summary: 'List all pets',
        responses: { 200: { description: 'ok' } },
      },
    },
  },
  ...more,
});

export const getText = (document: object): { text: string } => ({ text: JSON.stringify(document) });
