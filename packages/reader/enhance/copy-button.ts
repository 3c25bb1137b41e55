const messageMilliseconds = 1500;

/** Creates a button that copies text and announces the result to screen readers. It shows an icon or its name. */
export function createCopyButton(
  { copy = '', copied = '' }: DOMStringMap,
  write: () => Promise<void>,
  { isIcon = false } = {},
): [button: HTMLElement, status: HTMLElement] {
  const button = document.createElement('button');
  button.type = 'button';
  const setLabel = (text: string, isDone: boolean): void => {
    button.classList.toggle('done', isDone);
    if (isIcon) button.setAttribute('aria-label', text);
    else button.textContent = text;
  };
  setLabel(copy, false);
  if (isIcon) button.title = copy;
  const status = document.createElement('span');
  status.className = 'hidden';
  status.setAttribute('role', 'status');
  button.addEventListener('click', async () => {
    await write();
    setLabel(copied, true);
    status.textContent = copied;
    setTimeout(() => {
      setLabel(copy, false);
      status.textContent = '';
    }, messageMilliseconds);
  });
  return [button, status];
}
