import type { DocumentPage, MergeConflict, ReusableContent } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { ApiRequestError, api, get } from '../api.ts';
import { UiIcon } from '../ui/icon.tsx';
import { notify, notifyError } from '../ui/notice.tsx';
import { EmptyState, LoadedContent } from '../ui/states.tsx';
import { type LoadOptions, useLoaded } from '../use-api.ts';
import { readConflicts } from './conflict-texts.ts';
import { ValueSides } from './conflict-values.tsx';
import { TextConflictForm } from './text-conflict.tsx';
import type { OpenedChangeRequest } from './use-change-request.ts';

interface ConflictsViewProps {
  opened: OpenedChangeRequest;
}

/** The unresolved conflicts of a change request. Each one is resolved separately. */
export function ConflictsView({ opened }: ConflictsViewProps): VNode {
  return (
    <LoadedContent loaded={opened.changes}>
      {({ conflicts = [], moreConflicts = 0 }) =>
        conflicts.length === 0 ? (
          <EmptyState icon="check" title="No conflicts">
            <p>No change here overlaps with a change of the live content.</p>
          </EmptyState>
        ) : (
          <>
            {conflicts.map((conflict) => (
              <ConflictCard
                key={`${conflict.kind} ${conflict.id} ${conflict.field}`}
                opened={opened}
                conflict={conflict}
              />
            ))}
            {moreConflicts > 0 && <p class="muted">{moreConflicts} more conflicts are shown after these.</p>}
          </>
        )
      }
    </LoadedContent>
  );
}

const fieldNames: Record<string, string> = {
  document: 'Text',
  title: 'Title',
  slug: 'Path',
  place: 'Position',
  parent: 'Position',
  node: 'Deleted on one side',
  pages: 'Deleted page with new subpages',
  bytes: 'File contents',
  value: 'Value',
};

const kindNames: Record<MergeConflict['kind'], string> = {
  page: 'Page',
  file: 'File',
  'reusable-content': 'Reusable content',
  variable: 'Variable',
};

export interface ConflictProps extends ConflictsViewProps {
  conflict: MergeConflict;
}

/** Resolves a conflict of a revision, and reads the change request again. @throws ApiRequestError */
async function resolve(opened: OpenedChangeRequest, revision: string, changes: unknown): Promise<void> {
  const headers = { 'if-match': `"${revision}"` };
  try {
    await api('POST', `${opened.path}/content`, { body: { changes: [changes] }, headers });
  } catch (error) {
    // The change request has changed since it was read, so each further attempt would fail too.
    if (error instanceof ApiRequestError && [409, 412].includes(error.status)) await opened.reload();
    throw error;
  }
  notify('Conflict resolved');
  await opened.reload();
}

const toTarget = ({ kind, id }: MergeConflict) => (kind === 'page' ? { page: id } : { kind, id });

function ConflictCard({ opened, conflict }: ConflictProps): VNode {
  const { kind, id, title, field, message } = conflict;
  const name = title ?? id;
  return (
    <section class="conflict" aria-label={`${fieldNames[field] ?? field} of ${name}`}>
      <header>
        <UiIcon name="warning" />
        <h2 class="grow">{name}</h2>
        <span class="label">{kindNames[kind]}</span>
        <span class="label">{fieldNames[field] ?? field}</span>
      </header>
      {field !== 'document' && <p class="muted">{`${message.charAt(0).toUpperCase()}${message.slice(1)}.`}</p>}
      {field === 'document' ? (
        <TextConflict opened={opened} conflict={conflict} />
      ) : (
        <KeepSide opened={opened} conflict={conflict} />
      )}
    </section>
  );
}

type Text = Pick<DocumentPage, 'markdown'> | Pick<ReusableContent, 'markdown'>;

/** The conflicts in a text. Falls back to keeping one side of the text if its markers are incomplete. */
function TextConflict({ opened, conflict }: ConflictProps): VNode {
  const { path, space, changeRequest } = opened;
  const place = conflict.kind === 'page' ? `page/${conflict.id}` : `reusable-contents/${conflict.id}`;
  const { revision } = changeRequest;
  const subject = `${path} ${conflict.id}`;
  const readParts = async (options: LoadOptions) => {
    const read = (base: string): Promise<Text> => get<Text>(`${base}/content/${place}`, {}, options);
    const [mine, live] = await Promise.all([read(path), read(`/spaces/${space.id}`)]);
    return { revision, parts: readConflicts(mine.markdown ?? '', live.markdown ?? '') ?? [] };
  };
  // While another revision is read, the choices of the user stay visible.
  const loaded = useLoaded(`conflict ${subject} ${revision}`, readParts, { subject });
  const save = (markdown: string, resolved: string): Promise<void> => {
    const target =
      conflict.kind === 'page'
        ? { operation: 'update_page', page: conflict.id }
        : { operation: 'update_reusable_content', reusableContent: conflict.id };
    return resolve(opened, resolved, { ...target, document: { markdown } }).catch(async (error: unknown) => {
      await loaded.reload();
      throw error;
    });
  };
  if (!opened.space.permissions.edit) return <p class="muted">You do not have permission to edit this space.</p>;
  return (
    <LoadedContent loaded={loaded}>
      {({ revision: shown, parts }) =>
        parts.length === 0 ? (
          <KeepSide opened={opened} conflict={conflict} />
        ) : (
          <TextConflictForm parts={parts} isLoading={loaded.isLoading} onSave={(markdown) => save(markdown, shown)} />
        )
      }
    </LoadedContent>
  );
}

/** Keeps one side of a field. */
function KeepSide({ opened, conflict }: ConflictProps): VNode {
  const [isBusy, setBusy] = useState(false);
  const keep = (side: 'mine' | 'live'): void => {
    setBusy(true);
    const change = { operation: 'resolve', ...toTarget(conflict), field: conflict.field, keep: side };
    resolve(opened, opened.changeRequest.revision, change)
      .catch(notifyError)
      .finally(() => setBusy(false));
  };
  return (
    <>
      <ValueSides opened={opened} conflict={conflict} />
      {opened.space.permissions.edit && (
        <footer class="conflict-actions">
          <button type="button" class="button" disabled={isBusy} onClick={() => keep('mine')}>
            Keep this change request
          </button>
          <button type="button" class="button" disabled={isBusy} onClick={() => keep('live')}>
            Keep live content
          </button>
        </footer>
      )}
    </>
  );
}
