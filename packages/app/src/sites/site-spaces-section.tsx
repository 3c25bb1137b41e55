import type { Site, SiteSpace, Space } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { getSpaceTitle } from '../shell/sidebar.tsx';
import { ActionForm, ConfirmDialog, Modal, SelectField } from '../ui/dialog.tsx';
import { UiIcon } from '../ui/icon.tsx';
import { Menu, type MenuItem } from '../ui/menu.tsx';
import { notifyError } from '../ui/notice.tsx';
import { LoadedContent } from '../ui/states.tsx';
import { useList } from '../use-api.ts';

interface SiteSpacesProps {
  organization: string;
  /** The path of the site in the API. */
  path: string;
}

/** The spaces that a site shows, in their order. */
export function SiteSpacesSection({ organization, path }: SiteSpacesProps): VNode {
  const siteSpaces = useList<SiteSpace>(`${path}/site-spaces`);
  const [isAdding, setAdding] = useState(false);
  return (
    <section>
      <div class="section-head">
        <h2>Spaces</h2>
        <button type="button" class="button" onClick={() => setAdding(true)}>
          Add a space
        </button>
      </div>
      <LoadedContent loaded={siteSpaces} lines={2}>
        {(all) =>
          all.length === 0 ? (
            <p class="muted">No spaces. Add a space to publish the site.</p>
          ) : (
            <ul class="rows">
              {all.map((each, index) => (
                <SiteSpaceRow key={each.id} siteSpace={each} path={path} reload={siteSpaces.reload}>
                  {{ previous: all[index - 1], next: all[index + 1] }}
                </SiteSpaceRow>
              ))}
            </ul>
          )
        }
      </LoadedContent>
      {isAdding && (
        <AddSpaceDialog
          {...{ organization, path }}
          shown={siteSpaces.value ?? []}
          reload={siteSpaces.reload}
          onClose={() => setAdding(false)}
        />
      )}
    </section>
  );
}

interface SiteSpaceRowProps {
  siteSpace: SiteSpace;
  path: string;
  reload: () => Promise<void>;
  children: { previous: SiteSpace | undefined; next: SiteSpace | undefined };
}

function SiteSpaceRow({ siteSpace, path, reload, children: { previous, next } }: SiteSpaceRowProps): VNode {
  const [isRemoving, setRemoving] = useState(false);
  const { id, title, space, section } = siteSpace;
  const send = (method: string, target: string, body?: object): void => {
    api(method, `${path}${target}`, { body }).then(reload, notifyError);
  };
  const move = (position: 'before' | 'after', other: SiteSpace): void =>
    send('PATCH', '/structure/sort', {
      item: { type: 'site-space', id },
      position: { [position]: { type: 'site-space', id: other.id } },
    });
  const items: MenuItem[] = [
    ...(siteSpace.default === true || section !== undefined
      ? []
      : [{ label: 'Make default', onSelect: () => send('PATCH', '', { defaultSiteSpace: id }) }]),
    ...(previous !== undefined && previous.section === section
      ? [{ label: 'Move up', onSelect: () => move('before', previous) }]
      : []),
    ...(next !== undefined && next.section === section
      ? [{ label: 'Move down', onSelect: () => move('after', next) }]
      : []),
    { label: 'Remove from site', isDanger: true, onSelect: () => setRemoving(true) },
  ];
  return (
    <li>
      <div class="row">
        <UiIcon name="book" />
        <span class="grow">
          <a class="strong" href={`/app/spaces/${space.id}`}>
            {title}
          </a>
          <small>/{siteSpace.path}</small>
        </span>
        {siteSpace.default === true && <span class="label">Default</span>}
        <Menu class="icon-button" label={`Actions for ${title}`} align="end" items={items}>
          <UiIcon name="more" />
        </Menu>
      </div>
      {isRemoving && (
        <ConfirmDialog
          title={`Remove ${title} from the site?`}
          text="The site no longer shows the space. The space and its pages are kept."
          submit="Remove"
          onConfirm={() => api<void>('DELETE', `${path}/site-spaces/${id}`).then(reload)}
          onClose={() => setRemoving(false)}
        />
      )}
    </li>
  );
}

interface AddSpaceProps extends SiteSpacesProps {
  shown: SiteSpace[];
  reload: () => Promise<void>;
  onClose: () => void;
}

function AddSpaceDialog({ organization, path, shown, reload, onClose }: AddSpaceProps): VNode {
  const spaces = useList<Space>(`/orgs/${organization}/spaces`);
  const used = new Set(shown.map(({ space }) => space.id));
  const available = spaces.value?.filter(({ id }) => !used.has(id)) ?? [];
  const [selected, setSelected] = useState<string>();
  const chosen = selected ?? available[0]?.id;
  const add = async (): Promise<void> => {
    await api<Site>('POST', `${path}/site-spaces`, { body: { spaceId: chosen } });
    onClose();
    await reload();
  };
  return (
    <Modal title="Add a space" onClose={onClose}>
      <LoadedContent loaded={spaces} lines={2}>
        {() => (
          <ActionForm submit="Add" onSubmit={add} onCancel={onClose} isDisabled={chosen === undefined}>
            {available.length === 0 ? (
              <p>The site shows all spaces that you can see.</p>
            ) : (
              <SelectField label="Space" value={chosen} onChange={setSelected}>
                {available.map((space) => (
                  <option key={space.id} value={space.id}>
                    {getSpaceTitle(space)}
                  </option>
                ))}
              </SelectField>
            )}
          </ActionForm>
        )}
      </LoadedContent>
    </Modal>
  );
}
