import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { UiIcon, type UiIconName } from './icon.tsx';

/** An action or a link in a menu. */
export interface MenuItem {
  label: string;
  icon?: UiIconName;
  href?: string;
  onSelect?: () => void;
  /** Whether it is the current choice. */
  isCurrent?: boolean;
  isDanger?: boolean;
  /** Whether a line precedes it. */
  startsGroup?: boolean;
  /** The keyboard shortcut of the action, such as `Alt+↑`. */
  keys?: string;
}

interface MenuProps {
  /** The name of the button for screen readers, if it shows only an icon. */
  label?: string;
  class?: string;
  items: MenuItem[];
  /** The content of the button. */
  children: ComponentChildren;
  align?: 'start' | 'end';
  side?: 'below' | 'above';
}

function moveFocus(list: HTMLElement, key: string): boolean {
  const items = [...list.querySelectorAll<HTMLElement>('[role^=menuitem]')];
  const index = items.findIndex((item) => item.matches(':focus'));
  const targets: Record<string, number> = {
    ArrowDown: (index + 1) % items.length,
    ArrowUp: (index - 1 + items.length) % items.length,
    Home: 0,
    End: items.length - 1,
  };
  const target = targets[key];
  if (target === undefined) return false;
  items[target]?.focus();
  return true;
}

/** Focuses the first item of an open menu, so that its keys work as soon as it is visible. */
const focusFirstItem = (root: HTMLElement | null): void =>
  root?.querySelector<HTMLElement>('[role^=menuitem]')?.focus();

/** Calls a function when the user clicks or focuses anything outside of an element. */
function useOutside(root: { current: HTMLElement | null }, isOpen: boolean, close: () => void): void {
  useEffect(() => {
    if (!isOpen) return;
    const closeOutside = (event: Event): void => {
      if (event.target instanceof Node && root.current?.contains(event.target) !== true) close();
    };
    document.addEventListener('pointerdown', closeOutside);
    document.addEventListener('focusin', closeOutside);
    return () => {
      document.removeEventListener('pointerdown', closeOutside);
      document.removeEventListener('focusin', closeOutside);
    };
  }, [isOpen]);
}

interface MenuListProps {
  id?: string;
  label: string | undefined;
  items: MenuItem[];
  close: () => void;
}

/** The list of actions of an open menu. Its first item has the focus. */
function MenuList({ id, label, items, close }: MenuListProps): VNode {
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => focusFirstItem(list.current), []);
  const handleKey = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' || event.key === 'Tab') close();
    else if (!(event.currentTarget instanceof HTMLElement && moveFocus(event.currentTarget, event.key))) return;
    if (event.key !== 'Tab') event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="menu-list" role="menu" tabIndex={-1} id={id} aria-label={label} ref={list} onKeyDown={handleKey}>
      {items.map((item) => (
        <MenuEntry key={item.label} item={item} close={close} />
      ))}
    </div>
  );
}

/** A button that opens a list of actions. */
export function Menu({ label, items, children, align = 'start', side = 'below', ...props }: MenuProps): VNode {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  useOutside(root, isOpen, () => setOpen(false));
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <div class={`menu-root ${align} ${side}`} ref={root}>
      <button
        ref={button}
        type="button"
        {...props}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {children}
      </button>
      {isOpen && <MenuList id={id} label={label} items={items} close={close} />}
    </div>
  );
}

interface ContextMenuProps {
  label: string;
  items: MenuItem[];
  /** The position in the window. */
  position: { x: number; y: number };
  /** Closes the menu. The focus returns to where it was if the user did not move it. */
  onClose: () => void;
}

/** A list of actions at a position of the window. */
export function ContextMenu({ label, items, position, onClose }: ContextMenuProps): VNode {
  const root = useRef<HTMLDivElement>(null);
  const former = useRef(document.activeElement);
  useOutside(root, true, onClose);
  useLayoutEffect(() => {
    const { current } = root;
    if (current === null) return;
    current.showPopover();
    const { offsetWidth, offsetHeight } = current;
    current.style.left = `${Math.max(4, Math.min(position.x, window.innerWidth - offsetWidth - 4))}px`;
    current.style.top = `${Math.max(4, Math.min(position.y, window.innerHeight - offsetHeight - 4))}px`;
    // The list could not focus the item, because a popover is hidden until it is shown.
    focusFirstItem(current);
  }, [position]);
  const close = (): void => {
    if (former.current instanceof HTMLElement) former.current.focus({ preventScroll: true });
    onClose();
  };
  return (
    <div class="context-menu" popover="manual" ref={root}>
      <MenuList label={label} items={items} close={close} />
    </div>
  );
}

function MenuEntry({ item, close }: { item: MenuItem; close: () => void }): VNode {
  const { label, icon, href, onSelect, isCurrent, isDanger = false, startsGroup = false, keys } = item;
  const shared = {
    class: `menu-item${isDanger ? ' danger' : ''}${startsGroup ? ' starts-group' : ''}`,
    tabIndex: -1,
    onClick: () => {
      close();
      onSelect?.();
    },
  };
  const content = (
    <>
      {icon !== undefined && <UiIcon name={icon} />}
      <span>{label}</span>
      {isCurrent === true && <UiIcon name="check" />}
      {keys !== undefined && (
        <small class="keys" aria-hidden="true">
          {keys}
        </small>
      )}
    </>
  );
  if (href !== undefined)
    return (
      <a role="menuitem" {...shared} href={href} aria-current={isCurrent === true ? 'true' : undefined}>
        {content}
      </a>
    );
  return isCurrent === undefined ? (
    <button type="button" role="menuitem" {...shared}>
      {content}
    </button>
  ) : (
    <button type="button" role="menuitemradio" aria-checked={isCurrent} {...shared}>
      {content}
    </button>
  );
}
