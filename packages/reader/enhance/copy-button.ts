const messageMilliseconds = 1500;

/** Creates a button that copies text and announces the result to screen readers. */
export function createCopyButton(
  { copy = '', copied = '' }: DOMStringMap,
  write: () => Promise<void>,
): [button: HTMLElement, told: HTMLElement] {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = copy;
  const status = document.createElement('span');
  status.className = 'hidden';
  status.setAttribute('role', 'status');
  button.addEventListener('click', async () => {
    await write();
    button.textContent = copied;
    status.textContent = copied;
    setTimeout(() => {
      button.textContent = copy;
      status.textContent = '';
    }, messageMilliseconds);
  });
  return [button, status];
}
