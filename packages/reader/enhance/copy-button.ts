const shownMilliseconds = 1500;

/** Creates a button that copies text and announces the result to screen readers. */
export function copyButton(
  { copy = '', copied = '' }: DOMStringMap,
  write: () => Promise<void>,
): [button: HTMLElement, told: HTMLElement] {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = copy;
  const told = document.createElement('span');
  told.className = 'hidden';
  told.setAttribute('role', 'status');
  button.addEventListener('click', async () => {
    await write();
    button.textContent = copied;
    told.textContent = copied;
    setTimeout(() => {
      button.textContent = copy;
      told.textContent = '';
    }, shownMilliseconds);
  });
  return [button, told];
}
