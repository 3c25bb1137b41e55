import type { DeletedContent, Space } from '@octavo/schema';
import type { VNode } from 'preact';
import { getUserName } from '../comments/names.ts';
import { UiIcon } from '../ui/icon.tsx';
import { EmptyState, LoadedContent } from '../ui/states.tsx';
import { RelativeTime } from '../ui/time.tsx';
import { useList } from '../use-api.ts';
import { RestoreButton } from './restore-button.tsx';
import { SpaceSubscreen } from './space-screen-frame.tsx';

/** The deleted pages and files of a space. */
export const TrashScreen = (): VNode => (
  <SpaceSubscreen title="Trash" lead="Pages and files that were deleted from the live content.">
    {(space) => <DeletedItems space={space} />}
  </SpaceSubscreen>
);

function DeletedItems({ space }: { space: Space }): VNode {
  const deleted = useList<DeletedContent>(`/spaces/${space.id}/trash`);
  return (
    <LoadedContent loaded={deleted}>
      {(all) =>
        all.length === 0 ? (
          <EmptyState icon="trash" title="The trash is empty">
            <p>Deleted pages and files appear here. You can restore them.</p>
          </EmptyState>
        ) : (
          <ul class="rows">
            {all.map((item) => (
              <li key={item.id} class="row">
                <UiIcon name={item.kind === 'page' ? 'file' : 'download'} />
                <span class="grow">
                  <span class="strong">{item.title}</span>
                  <small>
                    Deleted <RelativeTime time={item.deletedAt} /> by {getUserName(item.deletedBy)}
                  </small>
                </span>
                <RestoreButton space={space} item={item} label={`Restore ${item.title}`} />
              </li>
            ))}
          </ul>
        )
      }
    </LoadedContent>
  );
}
