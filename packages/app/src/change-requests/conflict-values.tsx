import type { MergeConflict } from '@octavo/schema';
import type { VNode } from 'preact';
import { ApiRequestError, get } from '../api.ts';
import { type LoadOptions, useLoaded } from '../use-api.ts';
import type { OpenedChangeRequest } from './use-change-request.ts';

type Fields = Record<string, unknown>;

/** The resource of each kind in the content API. Variables are fields of the content itself. */
const resources: Record<MergeConflict['kind'], string> = {
  page: 'page',
  file: 'files',
  'reusable-content': 'reusable-contents',
  variable: '',
};

/** Reads one side; undefined if the side deleted the page or file. */
async function readSide(path: string, { kind, id }: MergeConflict, options: LoadOptions): Promise<Fields | undefined> {
  const item = kind === 'variable' ? '' : `/${resources[kind]}/${id}`;
  try {
    const fields = await get<Fields>(`${path}/content${item}`, {}, options);
    return kind === 'variable' ? { value: (fields.variables as Fields | undefined)?.[id] } : fields;
  } catch (error) {
    if (error instanceof ApiRequestError && error.status === 404) return undefined;
    throw error;
  }
}

/** Describes the value of a conflicting field on one side. */
export function describeSide(fields: Fields | undefined, field: string): string {
  if (fields === undefined) return 'Deleted';
  if (field === 'node' || field === 'pages') return 'Kept';
  if (field === 'place' || field === 'parent') return `At /${String(fields.path ?? '')}`;
  if (field === 'bytes') return `${String(fields.size ?? '?')} bytes, ${String(fields.contentType ?? 'unknown type')}`;
  const value = fields[field];
  if (value === undefined || value === null || value === '') return 'Not set';
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value);
}

interface ValueSidesProps {
  opened: OpenedChangeRequest;
  conflict: MergeConflict;
}

/** Both values of a field with a conflict. Texts are too long to be shown here. */
export function ValueSides({ opened, conflict }: ValueSidesProps): VNode | null {
  const { path, space, changeRequest } = opened;
  const { field, kind, id } = conflict;
  const { value: sides } = useLoaded(
    field === 'document' ? undefined : `sides ${path} ${kind} ${id} ${changeRequest.revision}`,
    (options) => Promise.all([path, `/spaces/${space.id}`].map((base) => readSide(base, conflict, options))),
    { subject: `${path} ${kind} ${id}` },
  );
  if (sides === undefined) return null;
  return (
    <dl class="sides">
      {['This change request', 'Live content'].map((name, index) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{describeSide(sides[index], field)}</dd>
        </div>
      ))}
    </dl>
  );
}
