import type { ValueSchema } from '@octavo/schema';
import { findProblem } from '@octavo/schema';
import { platform } from '../support/platform.ts';
import { getFields } from '../support/schemas.ts';
import type { BeforeCall } from './carried-out.ts';

type Fields = Record<string, unknown>;

/** Returns copies of a body in which one field of the schema is null, at the top level or one level below. */
function listBodiesWithNull(schema: ValueSchema<unknown>, body: Fields): Fields[] {
  return Object.entries(getFields(schema)).flatMap(([name, field]) => [
    { ...body, [name]: null },
    ...listBodiesWithNull(field, {}).map((inner) => ({
      ...body,
      [name]: { ...(body[name] as Fields | undefined), ...inner },
    })),
  ]);
}

/**
 * Returns a function that repeats each write of a walk with null in each field for which the contract accepts it, and
 * deletes what it created. Server errors are added to `faults`. Invitations are omitted, because they cannot be
 * repeated.
 */
export function sendNulls(faults: unknown[]): BeforeCall {
  return async ({ id, endpoint, path }, { body, ...options }) => {
    const schema = endpoint.body as ValueSchema<unknown> | undefined;
    if (schema === undefined || id === 'inviteUsersToOrganization') return;
    for (const variant of listBodiesWithNull(schema, { ...(body as Fields | undefined) })) {
      if (findProblem(schema, variant) !== undefined) continue;
      const response = await platform().request(path, { ...options, body: variant });
      const text = await response.text();
      const location = response.headers.get('location');
      if (location !== null) await platform().request(location, { ...options, method: 'DELETE' });
      if (response.status >= 500) faults.push([id, variant, response.status, text]);
    }
  };
}
