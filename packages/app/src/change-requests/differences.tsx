import type { SemanticChange, SemanticChanges } from '@octavo/schema';
import type { ComponentChildren, VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { SpacePages } from '../space/tree-rows.ts';
import { usePages } from '../space/use-pages.ts';
import { AttributeChanges } from './attribute-changes.tsx';
import { type ChangedItem, describeMove, groupChanges } from './changed-items.ts';
import { describePosition, orderItems } from './order-items.ts';
import { type ComparedPoint, RenderedDifference } from './rendered-difference.tsx';
import { SourceDifference } from './source-difference.tsx';

type Form = 'rendered' | 'unified' | 'side-by-side';

const forms: [Form, string][] = [
  ['rendered', 'Rendered'],
  ['unified', 'Source'],
  ['side-by-side', 'Side by side'],
];

const formKey = 'octavo-difference';
const readForm = (): Form => forms.find(([form]) => form === localStorage.getItem(formKey))?.[0] ?? 'rendered';

/** Number of changed items that are open at first. */
const maxOpen = 12;

interface DifferencesProps {
  compared: ComparedPoint;
  changes: SemanticChanges;
  /** Returns buttons and links for a changed item, if there are any. */
  getActions: (item: ChangedItem) => ComponentChildren;
}

/** The changed pages, files, variables and reusable contents with their differences. */
export function Differences({ compared, changes: { changes, more = 0 }, getActions }: DifferencesProps): VNode {
  const [form, setForm] = useState(readForm);
  const choose = (value: Form): void => {
    localStorage.setItem(formKey, value);
    setForm(value);
  };
  return (
    <>
      <FormSwitch form={form} choose={choose} />
      <OrderedItems compared={compared} changes={changes}>
        {(item, index, pages) => (
          <ChangedItemSection key={item.id} item={item} isOpen={index < maxOpen}>
            {getActions(item)}
            <ItemDifference compared={compared} item={item} form={form} pages={pages} />
          </ChangedItemSection>
        )}
      </OrderedItems>
      {more > 0 && <p class="muted">{more} more changes are not shown.</p>}
    </>
  );
}

interface OrderedItemsProps {
  compared: ComparedPoint;
  changes: SemanticChange[];
  children: (item: ChangedItem, index: number, pages: SpacePages | undefined) => VNode;
}

/** The changed items. They are sorted in the order of the page tree when it is loaded. */
function OrderedItems({ compared: { space, path, base }, changes, children }: OrderedItemsProps): VNode {
  const hasDeleted = base !== undefined && changes.some(({ type }) => type === 'page_deleted');
  const tree = usePages(path);
  const former = usePages(hasDeleted ? `/spaces/${space}/revisions/${base}` : undefined);
  const items = useMemo(() => {
    const grouped = groupChanges(changes);
    return tree.value === undefined ? grouped : orderItems(grouped, tree.value, former.value);
  }, [changes, tree.value, former.value]);
  return <>{items.map((item, index) => children(item, index, tree.value))}</>;
}

const FormSwitch = ({ form, choose }: { form: Form; choose: (form: Form) => void }): VNode => (
  <fieldset class="segments" aria-label="Show differences">
    {forms.map(([value, label]) => (
      <button key={value} type="button" aria-pressed={form === value} onClick={() => choose(value)}>
        {label}
      </button>
    ))}
  </fieldset>
);

interface ItemProps {
  item: ChangedItem;
  /** Whether the item is open at first. The user can open and close it. */
  isOpen: boolean;
  children: ComponentChildren;
}

function ChangedItemSection({ item, isOpen, children }: ItemProps): VNode {
  const [chosen, setChosen] = useState<boolean>();
  const isShown = chosen ?? isOpen;
  const { title, kinds, counts } = item;
  return (
    <details
      class="changed-item"
      open={isShown}
      onToggle={({ currentTarget: { open } }) => open !== isShown && setChosen(open)}
    >
      <summary>
        <h2 class="grow">{title}</h2>
        {kinds.map((kind) => (
          <span key={kind} class={`label ${kind.toLowerCase()}`}>
            {kind}
          </span>
        ))}
        {counts !== undefined && (
          <span class="line-counts">
            <span class="added">+{counts.added}</span> <span class="removed">−{counts.removed}</span>
          </span>
        )}
      </summary>
      {isShown && <div class="changed-content">{children}</div>}
    </details>
  );
}

interface ItemDifferenceProps {
  compared: ComparedPoint;
  item: ChangedItem;
  form: Form;
  /** The page tree of the later version. */
  pages: SpacePages | undefined;
}

const ItemDifference = ({ compared, item, form, pages }: ItemDifferenceProps): VNode => {
  const { changes, document, page, image } = item;
  return (
    <>
      {changes.map((change: SemanticChange) =>
        change.type === 'page_moved' ? (
          <p key={change.type} class="changed-move">
            {describeMove(change, describePosition(pages, change.page.id))}
          </p>
        ) : (
          <AttributeChanges key={change.type} change={change} />
        ),
      )}
      {image !== undefined && <img class="changed-image" src={image.downloadURL} alt={image.name} loading="lazy" />}
      {document !== undefined && page !== undefined && form === 'rendered' ? (
        <RenderedDifference compared={compared} page={page.id} />
      ) : (
        document?.diff !== undefined &&
        document.diff !== '' && <SourceDifference diff={document.diff} isSideBySide={form === 'side-by-side'} />
      )}
      {document?.truncated === true && form !== 'rendered' && (
        <p class="muted">The text is too long to be compared here.</p>
      )}
    </>
  );
};
