import type { Space } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { useCurrentOrganization } from '../session.ts';
import { PublishDialog } from './publish-dialog.tsx';

/** A link to the site that shows a space, or the button that publishes the space if the user has the right to. */
export function PublishButton({ space }: { space: Space }): VNode | null {
  const [isPublishing, setPublishing] = useState(false);
  const organization = useCurrentOrganization();
  const site = space.urls.published;
  const canPublish = space.permissions.admin && organization?.permissions.createContent === true;
  return (
    <>
      {site !== undefined && (
        <a class="button" href={site} target="_blank" rel="noopener">
          View site
        </a>
      )}
      {site === undefined && canPublish && (
        <button type="button" class="button" onClick={() => setPublishing(true)}>
          Publish
        </button>
      )}
      {isPublishing && <PublishDialog space={space} onClose={() => setPublishing(false)} />}
    </>
  );
}
