import type { DocumentPage, PdfExport, Space } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { get } from '../api.ts';
import { useFavoriteAction } from '../home/bookmarks.ts';
import { UiIcon } from '../ui/icon.tsx';
import { Menu, type MenuItem } from '../ui/menu.tsx';
import { notify, notifyError } from '../ui/notice.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { PublishDialog } from './publish-dialog.tsx';
import { SpaceSettingsDialog } from './space-settings-dialog.tsx';
import { usePageChanges } from './use-page-changes.tsx';

/** Opens a PDF in a new tab. The tab shows the progress until the PDF is ready. */
async function openPdf(space: string, page?: string): Promise<void> {
  try {
    const { url } = await get<PdfExport>(`/spaces/${space}/pdf`, page === undefined ? {} : { page, only: true });
    window.open(url, '_blank', 'noopener');
  } catch (error) {
    notifyError(error);
  }
}

async function copyAddress(): Promise<void> {
  await navigator.clipboard.writeText(window.location.href);
  notify('Link copied');
}

const dialogs = { export: ExportDialog, publish: PublishDialog, settings: SpaceSettingsDialog };

interface SpaceActionsProps {
  space: Space;
  page?: DocumentPage;
}

/** The menu of a space, and of the shown page if there is one. */
export function SpaceActions({ space, page }: SpaceActionsProps): VNode {
  const [dialog, setDialog] = useState<keyof typeof dialogs>();
  const Dialog = dialog && dialogs[dialog];
  const favorite = useFavoriteAction(space.id, page?.id);
  const canChange = page !== undefined && page.computed === undefined && space.permissions.edit;
  const changes = usePageChanges(canChange ? { space: space.id, page } : undefined);
  const items: MenuItem[] = [
    { label: 'Copy link', icon: 'link', onSelect: copyAddress },
    favorite,
    ...(canChange
      ? [
          {
            label: 'History of this page',
            icon: 'clock',
            href: `/app/spaces/${space.id}/history?page=${page.id}`,
          } as const,
        ]
      : []),
    ...(page === undefined
      ? []
      : [{ label: 'PDF of this page', icon: 'file', onSelect: () => openPdf(space.id, page.id) } as const]),
    ...changes.items,
    { label: 'PDF of the space', icon: 'download', onSelect: () => openPdf(space.id), startsGroup: true },
    { label: 'Export as Markdown', icon: 'download', onSelect: () => setDialog('export') },
    ...(space.permissions.admin
      ? ([
          { label: 'Publish', icon: 'globe', onSelect: () => setDialog('publish') },
          { label: 'Space settings', icon: 'settings', onSelect: () => setDialog('settings') },
        ] as const)
      : []),
  ];
  return (
    <>
      <Menu class="icon-button" label="More actions" align="end" items={items}>
        <UiIcon name="more" />
      </Menu>
      {changes.dialog}
      {Dialog !== undefined && <Dialog space={space} onClose={() => setDialog(undefined)} />}
    </>
  );
}
