import type { Server, TestSpace } from '../support/platform.ts';

export interface TestFile {
  object: 'file';
  id: string;
  name: string;
  contentType: string;
  downloadURL: string;
  size: number;
  dimensions?: { width: number; height: number };
  git?: { oid: string; path: string };
}

/** The fields of a page that these tests read. */
export interface TreePage {
  id: string;
  type: string;
  title: string;
  slug?: string;
  path?: string;
  documentId?: string;
  markdown?: string;
  description?: string;
  condition?: string;
  emoji?: string;
  hidden?: boolean;
  noIndex?: boolean;
  href?: string;
  pages?: TreePage[];
}

export interface Conflict {
  kind: string;
  id: string;
  title?: string;
  field: string;
  message: string;
}

export interface Outcome {
  revision: string;
  result: 'merge' | 'update' | 'conflicts';
  conflicts?: Conflict[];
}

export interface Cost {
  trips: number;
  /** The round trips of the longest chain; parallel ones count once. */
  sequentialTrips: number;
  read: number;
  written: number;
}

/** The status and body of a response, and the database cost of the request. */
export interface Result<Body> {
  status: number;
  body: Body;
  cost: Cost;
}

export interface ApiFailure {
  error: {
    code: number;
    message: string;
    type: string;
    issues?: { path: string; message: string }[];
    conflicts?: Conflict[];
  };
}

interface Touched {
  object: string;
  page: string | { id: string };
  ref?: string;
  reusableContent?: string;
  file?: string;
}

export interface LiveEdit {
  revision: string;
  changes: Touched[];
  insertedFiles?: TestFile[];
  warnings?: { path: string; message: string }[];
}

export type Change = { operation: string; [key: string]: unknown };

/** Returns the IDs of the created pages, in order. */
export const listCreatedPages = (changes: Touched[]): string[] =>
  changes.flatMap(({ object, page }) => (object === 'created_page' && typeof page === 'object' ? [page.id] : []));

/** Returns the cost in the database from the `Server-Timing` header. */
export const getCost = (response: Response): Cost => {
  const readMetric = (name: string) =>
    Number(new RegExp(`${name};desc="(\\d+)"`).exec(response.headers.get('server-timing') ?? '')?.[1]);
  return {
    trips: readMetric('d1-trips'),
    sequentialTrips: readMetric('d1-sequential-trips'),
    read: readMetric('d1-rows-read'),
    written: readMetric('d1-rows-written'),
  };
};

/**
 * Returns a client for the content of one space. `branch` is the ID of a change request, or undefined for live content.
 */
export function getClient(server: Pick<Server, 'request'>, { id: space, token }: Pick<TestSpace, 'id' | 'token'>) {
  async function call<Body>(path: string, options: { method?: string; body?: unknown } = {}): Promise<Result<Body>> {
    const response = await server.request(`/v1/spaces/${space}${path}`, { token, ...options });
    return { status: response.status, body: (await response.json()) as Body, cost: getCost(response) };
  }

  async function callJson<Body>(path: string, options: { method?: string; body?: unknown } = {}): Promise<Body> {
    const { status, body } = await call<Body>(path, options);
    if (status >= 300) throw new Error(`${path} returned ${status} ${JSON.stringify(body)}`);
    return body;
  }

  const getBranchPath = (branch: string | undefined) => (branch === undefined ? '' : `/change-requests/${branch}`);
  const post = (body: unknown = {}) => ({ method: 'POST', body });

  return {
    space,
    call,
    callJson,
    /** With `base`, the edit is rejected if the branch has a newer revision. */
    edit: (changes: Change[], branch?: string, base?: { revision: string }) =>
      call<LiveEdit & ApiFailure>(`${getBranchPath(branch)}/content?compat=false`, post({ changes, ...base })),
    /** Returns the IDs of the created pages. Throws if the edit fails. */
    async change(changes: Change[], branch?: string): Promise<string[]> {
      return listCreatedPages(
        (await callJson<LiveEdit>(`${getBranchPath(branch)}/content?compat=false`, post({ changes }))).changes,
      );
    },
    open: async (): Promise<string> =>
      (await callJson<{ id: string }>('/change-requests', post({ subject: 'A change' }))).id,
    merge: (branch: string) => call<Outcome & ApiFailure>(`${getBranchPath(branch)}/merge`, post()),
    update: (branch: string) => call<Outcome & ApiFailure>(`${getBranchPath(branch)}/update`, post()),
    /** Returns the unresolved conflicts. */
    undecided: async (branch: string): Promise<Conflict[]> =>
      (await callJson<{ conflicts?: Conflict[] }>(`/change-requests/${branch}/changes`)).conflicts ?? [],
    pages: async (branch?: string): Promise<TreePage[]> =>
      (await callJson<{ pages: TreePage[] }>(`${getBranchPath(branch)}/content/pages`)).pages,
    page: (id: string, branch?: string) => callJson<TreePage>(`${getBranchPath(branch)}/content/page/${id}`),
    head: (branch?: string) =>
      callJson<{
        id: string;
        parents: string[];
        variables: Record<string, unknown>;
        reusableContents: { id: string; title: string }[];
      }>(`${getBranchPath(branch)}/content`),
    revision: (id: string) =>
      callJson<{ id: string; parents: string[]; type: string; pages: TreePage[] }>(`/revisions/${id}`),
  };
}

export type SpaceClient = ReturnType<typeof getClient>;

/** Returns all pages of a tree, depth first. */
export const flatten = (pages: TreePage[]): TreePage[] => pages.flatMap((page) => [page, ...flatten(page.pages ?? [])]);

/** Returns a change that inserts a page with its title as text. */
export const insertPage = (title: string, more: object = {}) => ({
  operation: 'insert_page',
  title,
  document: { markdown: `${title}\n` },
  ...more,
});

/** Returns a change that replaces a page's text. */
export const writePage = (page: string, markdown: string) => ({
  operation: 'update_page',
  page,
  document: { markdown },
});
