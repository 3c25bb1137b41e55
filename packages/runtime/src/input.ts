import type { Endpoint, Issue } from '@octavo/schema';
import { invalid } from '@octavo/schema';
import type * as z from 'zod';
import { defaultMaxBodyBytes, readBody } from './request.ts';

const maxIssues = 20;

const issuesOf = (error: z.ZodError, place: string): Issue[] =>
  error.issues
    .slice(0, maxIssues)
    .flatMap((issue) => readable(issue, [place]))
    .slice(0, maxIssues);

/** Of a value that fits none of several forms, the faults in the form that it comes nearest to: few, and deep inside. */
function readable(issue: z.core.$ZodIssue, above: string[]): Issue[] {
  const path = [...above, ...issue.path.map(String)];
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: [...path, key].join('.'), message: 'is no field that is known here' }));
  const depth = (issues: z.core.$ZodIssue[]) => Math.max(...issues.map((each) => each.path.length));
  const forms = issue.code === 'invalid_union' ? issue.errors.filter((issues) => issues.length > 0) : [];
  const [nearest] = forms.sort((one, other) => depth(other) - depth(one) || one.length - other.length);
  return nearest?.flatMap((each) => readable(each, path)) ?? [{ path: path.join('.'), message: issue.message }];
}

function parse(schema: z.ZodType, value: unknown, place: string): unknown {
  const result = schema.safeParse(value);
  if (!result.success) throw invalid(issuesOf(result.error, place));
  return result.data;
}

interface ReadInput {
  query: unknown;
  body: unknown;
  /** The body as it was sent. */
  bytes: Uint8Array<ArrayBuffer>;
}

/** The query and the body of a request, as the contract has them. @throws ApiError invalid, too_large, ... */
export async function readInput(endpoint: Endpoint, request: Request, url: URL): Promise<ReadInput> {
  const query = endpoint.query === undefined ? {} : parse(endpoint.query, queryOf(url), 'query');
  if (endpoint.method === 'GET') return { query, body: undefined, bytes: new Uint8Array() };
  const { bytes, value } = await readBody(request, endpoint.maxBodyBytes ?? defaultMaxBodyBytes);
  const body = endpoint.body === undefined ? undefined : parse(endpoint.body, value, 'body');
  return { query, body, bytes };
}

/** A name that occurs once is a string, one that is repeated an array. */
function queryOf({ search: text, searchParams: search }: URL): Record<string, string | string[]> {
  if (text === '') return {};
  return Object.fromEntries(
    [...new Set(search.keys())].map((key) => {
      const values = search.getAll(key);
      return [key, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}

/** The path's parameters, URL-decoded, or undefined where one cannot be the id of anything. */
export function readParams(endpoint: Endpoint, raw: Record<string, string>): Record<string, string> | undefined {
  try {
    const decoded = Object.fromEntries(Object.entries(raw).map(([key, value]) => [key, decodeURIComponent(value)]));
    if (endpoint.params === undefined) return {};
    return endpoint.params.safeParse(decoded).data as Record<string, string> | undefined;
  } catch {
    return undefined;
  }
}
