/** Addresses as Hugo and Jekyll write them: what is asked for, and what may follow it. */
const FORMS = [
  /\{\{[<%][ \t]{0,9}(?:rel)?ref[ \t]{1,9}(?:path=)?["`]([^"`\n{}]{1,500})["`][^{}\n]{0,200}[>%]\}\}([^\s(){}<>]{0,500})/y,
  /(?:\{\{[ \t]{0,9}site\.(?:base)?url[ \t]{0,9}\}\})?\{%-?[ \t]{0,9}link[ \t]{1,9}([^\s%{}]{1,500})[ \t]{0,9}-?%\}([^\s(){}<>]{0,500})/y,
  /(?:\{\{[ \t]{0,9}site\.(?:base)?url[ \t]{0,9}\}\})?\{%-?[ \t]{0,9}post_url[ \t]{1,9}([^\s%{}]{1,500})[ \t]{0,9}-?%\}([^\s(){}<>]{0,500})/y,
  /\{\{[ \t]{0,9}["']([^"'\n{}]{1,500})["'][ \t]{0,9}\|[ \t]{0,9}(?:relative|absolute)_url[ \t]{0,9}\}\}([^\s(){}<>]{0,500})/y,
  /\{\{[ \t]{0,9}site\.(?:base)?url[ \t]{0,9}\}\}()([^\s(){}<>]{1,500})/y,
];
const [, LINK, POST] = FORMS;

/** The address that a template at a place of a text stands for, and where it ends; undefined where none does. */
export function templateAddress(source: string, position: number): { target: string; end: number } | undefined {
  if (source.charAt(position) !== '{') return undefined;
  for (const form of FORMS) {
    form.lastIndex = position;
    const [whole, address = '', rest = ''] = form.exec(source) ?? [];
    if (whole === undefined) continue;
    const end = position + whole.length;
    if (form === POST) return { target: `/_posts/${address.replace(/^\//, '')}.md${rest}`, end };
    const isOfRoot = form === LINK && !address.startsWith('/');
    return { target: `${isOfRoot ? '/' : ''}${address}${rest}`, end };
  }
  return undefined;
}

/** What a value of an attribute leads to: it may be a template as a whole. */
export function addressIn(value: string): string {
  const found = templateAddress(value, 0);
  return found?.end === value.length ? found.target : value;
}
