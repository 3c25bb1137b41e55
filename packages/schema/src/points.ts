import * as z from 'zod';
import type { Access, Endpoint } from './endpoint.ts';
import { Id } from './ids.ts';

const points = {
  live: {
    path: '/v1/spaces/:spaceId',
    params: z.object({ spaceId: Id }),
    access: { space: 'view' },
  },
  changeRequest: {
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId',
    params: z.object({ spaceId: Id, changeRequestId: Id }),
    access: { space: 'access' },
  },
  revision: {
    path: '/v1/spaces/:spaceId/revisions/:revisionId',
    params: z.object({ spaceId: Id, revisionId: Id }),
    access: { space: 'view' },
  },
} as const;

type Points = typeof points;

/** The state from which content is read: the live content, a change request, or a revision. */
type Point = keyof Points;

/** The endpoint of an operation at one point, with its own summary, query, body and errors. */
type EndpointAtPoint = Pick<Endpoint, 'summary'> &
  Partial<Pick<Endpoint, 'query' | 'body' | 'errors'>> & { id: string };

/**
 * An operation at several points. `path` is appended to the path of the point. For a revision, the `/content` prefix of
 * `path` is removed first.
 */
type PointOperation = Omit<Endpoint, 'operation' | 'params' | 'access' | 'summary'> & {
  at: Partial<Record<Point, EndpointAtPoint>>;
  params?: z.ZodObject;
  /** The access, if it differs from the default of the point. */
  access?: Access;
};

type PathAtPoint<P extends Point, Path extends string> = P extends 'revision'
  ? Path extends `/content${infer Rest}`
    ? `${Points[P]['path']}${Rest}`
    : `${Points[P]['path']}${Path}`
  : `${Points[P]['path']}${Path}`;

type Shape<Params> = Params extends z.ZodObject<infer S> ? S : Record<never, never>;

type EndpointAt<Name, E extends PointOperation, P extends Point> = Omit<
  E,
  'at' | 'path' | 'params' | 'access' | keyof E['at'][P]
> &
  Omit<NonNullable<E['at'][P]>, 'id'> & {
    operation: Name;
    path: PathAtPoint<P, E['path']>;
    params: z.ZodObject<Points[P]['params']['shape'] & Shape<E['params']>>;
    access: E extends { access: infer A } ? A : Points[P]['access'];
  };

type Entry<T extends Record<string, PointOperation>> = {
  [Name in keyof T]: {
    [P in keyof T[Name]['at'] & Point]: T[Name]['at'][P] extends { id: infer K extends string }
      ? { name: Name; point: P; id: K }
      : never;
  }[keyof T[Name]['at'] & Point];
}[keyof T];

type AtEveryPoint<T extends Record<string, PointOperation>> = {
  [E in Entry<T> as E['id']]: EndpointAt<E['name'], T[E['name']], E['point']>;
};

/**
 * Returns the endpoints of operations that exist at several points of a space's content. Each entry of `at` is a
 * separate endpoint; one handler, named after the operation, serves all of them.
 */
export function createPointEndpoints<const T extends Record<string, PointOperation>>(operations: T): AtEveryPoint<T>;
export function createPointEndpoints(operations: Record<string, PointOperation>): object {
  const endpoints: Record<string, Endpoint> = {};
  for (const point of ['live', 'changeRequest', 'revision'] as const) {
    for (const [operation, pointOperation] of Object.entries(operations)) {
      const pointAccess = pointOperation.at[point];
      if (pointAccess !== undefined)
        endpoints[pointAccess.id] = createEndpoint(point, pointAccess, { operation, pointOperation });
    }
  }
  return endpoints;
}

function createEndpoint(
  point: Point,
  { id: _, ...ownFields }: EndpointAtPoint,
  { operation, pointOperation: { at, path, params, ...common } }: { operation: string; pointOperation: PointOperation },
): Endpoint {
  const { path: prefix, params: pointParams, access } = points[point];
  return {
    access,
    ...common,
    ...ownFields,
    operation,
    path: `${prefix}${point === 'revision' ? path.replace(/^\/content/, '') : path}`,
    params: params === undefined ? pointParams : pointParams.extend(params.shape),
  };
}
